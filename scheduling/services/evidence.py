"""What an organisation's past tells of its next jobs, each thing read once.

Forecasts of many submissions share one Evidence for as long as one view of the cluster is used (sight.py); a single
question brings its own.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from scheduling.crater.experience import Experience
from scheduling.crater.trust import Trust
from scheduling.selectors.history import Kind, capabilities_of, models_of, runs_by_model
from scheduling.selectors.promised import promises, promises_stamp

MOST_LESSONS = 64


@dataclass(frozen=True, slots=True)
class Lessons:
    """What an organisation's finished jobs with deadlines teach, as of `stamp`."""

    stamp: int
    experience: Experience = field(default_factory=Experience)
    trust: Trust = field(default_factory=Trust)
    runs: Counter[Kind] = field(default_factory=Counter)


#: Learned once until another job with a deadline ends; a lost entry is learned again.
_lessons: dict[UUID, Lessons] = {}


def lessons_of(organisation_id: UUID, *, now_ms: int) -> Lessons:
    """What is known now. An outcome counts for trust when its deadline is past: early news is good news."""
    stamp = promises_stamp(organisation_id)
    known = _lessons.get(organisation_id)
    if known is not None and known.stamp == stamp:
        return known
    learned = Lessons(stamp)
    for past in promises(organisation_id):
        if past.lasted_ms is not None:
            learned.experience.finished(past.kind, past.lasted_ms, past.allowed_ms)
            learned.runs[past.kind] += 1
        if past.promised is not None and past.deadline_ms <= now_ms:
            learned.trust.ended(past.promised, past.was_kept)
    if len(_lessons) >= MOST_LESSONS:
        _lessons.clear()
    _lessons[organisation_id] = learned
    return learned


class Evidence:
    """Reads once, remembers while it lives. `models` says of devices that are known anyway what they are."""

    def __init__(self, *, now_ms: int, models: Mapping[str, str] | None = None) -> None:
        self._now_ms = now_ms
        self._models: dict[str, str] = dict(models or {})
        self._runs: dict[tuple[UUID, Kind], Mapping[str, Sequence[int]]] = {}
        self._lessons: dict[UUID, Lessons] = {}
        self._capabilities: dict[frozenset[str], dict[str, dict[str, float]]] = {}

    def runs(self, organisation_id: UUID, kind: Kind) -> Mapping[str, Sequence[int]]:
        """Durations of earlier successes, by model."""
        key = organisation_id, kind
        if key not in self._runs:
            self._runs[key] = runs_by_model(organisation_id, kind)
        return self._runs[key]

    def lessons(self, organisation_id: UUID) -> Lessons:
        """What jobs with deadlines taught."""
        if organisation_id not in self._lessons:
            self._lessons[organisation_id] = lessons_of(organisation_id, now_ms=self._now_ms)
        return self._lessons[organisation_id]

    def model(self, device: str) -> str:
        """What the device is; "" when nobody knows it."""
        if device not in self._models:
            self._models[device] = models_of([device]).get(device, "")
        return self._models[device]

    def capabilities(self, models: Collection[str]) -> dict[str, dict[str, float]]:
        """What binds a job on each of them."""
        key = frozenset(models)
        if key not in self._capabilities:
            self._capabilities[key] = capabilities_of(models)
        return self._capabilities[key]
