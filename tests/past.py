"""Jobs that are over, for tests of what is expected of the next one."""

from uuid import UUID

from scheduling.models import Attempt, Device, DeviceCapacity, Job, Node
from scheduling.selectors.answers import JobRow
from tests.world import NODE, NOW


def ran(like: JobRow, lasted_ms: int, *, device: str = f"{NODE}/numa0/cpu", age: int = 1, on_time: float = 0.9) -> Job:
    """A finished run of the same code on this device, which ended `age` seconds ago; its deadline was met."""
    job = Job.objects.get(pk=like.id)
    kind = Device.objects.get(uuid=device).type
    ended_ms = NOW - age * 1000
    job.pk, job.number, job.request_id = (
        UUID(int=Job.objects.count()),
        1000 + Job.objects.count(),
        f"past-{Job.objects.count()}",
    )
    job.state, job.started_ms, job.ended_ms = "succeeded", ended_ms - lasted_ms, ended_ms
    job.submitted_ms, job.deadline_ms, job.deadline_met = ended_ms - lasted_ms, ended_ms, True
    job.promise = {"on_time": on_time, "chance": on_time}
    job.save(force_insert=True)
    Attempt.objects.create(
        job=job, project_id=job.project_id, ordinal=1, engine="fake", node=Node.objects.get(), state="succeeded",
        placement={"picks": [{"type": kind, "device": device}]}, created_ms=job.submitted_ms, changed_ms=ended_ms,
        started_ms=job.started_ms, ended_ms=ended_ms,
    )  # fmt: skip
    return job


def hardware(uuid: str, model: str, kind: str = "gpu", **capacity: int) -> Device:
    """A device of a model that is no longer in service."""
    device = Device.objects.create(
        uuid=uuid, node=Node.objects.get(), type=kind, name=uuid, model=model, retired_ms=NOW
    )
    columns = {f"capacity_{name}": amount for name, amount in capacity.items()}
    DeviceCapacity.objects.create(device=device, valid_from_ms=NOW, **columns)
    return device
