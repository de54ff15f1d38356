"""Can this deadline be promised beside everything already promised?

A Docket holds promised jobs that have not started, on a Calendar of one class of devices. A new
job is promised if some way to run it (devices, duration) lets every promise be kept when all of
them are planned again in the order of their deadlines. Ways are tried cheapest first in device
time, so a job gets no more devices than its deadline needs. Durations are upper bounds: with
exact ones no promise is ever broken; with quantiles as often as these are exceeded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scheduling.crater.calendar import Calendar
from scheduling.crater.promise import Promise, Way

ENDLESS_MS = 1 << 62


class Docket:
    """All promises on `units` interchangeable devices."""

    def __init__(self, now_ms: int, units: int) -> None:
        self._units, self._calendar = units, Calendar(now_ms, units)
        self.pending: list[Promise] = []  # not started

    def advance(self, now_ms: int) -> list[Promise]:
        """Start what is due; returns the promises that began."""
        due = [p for p in self.pending if p.start_ms <= now_ms]
        self.pending = [p for p in self.pending if p.start_ms > now_ms]
        for promise in due:
            self._calendar.take(promise.way.units, promise.start_ms, promise.ends_ms)
        self._calendar.forget_before(now_ms)
        return due

    def ask(self, job: str, deadline_ms: int, ways: Iterable[Way]) -> Promise | None:
        """The promise, already on the docket; None when no way lets every promise be kept."""
        now_ms = self._calendar.times[0]
        for way in sorted(ways, key=lambda w: w.cost):
            if way.units > self._units or now_ms + way.lasts_ms > deadline_ms:
                continue
            plan = self._planned([*self.pending, Promise(job, deadline_ms, way)])
            if plan is not None:
                self.pending = plan
                return next(p for p in plan if p.job == job)
        return None

    def broken_by(self, job: str, deadline_ms: int, ways: Iterable[Way]) -> int | None:
        """How many promises would break if the job went before all that wait; None when it misses even so.

        The least over its ways. 0 means that a refusal was needless.
        """
        counts = [self._broken(Promise(job, deadline_ms, way)) for way in ways if way.units <= self._units]
        return min((count for count in counts if count is not None), default=None)

    def _broken(self, first: Promise) -> int | None:
        calendar = self._calendar.copy()
        start = calendar.earliest(first.way.units, first.way.lasts_ms, first.deadline_ms - first.way.lasts_ms)
        if start is None:
            return None
        calendar.take(first.way.units, start, start + first.way.lasts_ms)
        broken = 0
        for promise in sorted(self.pending, key=_urgency):
            begins = calendar.earliest(promise.way.units, promise.way.lasts_ms, ENDLESS_MS) or 0
            calendar.take(promise.way.units, begins, begins + promise.way.lasts_ms)
            broken += begins + promise.way.lasts_ms > promise.deadline_ms
        return broken

    def _planned(self, promises: Sequence[Promise]) -> list[Promise] | None:
        """Every promise with a start that keeps it, or None."""
        calendar, plan = self._calendar.copy(), []
        for promise in sorted(promises, key=_urgency):
            way = promise.way
            start = calendar.earliest(way.units, way.lasts_ms, promise.deadline_ms - way.lasts_ms)
            if start is None:
                return None
            calendar.take(way.units, start, start + way.lasts_ms)
            plan.append(replace(promise, start_ms=start))
        return plan


def _urgency(promise: Promise) -> tuple[int, str]:
    return promise.deadline_ms, promise.job
