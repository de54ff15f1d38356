"""What does a refused submission look like to the person who typed it? One line a field, in their language."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from alldata.kernel.errors import AllDataError
from alldata.portal.figures import money
from alldata.portal.words_of_refusals import FIELDS, PREFIXES, SENTENCES
from scheduling.ports import Shortage


def _figures(facts: Mapping[str, object]) -> Mapping[str, object]:
    """The error's data as people read them: names as they are, amounts of money with their currency."""
    currency = str(facts.get("currency", ""))
    nano = {name: value for name, value in facts.items() if name.endswith("_nano")}
    amounts = {name.removesuffix("_nano"): money(int(str(value)), currency) for name, value in nano.items()}
    return {**facts, **amounts}


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing to mend; `field` is the id of the input, "" for the whole form."""

    field: str
    text: str


class Rejected(Exception):
    """The form's shape is wrong; each field says how."""

    def __init__(self, complaints: list[Complaint]) -> None:
        super().__init__(complaints)
        self.complaints = complaints


def complaints_of(refused: AllDataError | Rejected) -> list[Complaint]:
    """The refusal as complaints; an unknown code keeps its own English words."""
    if isinstance(refused, Rejected):
        return refused.complaints
    field = refused.field or ""
    place = FIELDS.get(refused.code) or PREFIXES.get(field, field)
    text = SENTENCES.get(refused.code)
    suggestion = refused.facts.get("suggestion")
    words = str(text) % _figures(refused.facts) if text else str(refused)
    if isinstance(suggestion, str) and suggestion:
        words += " " + _("Did you mean %(suggestion)s?") % {"suggestion": suggestion}
    return [Complaint(place, words)]


def shortage_of(short: Shortage) -> str:
    """What a submission would be refused with."""
    amounts = {"left": money(short.left_nano, short.currency), "asked": money(short.asked_nano, short.currency)}
    return str(SENTENCES["budget_exhausted"]) % {"name": short.name, **amounts}
