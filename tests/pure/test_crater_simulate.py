"""Events in, outcomes out: nothing is lost, nothing is invented, and the same run repeats."""

from collections.abc import Mapping, Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.director import NEVER_MS, Change, Outcome, Task, World
from scheduling.crater.simulate import Simulation


class OneAtATime:
    """A single machine, first come first served; a new arrival may double the speed."""

    def __init__(self, speed: float = 1.0) -> None:
        self.queue: list[str] = []
        self.speed = speed

    def step(self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: World) -> Mapping[str, Change]:
        before = self.queue[:1]
        self.queue = [name for name in self.queue if name not in ended] + [task.name for task in arrived]
        return {name: Change(self.speed) for name in self.queue[:1] if [name] != before}

    def wake_ms(self, now_ms: int) -> int:
        return NEVER_MS


class Shared(OneAtATime):
    """Everyone runs, each at 1 / n: speeds change at every event."""

    def step(self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: World) -> Mapping[str, Change]:
        return {name: Change(1 / len(world.live)) for name in world.live}


tasks = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=8).map(
    lambda rows: [Task(f"t{i}", at, float(work)) for i, (at, work) in enumerate(rows)]
)


def ends(outcomes: Sequence[Outcome]) -> dict[str, int | None]:
    return {o.name: o.ends_ms for o in outcomes}


@given(tasks)
def test_one_machine_is_busy_whenever_there_is_work(found: list[Task]) -> None:
    free_ms = 0
    for outcome in Simulation(found, OneAtATime()).run():
        work = next(task.work for task in found if task.name == outcome.name)
        free_ms = max(free_ms, outcome.arrive_ms) + int(work)
        assert outcome.ends_ms == free_ms


@given(tasks, st.randoms(use_true_random=False))
def test_the_order_of_the_tasks_never_matters(found: list[Task], random: Random) -> None:
    shuffled = random.sample(found, len(found))
    assert Simulation(shuffled, OneAtATime()).run() == Simulation(found, OneAtATime()).run()


@settings(max_examples=50)
@given(tasks)
def test_sharing_finishes_everything_and_nothing_early(found: list[Task]) -> None:
    for outcome in Simulation(found, Shared()).run():
        work = next(task.work for task in found if task.name == outcome.name)
        assert outcome.ends_ms is not None and outcome.ends_ms >= outcome.arrive_ms + work
