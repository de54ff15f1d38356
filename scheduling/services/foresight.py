"""How long will it take on the devices it would get, and how sure is it to be in time?

Own runs on such a device come first; own runs elsewhere are transferred by the roofline; code that never ran is
believed to behave like the organisation's other jobs with such deadlines; else a stated guess. Probabilities are
corrected by how often equal promises were kept, once enough outcomes are known (crater/trust.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scheduling.crater.experience import FEW
from scheduling.crater.forecast import COLD_START, on_time, quantiles
from scheduling.crater.model import Pick, Runtime
from scheduling.crater.roofline import runtime_on
from scheduling.models import Job
from scheduling.selectors.history import carrier, kind_of
from scheduling.services.evidence import Evidence, Lessons

EXPERIENCE = "experience"


@dataclass(frozen=True, slots=True)
class Chance:
    """Probability of being in time: as computed, and as outcomes correct it."""

    raw: float
    believed: float
    calibrated: bool


class Foresight:
    """What can be said of one job before it runs."""

    def __init__(self, job: Job, *, now_ms: int, evidence: Evidence | None = None) -> None:
        self.job, self.now_ms, self.kind = job, now_ms, kind_of(job)
        self.evidence = Evidence(now_ms=now_ms) if evidence is None else evidence
        self.runs: Mapping[str, Sequence[int]] = self.evidence.runs(job.organisation_id, self.kind)
        self.lessons = self.evidence.lessons(job.organisation_id) if job.deadline_ms is not None else Lessons(0)
        self.allowed_ms = max(1, (job.deadline_ms or now_ms) - now_ms)

    def runtime(self, picks: Sequence[Pick]) -> Runtime:
        """Duration quantiles on these devices; nothing runs longer than its own limit."""
        found, limit_ms = self._runtime(picks), self.job.timeout_ms
        return replace(found, p50_ms=min(found.p50_ms, limit_ms), p90_ms=min(found.p90_ms, limit_ms))

    def _runtime(self, picks: Sequence[Pick]) -> Runtime:
        if not self.runs:
            return self._unknown()
        device = carrier([{"type": pick.type, "device": pick.device} for pick in picks])
        model = self.evidence.model(device)
        if self._is_experienced(model):
            return self.lessons.experience.runtime(self.kind, self.allowed_ms) or COLD_START
        if model in self.runs:
            return quantiles(self.runs[model]) or COLD_START
        return self._elsewhere(model)

    def chance(self, runtime: Runtime, start_ms: int) -> Chance | None:
        """Of ending by the deadline when started at that instant; None without a deadline."""
        if self.job.deadline_ms is None:
            return None
        left_ms = self.job.deadline_ms - start_ms
        raw = on_time(runtime, left_ms)
        if runtime.source == EXPERIENCE or (runtime.source == "history" and self._is_experienced(*self.runs)):
            raw = self.lessons.experience.chance(self.kind, self.allowed_ms, left_ms) or 0.0
        trust = self.lessons.trust
        return Chance(raw, trust.of(raw), trust.is_fitted)

    def _is_experienced(self, *models: str) -> bool:
        """Enough own runs with deadlines, all on one model of device, and that is this one."""
        return self.lessons.runs[self.kind] >= FEW and len(models) == 1 and set(self.runs) == set(models)

    def _elsewhere(self, model: str) -> Runtime:
        """Runs on other hardware only: by the roofline where capabilities can be compared, else as they are."""
        transferred = runtime_on(model, self.runs, self.evidence.capabilities([model, *self.runs]))
        return transferred or quantiles([ms for runs in self.runs.values() for ms in runs]) or COLD_START

    def _unknown(self) -> Runtime:
        """It never ran: like others with such deadlines, when there are enough of them."""
        if self.job.deadline_ms is None or self.lessons.runs.total() < FEW:
            return COLD_START
        found = self.lessons.experience.runtime(self.kind, self.allowed_ms)
        return Runtime(found.p50_ms, found.p90_ms, EXPERIENCE) if found else COLD_START
