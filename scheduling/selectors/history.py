"""How long did this code take before, on which hardware? One organisation's own jobs only.

What another organisation ran is never evidence: a forecast would tell of it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q

from scheduling.lifecycle import AttemptState, JobState
from scheduling.models import Attempt, Device, Job
from scheduling.selectors.placements import with_placement

RUNS = 200
#: What binds a job on such a device, where known: capacities and described attributes.
BINDING: Mapping[str, tuple[str, ...]] = {
    "gpu": ("hbm_bandwidth", "fp32_tflops", "fp16_tensor_tflops"),
    "cpu": ("ipc_baseline", "boost_ghz"),
}
Kind = tuple[str, str, str]  # profile digest, mode, entry digest: the same code under the same profile


def kind_of(job: Job) -> Kind:
    """What makes two jobs the same for a forecast."""
    return job.profile_digest, job.mode, job.entry_digest


def runs_by_model(organisation_id: UUID, kind: Kind) -> dict[str, list[int]]:
    """Durations (ms) of earlier successes by the model of the device that carried them, newest first."""
    digest, mode, entry = kind
    rows = Attempt.objects.filter(
        Q(members=1) | Q(job__state=JobState.SUCCEEDED),
        job__organisation_id=organisation_id,
        job__profile_digest=digest,
        job__mode=mode,
        job__entry_digest=entry,
        member=0,
        state=AttemptState.SUCCEEDED,
        started_ms__isnull=False,
        ended_ms__isnull=False,
    ).order_by("-ended_ms")
    told = with_placement(rows).values_list("placed", "started_ms", "ended_ms")[:RUNS]
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
