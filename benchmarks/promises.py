"""Are promised probabilities kept, when durations are known only from finished jobs?

One pass over a trace under least slack with p90 durations, one reserved head and backfill, no
preemption; late jobs run to their end, last in line. At submission each job is promised a probability from
Experience (finished jobs only) and an estimated wait, corrected by Trust (deadlines already past
only). Iteration counts, which would give durations away in these traces, are not looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from benchmarks.cases import Case
from benchmarks.elasticflow import DeadlineJob
from scheduling.crater.experience import Experience
from scheduling.crater.trust import Trust

SCANNED = 60  # waiting jobs looked at per event
OVERDUE_MS = 60_000  # a run longer than believed is taken to end this soon
NEVER_MS = 1 << 62


@dataclass
class Replay:
    """The state of one pass."""

    jobs: Sequence[DeadlineJob]
    free: int
    experience: Experience = field(default_factory=Experience)
    trust: dict[bool, Trust] = field(default_factory=lambda: {False: Trust(), True: Trust()})
    cases: list[Case] = field(default_factory=list)
    waiting: list[tuple[tuple[int, str], int]] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    running: list[tuple[int, int]] = field(default_factory=list)
    judged: list[tuple[int, int]] = field(default_factory=list)  # (deadline, case) not yet past

    def run(self) -> list[Case]:
        """Every case in the order of arrival."""
        index = 0
        while index < len(self.jobs) or self.running:
            arrives = self.jobs[index].arrive_ms if index < len(self.jobs) else NEVER_MS
            now_ms = min(arrives, self.running[0][0] if self.running else NEVER_MS)
            self._end(now_ms)
            self._judge(now_ms)
            while index < len(self.jobs) and self.jobs[index].arrive_ms <= now_ms:
                self._arrive(self.jobs[index], now_ms)
                index += 1
            self._start(now_ms)
        return self.cases

    def _end(self, now_ms: int) -> None:
        while self.running and self.running[0][0] <= now_ms:
            case = self.cases[heappop(self.running)[1]]
            case.ended_ms, job = now_ms, case.job
            self.free += job.units
            self.experience.finished(job.units, job.lasts_ms, job.allowed_ms)

    def _judge(self, now_ms: int) -> None:
        """An outcome counts once its deadline is past, kept or not: else early news would be good news."""
        while self.judged and self.judged[0][0] < now_ms:
            case = self.cases[heappop(self.judged)[1]]
            if case.raw is not None:
                self.trust[case.must_wait].ended(case.raw, case.kept)

    def _arrive(self, job: DeadlineJob, now_ms: int) -> None:
        believed = self.experience.runtime(job.units, job.allowed_ms)
        p50_ms, p90_ms = (believed.p50_ms, believed.p90_ms) if believed else (job.allowed_ms, job.allowed_ms)
        case = Case(job, p50_ms, p90_ms)
        wait_ms = self._wait_ms(case, now_ms)
        case.must_wait = wait_ms > 0
        case.raw = self.experience.chance(job.units, job.allowed_ms, job.allowed_ms - wait_ms)
        trust = self.trust[case.must_wait]
        case.promised = trust.of(case.raw) if case.raw is not None and trust.is_fitted else None
        self.cases.append(case)
        heappush(self.waiting, (case.turn, len(self.cases) - 1))
        heappush(self.judged, (job.deadline_ms, len(self.cases) - 1))

    def _wait_ms(self, case: Case, now_ms: int) -> int:
        """Until running jobs, at their believed medians, have made room for those before it and itself."""
        ahead = sum(self.cases[index].job.units for turn, index in self.waiting if turn <= case.turn)
        free = self.free - ahead
        if free >= case.job.units:
            return 0
        for ends_ms, units in self._ends(now_ms, is_late=False):
            free += units
            if free >= case.job.units:
                return ends_ms - now_ms
        return case.job.allowed_ms

    def _ends(self, now_ms: int, *, is_late: bool) -> list[tuple[int, int]]:
        """(believed end, devices) of running jobs, first ends first."""
        found = []
        for _, index in self.running:
            case = self.cases[index]
            lasts_ms = case.p90_ms if is_late else case.p50_ms
            found.append((max((case.started_ms or 0) + lasts_ms, now_ms + OVERDUE_MS), case.job.units))
        return sorted(found)

    def _start(self, now_ms: int) -> None:
        passed: list[tuple[tuple[int, str], int]] = []
        shadow: tuple[int, int] | None = None  # when the head starts, and what is spare beside it
        while self.waiting and self.free and len(passed) < SCANNED:
            entry = heappop(self.waiting)
            case = self.cases[entry[1]]
            if now_ms + case.p50_ms > case.job.deadline_ms:
                self.late.append(entry[1])
            elif case.job.units <= self.free and _may_start(case, now_ms, shadow):
                if shadow and now_ms + case.p90_ms > shadow[0]:
                    shadow = shadow[0], shadow[1] - case.job.units
                self._launch(entry[1], now_ms)
            else:
                shadow = shadow or self._shadow(case, now_ms)
                passed.append(entry)
        for entry in passed:
            heappush(self.waiting, entry)
        if shadow is None:
            while self.late and self.cases[self.late[0]].job.units <= self.free:
                self._launch(self.late.pop(0), now_ms)

    def _launch(self, index: int, now_ms: int) -> None:
        case = self.cases[index]
        case.started_ms = now_ms
        self.free -= case.job.units
        heappush(self.running, (now_ms + case.job.lasts_ms, index))

    def _shadow(self, head: Case, now_ms: int) -> tuple[int, int]:
        free = self.free
        for ends_ms, units in self._ends(now_ms, is_late=True):
            free += units
            if free >= head.job.units:
                return ends_ms, free - head.job.units
        return NEVER_MS, 0


def _may_start(case: Case, now_ms: int, shadow: tuple[int, int] | None) -> bool:
    return shadow is None or now_ms + case.p90_ms <= shadow[0] or case.job.units <= shadow[1]
