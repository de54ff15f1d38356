"""What was believed of one job, and what came of it? The records of promises.py."""

from dataclasses import dataclass

from benchmarks.elasticflow import DeadlineJob


@dataclass(slots=True)
class Case:
    """One job with what was believed of it and what came of it."""

    job: DeadlineJob
    p50_ms: int
    p90_ms: int
    raw: float | None = None
    promised: float | None = None
    must_wait: bool = False
    started_ms: int | None = None
    ended_ms: int | None = None

    @property
    def kept(self) -> bool:
        return self.ended_ms is not None and self.ended_ms <= self.job.deadline_ms

    @property
    def turn(self) -> tuple[int, str]:
        return self.job.deadline_ms - self.p90_ms, self.job.name
