"""What is promised: one way to run a job, and when (admission.py). Times in ms."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a job."""

    units: int
    lasts_ms: int

    @property
    def cost(self) -> tuple[int, int]:
        return self.units * self.lasts_ms, self.lasts_ms


@dataclass(frozen=True, slots=True)
class Promise:
    """A job that will start at `start_ms` and end by its deadline."""

    job: str
    deadline_ms: int
    way: Way
    start_ms: int = 0

    @property
    def ends_ms(self) -> int:
        return self.start_ms + self.way.lasts_ms
