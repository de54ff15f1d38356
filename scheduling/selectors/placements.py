"""Where was an attempt placed, and why there? Kept once: with the decision that began it, which has its id.

Only two have an answer of their own: a reserved place that was put to use, made for the work that came, and a member
of a gang, whose decision speaks of all members.
"""

from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import JSONField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from scheduling.models import Attempt, Decision

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class Placed(TypedDict):
    """What `with_placement` adds to an attempt."""

    placed: dict[str, Any]


def with_placement(attempts: QuerySet[Attempt]) -> "QuerySet[WithAnnotations[Attempt, Placed]]":
    """The attempts with `placed`: crater's Placement as JSON values."""
    decided = Decision.objects.filter(pk=OuterRef("pk")).values("answer")
    return attempts.annotate(placed=Coalesce("placement", Subquery(decided), output_field=JSONField()))


def placement_of(attempt: Attempt) -> dict[str, Any]:
    """Of one attempt that is at hand."""
    if attempt.placement is not None:
        own: dict[str, Any] = attempt.placement
        return own
    decided: dict[str, Any] = Decision.objects.values_list("answer", flat=True).get(pk=attempt.pk)
    return decided
