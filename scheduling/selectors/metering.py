"""What metering needs to know of supply and claims. Platform-internal: no viewer, never shown raw."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast, Coalesce

from profiles.dimensions import ADDITIVE
from scheduling.lifecycle import AttemptState
from scheduling.models import Allocation, Attempt, Device, Job
from scheduling.selectors.answers import AllocationSpan, AttemptView, Supply
from scheduling.selectors.placements import with_placement
from scheduling.selectors.rows import attempt_view_of

PPB = 1_000_000_000
MEMORY = "gpu_memory_bytes"
#: The columns of an AllocationSpan, in its order: rows of jobs and nodes are wide, and metering reads many.
SPAN = (
    "attempt_id",
    "attempt__job_id",
    "attempt__project_id",
    "device__uuid",
    "device__type",
    "device__node__name",
    "dimension",
    "amount",
    "start_ms",
    "until_ms",
    "ran",
)
KEY = ("attempt_id", "device_id", "dimension")
#: The engine was never asked: a place that is held, or was given back unused.
NEVER_RAN = Q(attempt__started_ms=None, attempt__state__in=[AttemptState.PLACING, AttemptState.CANCELLED])


def allocations_between(
    start_ms: int, end_ms: int, *, attempt_ids: Collection[UUID] | None = None, node: str | None = None
) -> list[AllocationSpan]:
    """Claims (of one node, of some attempts) that overlap [start_ms, end_ms), grace included, oldest first.

    A claim in grace ends when its grace does, whenever that is noticed: after an outage, say.
    """
    rows = Allocation.objects.annotate(until_ms=Coalesce("end_ms", "release_due_ms"))
    rows = rows.filter(Q(until_ms=None) | Q(until_ms__gt=start_ms), start_ms__lt=end_ms)
    if attempt_ids is not None:
        rows = rows.filter(attempt_id__in=attempt_ids)
    if node is not None:
        rows = rows.filter(device__node__name=node)
    rows = rows.order_by("start_ms", *KEY).annotate(ran=~NEVER_RAN)
    return [AllocationSpan(*row) for row in rows.values_list(*SPAN)]


def supplies(
    start_ms: int, end_ms: int, *, node: str | None = None, devices: Collection[str] | None = None
) -> list[Supply]:
    """Known capacities of devices (of one node, of some) that were in service during [start_ms, end_ms)."""
    rows = Device.objects.filter(
        Q(retired_ms=None) | Q(retired_ms__gt=start_ms), node__registered_ms__lt=end_ms
    ).select_related("node", "capacity")
    if node is not None:
        rows = rows.filter(node__name=node)
    if devices is not None:
        rows = rows.filter(uuid__in=devices)
    found = list(rows.order_by("uuid"))
    cards = _cards(found)
    return [s for row in found for s in _supplies_of(row, cards.get(str(row.attributes.get("mig_parent", ""))))]


def _cards(parts: list[Device]) -> dict[str, Device]:
    """The split cards that some of the devices are parts of."""
    wanted = {str(row.attributes["mig_parent"]) for row in parts if "mig_parent" in row.attributes}
    rows = Device.objects.filter(uuid__in=wanted) if wanted else ()
    return {row.uuid: row for row in rows if "mig_devices" in row.attributes}


def _share_ppb(part: Device, card: Device, dimension: str) -> int:
    """A part's share of its card: multiprocessors of multiprocessors for compute, memory of memory for the rest."""
    told = [(part.attributes.get("sm_count"), card.attributes.get("sm_count"))]
    if dimension not in ("gpu_sm", "gpu_tensor"):
        told.insert(0, (getattr(part.capacity, f"capacity_{MEMORY}"), card.attributes.get("memory_bytes")))
    for mine, whole in told:
        if isinstance(mine, int) and isinstance(whole, int) and 0 < mine <= whole:
            return mine * PPB // whole
    return PPB // max(1, int(card.attributes.get("mig_devices", 1)))


def _supplies_of(row: Device, card: Device | None) -> list[Supply]:
    found = []
    for name in ADDITIVE:
        capacity = getattr(row.capacity, f"capacity_{name}")
        if capacity:
            found.append(
                Supply(
                    device=row.uuid,
                    device_type=row.type,
                    model=row.model,
                    node=row.node.name,
                    dimension=name,
                    capacity=capacity,
                    since_ms=row.node.registered_ms,
                    until_ms=row.retired_ms,
                    simulated=row.node.simulated,
                    healthy=row.healthy,
                    part_of=card.uuid if card else "",
                    share_ppb=_share_ppb(row, card, name) if card else 0,
                )
            )
    return found


def attempts_of(job_id: UUID) -> list[AttemptView]:
    """All attempts of a job, first to last."""
    rows = with_placement(Attempt.objects.filter(job_id=job_id)).select_related("node").order_by("ordinal", "member")
    return [attempt_view_of(row) for row in rows]


def references_of(job_ids: Collection[UUID]) -> dict[UUID, str]:
    """Job id -> "J-12 name", for callers who decided already who may see the jobs."""
    rows = Job.objects.filter(id__in=job_ids).values_list("id", "number", "name")
    return {job_id: f"J-{number} {name}" for job_id, number, name in rows}


def jobs_of_profile(profile: str, version: str, project_ids: Collection[UUID]) -> list[str]:
    """Ids of these projects' jobs that ran under one profile version: text, for there may be very many."""
    rows = Job.objects.filter(profile_name=profile, profile_version=version, project_id__in=project_ids)
    return list(rows.annotate(text=Cast("id", TextField())).values_list("text", flat=True))


def ended_before(job_ids: Collection[UUID], at_ms: int) -> list[UUID]:
    """Those of the jobs that ended before a moment."""
    return list(Job.objects.filter(id__in=job_ids, ended_ms__lt=at_ms).values_list("id", flat=True))
