"""Half-open spans of UTC milliseconds: [start_ms, end_ms)."""

from dataclasses import dataclass

HOUR_MS = 3_600_000
DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A span that includes its start and excludes its end; never empty or reversed."""

    start_ms: int
    end_ms: int

    def __post_init__(self) -> None:
        if self.end_ms <= self.start_ms:
            raise ValueError(f"empty interval [{self.start_ms}, {self.end_ms})")

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.start_ms

    def overlap_ms(self, other: "Interval") -> int:
        """How many milliseconds both spans share."""
        return max(0, min(self.end_ms, other.end_ms) - max(self.start_ms, other.start_ms))

    def hours(self) -> list["Interval"]:
        """The span cut at UTC hours, in order."""
        first = self.start_ms // HOUR_MS * HOUR_MS
        return [
            Interval(max(self.start_ms, hour), min(self.end_ms, hour + HOUR_MS))
            for hour in range(first, self.end_ms, HOUR_MS)
        ]
