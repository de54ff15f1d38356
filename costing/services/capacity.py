"""Remember what devices could give, and since when. Repeating it without a change does nothing.

The inventory knows only the present. When it says that something changed, the version in force
ends at that moment and another begins; hours before keep the capacity they had.
"""

from django.db import transaction

from costing.models import CapacityVersion
from scheduling.selectors.answers.metering import Supply
from scheduling.selectors.metering import supplies

Key = tuple[str, str]


def note_supply(node: str, *, at_ms: int) -> int:
    """Bring the versions of one node up to date as of `at_ms`; returns how many began or ended."""
    with transaction.atomic():
        present = {(s.device, s.dimension): s for s in supplies(at_ms, at_ms + 1, node=node)}
        rows = CapacityVersion.objects.select_for_update().filter(node=node, until_ms=None)
        current = {(row.device, row.dimension): row for row in rows}
        first = not current and not CapacityVersion.objects.filter(node=node).exists()
        ended = [row for key, row in current.items() if not _holds(row, present.get(key)) and row.since_ms < at_ms]
        begun = [s for key, s in present.items() if key not in current or current[key] in ended]
        CapacityVersion.objects.filter(pk__in=[row.pk for row in ended]).update(until_ms=at_ms)
        CapacityVersion.objects.bulk_create(
            (_version(s, since_ms=s.since_ms if first else at_ms) for s in begun), ignore_conflicts=True
        )
    return len(ended) + len(begun)


def ensure_supply(node: str, *, at_ms: int) -> bool:
    """A node that was never looked at is looked at now; True when that told something."""
    return not CapacityVersion.objects.filter(node=node).exists() and note_supply(node, at_ms=at_ms) > 0


def _holds(row: CapacityVersion, now: Supply | None) -> bool:
    """Is the version still what the inventory says?"""
    return (
        now is not None
        and (row.capacity, row.in_service, row.model) == (now.capacity, now.healthy, now.model)
        and (row.device_type, row.part_of, row.share_ppb) == (now.device_type, now.part_of, now.share_ppb)
    )


def _version(now: Supply, *, since_ms: int) -> CapacityVersion:
    return CapacityVersion(
        node=now.node,
        device=now.device,
        device_type=now.device_type,
        model=now.model,
        dimension=now.dimension,
        capacity=now.capacity,
        in_service=now.healthy,
        since_ms=since_ms,
        part_of=now.part_of,
        share_ppb=now.share_ppb,
    )
