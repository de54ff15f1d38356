"""Are the books in order? How far each node is booked, what lacks a price, and whether the sums agree."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, Sum

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from costing.errors import NoPriceBook
from costing.models import DeviceDay, DirtyDay, LedgerEntry, NodeBooks
from costing.pricing import line_for
from costing.rating import Bucket
from costing.selectors.prices import prices_at
from scheduling.selectors.metering import supplies

JOB_BUCKETS = (Bucket.USED.value, Bucket.ALLOCATED_IDLE.value, Bucket.UNMETERED.value)


@dataclass(frozen=True, slots=True)
class Health:
    """`booked_until_ms` by node; kinds of device without a price; ledger minus daily sums of the last whole day.

    `imbalance_nano` is None while that day is being summed. `unmetered` by node: which part of what was held
    in the last whole hour, by money, nobody measured; nodes on which nothing was held are left out.
    """

    booked_until_ms: Mapping[str, int]
    unpriced: tuple[tuple[str, str], ...]
    imbalance_nano: int | None
    unmetered: Mapping[str, float]


def health(*, now_ms: int) -> Health:
    """The state of the books now (the exporter; platform-internal)."""
    books = NodeBooks.objects.values_list("node", "booked_until_ms")
    kinds = {(supply.device_type, supply.model) for supply in supplies(now_ms, now_ms + 1)}
    try:
        lines = prices_at(now_ms).lines
    except NoPriceBook:
        lines = ()
    unpriced = sorted(kind for kind in kinds if line_for(lines, *kind) is None)
    reached = {node: until_ms for node, until_ms in books if until_ms is not None}
    last_hour = now_ms // HOUR_MS * HOUR_MS - HOUR_MS
    return Health(
        reached, tuple(unpriced), _imbalance(now_ms // DAY_MS * DAY_MS - DAY_MS), _unmetered(list(reached), last_hour)
    )


def _unmetered(nodes: list[str], hour_ms: int) -> dict[str, float]:
    held = LedgerEntry.objects.filter(node__in=nodes, hour_ms=hour_ms, bucket__in=JOB_BUCKETS).values_list("node")
    blind = Sum("nano", filter=Q(bucket=Bucket.UNMETERED.value), default=0)
    return {node: int(part) / int(whole) for node, part, whole in held.annotate(b=blind, n=Sum("nano")) if whole}


def _imbalance(day_ms: int) -> int | None:
    if DirtyDay.objects.filter(day_ms=day_ms).exists():
        return None
    entries = LedgerEntry.objects.filter(hour_ms__gte=day_ms, hour_ms__lt=day_ms + DAY_MS)
    booked = entries.aggregate(nano=Sum("nano"))["nano"] or 0
    summed = DeviceDay.objects.filter(day_ms=day_ms).aggregate(nano=Sum("nano"))["nano"] or 0
    return int(booked - summed)
