"""How long did this code take before, on which hardware, and were promises kept? One organisation's own jobs only.

What another organisation ran is never evidence: a forecast would tell of it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Max

from scheduling.lifecycle import AttemptState, JobState
from scheduling.models import Attempt, Device, Job

RUNS, PROMISES = 200, 2_000
#: What binds a job on such a device, where known: capacities and described attributes.
BINDING: Mapping[str, tuple[str, ...]] = {
    "gpu": ("hbm_bandwidth", "fp32_tflops", "fp16_tensor_tflops"),
    "cpu": ("ipc_baseline", "boost_ghz"),
}
Kind = tuple[str, str, str]  # profile digest, mode, entry digest: the same code under the same profile


@dataclass(frozen=True, slots=True)
class Kept:
    """A job that had a deadline and is over. `promised` None: nothing was promised."""

    kind: Kind
    lasted_ms: int | None  # of a success
    allowed_ms: int
    deadline_ms: int
    promised: float | None
    was_kept: bool


def kind_of(job: Job) -> Kind:
    """What makes two jobs the same for a forecast."""
    return job.profile_digest, job.mode, job.entry_digest


def runs_by_model(organisation_id: UUID, kind: Kind) -> dict[str, list[int]]:
    """Durations (ms) of earlier successes by the model of the device that carried them, newest first."""
    digest, mode, entry = kind
    rows = Attempt.objects.filter(
        job__organisation_id=organisation_id,
        job__profile_digest=digest,
        job__mode=mode,
        job__entry_digest=entry,
        state=AttemptState.SUCCEEDED,
        started_ms__isnull=False,
        ended_ms__isnull=False,
    ).order_by("-ended_ms")
    told = rows.values_list("placement", "started_ms", "ended_ms")[:RUNS]
    runs = [(carrier(placement.get("picks", ())), (ended or 0) - (started or 0)) for placement, started, ended in told]
    models = models_of({device for device, _ in runs})
    found: dict[str, list[int]] = defaultdict(list)
    for device, lasted_ms in runs:
        found[models.get(device, "")].append(lasted_ms)
    return dict(found)


def carrier(picks: Iterable[Mapping[str, Any]]) -> str:
    """The device on which the time is spent: the first GPU, else the cores, else whatever there is."""
    by_type = {pick["type"]: pick["device"] for pick in reversed(list(picks))}
    return next((by_type[kind] for kind in ("gpu", "cpu") if kind in by_type), next(iter(by_type.values()), ""))


def models_of(devices: Collection[str]) -> dict[str, str]:
    """Device -> "type:model"; devices of unknown model count as one model of their type."""
    rows = Device.objects.filter(uuid__in=devices).values_list("uuid", "type", "model")
    return {uuid: f"{kind}:{model}" for uuid, kind, model in rows}


def capabilities_of(models: Collection[str]) -> dict[str, dict[str, float]]:
    """Model -> what binds a job on it, in one unit each; only what is known of every one of the models."""
    found: dict[str, dict[str, float]] = {}
    for name in models:
        kind, _, model = name.partition(":")
        row = Device.objects.filter(type=kind, model=model).select_related("capacity").order_by("-id").first()
        if row is not None:
            values = {key: _told(row, key) for key in BINDING.get(kind, ())}
            found[name] = {key: float(value) for key, value in values.items() if _is_amount(value)}
    shared = set.intersection(*(set(values) for values in found.values())) if found else set()
    return {name: {key: values[key] for key in sorted(shared)} for name, values in found.items()} if shared else {}


def _told(row: Device, key: str) -> Any:
    return row.attributes.get(key, getattr(row.capacity, f"capacity_{key}", None))


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def promises_stamp(organisation_id: UUID) -> int:
    """When a job with a deadline ended last: unchanged means that `promises` would say the same."""
    rows = Job.objects.filter(organisation_id=organisation_id, deadline_met__isnull=False)
    return int(rows.aggregate(last=Max("ended_ms"))["last"] or 0)


def promises(organisation_id: UUID) -> list[Kept]:
    """The newest jobs with a deadline that are over, in the order of their ends."""
    rows = Job.objects.filter(organisation_id=organisation_id, deadline_met__isnull=False).order_by("-ended_ms")
    names = (
        "profile_digest", "mode", "entry_digest", "state", "submitted_ms", "started_ms", "ended_ms", "deadline_ms",
        "promise", "deadline_met",
    )  # fmt: skip
    return [_kept(*row) for row in reversed(rows.values_list(*names)[:PROMISES])]


def _kept(*row: Any) -> Kept:
    digest, mode, entry, state, submitted, started, ended, deadline, promise, met = row
    ran = state == JobState.SUCCEEDED and started is not None
    promised = promise.get("chance", promise.get("on_time"))
    return Kept((digest, mode, entry), ended - started if ran else None, deadline - submitted, deadline, promised, met)
