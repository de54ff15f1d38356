"""Delays, stops and windows of a simulation."""

from collections.abc import Mapping, Sequence

import pytest

from scheduling.crater.director import NEVER_MS, BadTask, Change, Task, World
from scheduling.crater.simulate import Simulation
from tests.pure.test_crater_simulate import OneAtATime, ends


def test_twice_the_speed_is_half_the_time() -> None:
    assert ends(Simulation([Task("a", 5, 100.0)], OneAtATime(2.0)).run()) == {"a": 55}


def test_a_window_ends_the_run_early() -> None:
    outcomes = Simulation([Task("a", 0, 5.0), Task("b", 100, 5.0)], OneAtATime(), until=["a"]).run()
    assert ends(outcomes) == {"a": 5}


def test_a_delay_passes_without_progress_and_a_stop_loses_work() -> None:
    assert ends(Simulation([Task("a", 0, 100.0)], Script({0: Change(1.0, 30)})).run()) == {"a": 130}
    stopped = {0: Change(1.0), 50: Change(0.0, 0, 20.0), 80: Change(1.0)}
    assert ends(Simulation([Task("a", 0, 100.0)], Script(stopped)).run()) == {"a": 150}


class Script(OneAtATime):
    """Says what it was told to say, at those times, of one task."""

    def __init__(self, lines: dict[int, Change]) -> None:
        super().__init__()
        self.lines = lines

    def step(self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: World) -> Mapping[str, Change]:
        return {"a": self.lines.pop(now_ms)} if now_ms in self.lines else {}

    def wake_ms(self, now_ms: int) -> int:
        return min(self.lines, default=NEVER_MS)


@pytest.mark.parametrize("work", [float("nan"), float("inf"), -1.0])
def test_impossible_work_is_refused(work: float) -> None:
    with pytest.raises(BadTask):
        Simulation([Task("a", 0, work)], OneAtATime())
