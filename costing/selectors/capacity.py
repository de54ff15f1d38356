"""What could a node's devices give during a span? Versions, so that a change never re-rates the past."""

from dataclasses import dataclass

from django.db.models import Q

from alldata.kernel.intervals import Interval
from costing.models import CapacityVersion

#: The columns of a Supplied, in its order.
COLUMNS = (
    "device",
    "device_type",
    "model",
    "dimension",
    "capacity",
    "in_service",
    "since_ms",
    "until_ms",
    "part_of",
    "share_ppb",
)


@dataclass(frozen=True, slots=True)
class Supplied:
    """One capability of one device over a time; `until_ms` None: still so."""

    device: str
    device_type: str
    model: str
    dimension: str
    capacity: int
    in_service: bool
    since_ms: int
    until_ms: int | None
    part_of: str = ""
    share_ppb: int = 0


def supplied(node: str, span: Interval) -> list[Supplied]:
    """All versions that reach into the span, by device, dimension and time."""
    rows = CapacityVersion.objects.filter(
        Q(until_ms=None) | Q(until_ms__gt=span.start_ms), node=node, since_ms__lt=span.end_ms
    ).order_by("device", "dimension", "since_ms")
    return [Supplied(*row) for row in rows.values_list(*COLUMNS)]
