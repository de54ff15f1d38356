"""What happens when these jobs arrive at this cluster? Discrete events, no clock, no chance.

A Task brings work, in ms at speed 1. A Director is asked whenever something arrived, ended or a
time it named has come; it answers with the new speeds of tasks (0 waits). Between events progress
is linear. The director may be the real planner under a contention model (rehearse.py), an
allotment of device classes (allot.py) or a baseline: all see the same events, and the same tasks
and director always give the same outcome.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from math import ceil, inf

from scheduling.crater.director import NEVER_MS, BadTask, Change, Director, Live, Outcome, Task, World


class Simulation:
    """One run. `until` stops early once these tasks have ended (a measured window)."""

    def __init__(self, tasks: Iterable[Task], director: Director, until: Iterable[str] = ()) -> None:
        tasks = list(tasks)
        for task in tasks:
            if not 0 <= task.work < inf:
                raise BadTask(task.name, task.work)
        self._tasks = sorted(tasks, key=lambda task: (task.arrive_ms, task.name), reverse=True)
        self._director, self._until = director, set(until)
        self._is_windowed = bool(self._until)
        self._ends: list[tuple[int, str, int]] = []
        self.world = World()

    def run(self) -> tuple[Outcome, ...]:
        """Play to the end; outcomes in the order of arrival. Unfinished tasks come without an end."""
        while (now_ms := self._next_ms()) < NEVER_MS and not (self._is_windowed and not self._until):
            self.world.now_ms = now_ms
            ended, arrived = self._ended(now_ms), self._arrived(now_ms)
            for name, change in self._director.step(now_ms, arrived, ended, self.world).items():
                self._apply(name, change, now_ms)
        left = [Outcome(n, m.task.arrive_ms, m.start_ms, None, m.moves) for n, m in self.world.live.items()]
        return tuple(sorted((*self.world.done, *left), key=lambda o: (o.arrive_ms, o.name)))

    def _next_ms(self) -> int:
        while self._ends and not self._is_current(self._ends[0]):
            heappop(self._ends)
        ends = self._ends[0][0] if self._ends else NEVER_MS
        arrives = self._tasks[-1].arrive_ms if self._tasks else NEVER_MS
        return min(ends, arrives, self._director.wake_ms(self.world.now_ms))

    def _is_current(self, entry: tuple[int, str, int]) -> bool:
        _, name, version = entry
        return name in self.world.live and self.world.live[name].version == version

    def _ended(self, now_ms: int) -> list[str]:
        names = []
        while self._ends and self._ends[0][0] <= now_ms:
            entry = heappop(self._ends)
            if self._is_current(entry):
                mine = self.world.live.pop(entry[1])
                outcome = Outcome(entry[1], mine.task.arrive_ms, mine.start_ms, entry[0], mine.moves)
                self.world.done.append(outcome)
                self._until.discard(entry[1])
                names.append(entry[1])
        return names

    def _arrived(self, now_ms: int) -> list[Task]:
        tasks = []
        while self._tasks and self._tasks[-1].arrive_ms <= now_ms:
            task = self._tasks.pop()
            self.world.live[task.name] = Live(task, task.work, since_ms=now_ms)
            tasks.append(task)
        return tasks

    def _apply(self, name: str, change: Change, now_ms: int) -> None:
        mine = self.world.live[name]
        mine.left = min(mine.task.work, self.world.left(name) + change.lost)
        waits_ms = max(0, mine.since_ms - now_ms) if mine.speed > 0 else 0  # what is left of an earlier delay
        if change.delay_ms and mine.start_ms is not None:
            mine.moves += 1
        mine.since_ms = now_ms + max(waits_ms, change.delay_ms)
        mine.speed, mine.version = change.speed, mine.version + 1
        if change.speed > 0:
            mine.start_ms = now_ms if mine.start_ms is None else mine.start_ms
            ends_ms = mine.since_ms + ceil(mine.left / change.speed)
            heappush(self._ends, (max(ends_ms, now_ms + 1), name, mine.version))
