"""Give units back: at once into `releasing`, after the grace period into `released`.

Grace keeps units warm for a quick restart and never delays the job's end. Releasing is
exactly once: the allocation row's conditional update decides who lowers `reserved`.
"""

from django.db import transaction
from django.db.models import F

from alldata.kernel.events import CapacityChanged
from alldata.outbox.publish import publish
from scheduling.lifecycle import AllocationState
from scheduling.models import Allocation, Attempt, DeviceCapacity

CLAIMED = (AllocationState.RESERVED, AllocationState.HELD)


def start_releasing(attempt: Attempt, *, grace_ms: int, now_ms: int) -> None:
    """An attempt ended: its claims end after the grace period. Call in the ending transaction."""
    Allocation.objects.filter(attempt=attempt, state__in=CLAIMED).update(
        state=AllocationState.RELEASING, release_due_ms=now_ms + grace_ms
    )


def release_due(*, now_ms: int) -> int:
    """Release what is past its grace period; returns how many claims were freed."""
    due = Allocation.objects.filter(state=AllocationState.RELEASING, release_due_ms__lte=now_ms)
    return sum(_release(a, now_ms=now_ms) for a in due.select_related("device__node")[:1000])


def _release(allocation: Allocation, *, now_ms: int) -> bool:
    reserved = f"reserved_{allocation.dimension}"
    with transaction.atomic():
        mine = Allocation.objects.filter(pk=allocation.pk, state=AllocationState.RELEASING)
        if not mine.update(state=AllocationState.RELEASED, end_ms=allocation.release_due_ms):
            return False
        DeviceCapacity.objects.filter(device_id=allocation.device_id).update(
            **{reserved: F(reserved) - allocation.amount}
        )
        publish(CapacityChanged(allocation.device.node.name, now_ms), now_ms=now_ms)
    return True
