"""When is how much free? A step function of future free units, and the earliest place for a block.

Units are whole interchangeable things (GPUs of one class). Times are ms. A Calendar is mutable
planning scratch: copy it to try something out. Admission asks it whether a deadline can be met
beside all promises already given.
"""

from bisect import bisect_left, bisect_right


class Calendar:
    """Free units over time: `times[i]` to `times[i + 1]` has `free[i]`; the last step lasts for ever."""

    __slots__ = ("free", "times")

    def __init__(self, now_ms: int, units: int) -> None:
        self.times, self.free = [now_ms], [units]

    def copy(self) -> "Calendar":
        """An independent calendar."""
        twin = Calendar(0, 0)
        twin.times, twin.free = self.times.copy(), self.free.copy()
        return twin

    def forget_before(self, now_ms: int) -> None:
        """Drop what is past; the current step begins now."""
        index = bisect_right(self.times, now_ms) - 1
        if index > 0:
            del self.times[:index], self.free[:index]
        self.times[0] = max(self.times[0], now_ms)

    def earliest(self, units: int, lasting_ms: int, latest_ms: int) -> int | None:
        """The first start, no later than `latest_ms`, with `units` free throughout; None when there is none."""
        times, free = self.times, self.free
        start, index, last = times[0], 0, len(times) - 1
        while start <= latest_ms:
            ends = start + lasting_ms
            while free[index] >= units:
                if index == last or times[index + 1] >= ends:
                    return start
                index += 1
            if index == last:
                return None
            index += 1
            start = times[index]
        return None

    def take(self, units: int, start_ms: int, ends_ms: int) -> None:
        """Book a block; giving back is taking a negative number."""
        if ends_ms <= start_ms:
            return
        first, after = self._cut(start_ms), self._cut(ends_ms)
        for index in range(first, after):
            self.free[index] -= units

    def _cut(self, at_ms: int) -> int:
        """The index of the step that begins at this instant, made if need be."""
        index = bisect_left(self.times, at_ms)
        if index == len(self.times) or self.times[index] != at_ms:
            self.times.insert(index, at_ms)
            self.free.insert(index, self.free[index - 1])
        return index
