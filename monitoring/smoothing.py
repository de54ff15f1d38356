"""Over how long is a jagged figure averaged when people look at it? By kind of device and of work; pure.

A long training run is read as a trend, an endpoint second by second. What is smoothed is only what is
shown: the ledger and the alerts rest on the windows as they came (an import fence keeps costing away).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Smoothing:
    """`samples` means of `sampling_ms` each; one sample is the window itself, unsmoothed."""

    sampling_ms: int
    samples: int

    @property
    def window_ms(self) -> int:
        """What one shown figure rests on at most."""
        return self.sampling_ms * self.samples


@dataclass(frozen=True, slots=True)
class Sample:
    """A mean over [start_ms, end_ms)."""

    start_ms: int
    end_ms: int
    value: float


TRAINING, INFERENCE = Smoothing(5_000, 10), Smoothing(1_000, 1)
#: A drive answers in bursts by nature: half the window shows them, and still calms the line.
RULES: Mapping[tuple[str, str], Smoothing] = {("storage", "training"): Smoothing(5_000, 5)}


def rule_for(device_type: str, mode: str) -> Smoothing:
    """The rule of a kind of device under one mode of a profile; work of no known mode is shown like training."""
    return RULES.get((device_type, mode), INFERENCE if mode == "inference" else TRAINING)


def smoothed(samples: Sequence[Sample], rule: Smoothing) -> list[Sample]:
    """Each sample becomes the mean over time of the rule's window up to its end. A gap is never averaged over."""
    if rule.samples <= 1:
        return list(samples)
    found, first = list[Sample](), 0
    for index, sample in enumerate(samples):
        if index and _is_gap(samples[index - 1], sample):
            first = index
        since = sample.end_ms - rule.window_ms
        while samples[first].end_ms <= since:
            first += 1
        found.append(Sample(sample.start_ms, sample.end_ms, _mean(samples[first : index + 1], since)))
    return found


def _is_gap(before: Sample, after: Sample) -> bool:
    return after.start_ms - before.end_ms > 2 * (after.end_ms - after.start_ms)


def _mean(samples: Sequence[Sample], since_ms: int) -> float:
    """The mean over time of what lies after `since_ms`."""
    lengths = [sample.end_ms - max(sample.start_ms, since_ms) for sample in samples]
    return sum(s.value * length for s, length in zip(samples, lengths, strict=True)) / sum(lengths)
