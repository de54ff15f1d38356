"""How long on hardware where this job never ran?

Two answers, both from runs elsewhere. `transferred` needs only capabilities: time falls with the
capability that binds, and how strongly is read from the job itself where it ran on two kinds of
device: its elasticity, held between 0 (the device does not matter) and 1 (proportional). Two kinds
are weak evidence, so half of the answer stays the plain proportional one. With one kind known the
slower of the two capabilities decides. `borrowed`
also looks at other jobs that did run on the target: the nearer their ratio between the known
devices, the more their step to the target counts.

Capabilities are positive numbers in one unit each for all devices (TFLOPS, GB/s, ...). Durations in ms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, prod

from scheduling.crater.forecast import quantiles
from scheduling.crater.model import Runtime

Capability = Mapping[str, float]
BELIEF = 0.5  # weight of the job's own elasticity beside plain proportion
NEAR = 0.25  # difference of log ratios at which a neighbour's voice falls to 1 / e
KIN = 5.0  # how much louder a job of the same family speaks
SPREAD = 1.6  # 90 % quantile over the median of a transferred duration, beside the job's own spread


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another job's log ratios: between the two known devices, and from the known one to the target."""

    known: float
    onward: float
    family: str = ""


def transferred(runs: Mapping[str, float], devices: Mapping[str, Capability], target: str) -> float | None:
    """Predicted duration on `target` from durations on other devices; None when nothing is comparable."""
    known = [name for name in sorted(runs) if name in devices and name != target and runs[name] > 0]
    if not known or target not in devices:
        return None
    nearest = min(known, key=lambda name: (abs(log(_strength(devices[name]) / _strength(devices[target]))), name))
    if len(known) == 1:
        return runs[nearest] * _slowest(devices[nearest], devices[target])
    step = log(_strength(devices[nearest]) / _strength(devices[target]))
    return runs[nearest] * exp(step * (BELIEF * _elasticity(runs, devices, known) + 1 - BELIEF))


def borrowed(base: float, ratio: float, neighbours: Sequence[Neighbour], family: str = "") -> float | None:
    """Predicted duration on the target: `base` on a known device, `ratio` the job's log ratio between known ones."""
    weights = [exp(-abs(n.known - ratio) / NEAR) * (KIN if n.family == family and family else 1.0) for n in neighbours]
    total = sum(weights)
    if total <= 0:
        return None
    return base * exp(sum(w * n.onward for w, n in zip(weights, neighbours, strict=True)) / total)


def as_runtime(predicted_ms: float, spread: float = SPREAD) -> Runtime:
    """A transferred duration as a forecast: wider than one from history, and labelled."""
    return Runtime(max(1, round(predicted_ms)), max(1, round(predicted_ms * spread)), "roofline")


def runtime_on(target: str, history: Mapping[str, Sequence[int]], devices: Mapping[str, Capability]) -> Runtime | None:
    """What the next run on `target` will take: own history there, else transferred from elsewhere; None without any.

    `history` maps a device model to durations (ms) of this job on it.
    """
    here = quantiles(history.get(target, ()))
    if here is not None:
        return here
    known = {name: found for name, runs in history.items() if (found := quantiles(runs)) is not None}
    predicted = transferred({name: float(found.p50_ms) for name, found in known.items()}, devices, target)
    if predicted is None:
        return None
    return as_runtime(predicted, SPREAD * max(r.p90_ms / r.p50_ms for r in known.values()))


def _strength(device: Capability) -> float:
    """The geometric mean of a device's capabilities."""
    return prod(device.values()) ** (1 / len(device))


def _slowest(here: Capability, there: Capability) -> float:
    """Time there over time here when the capability that falls most behind decides."""
    return max(here[name] / there[name] for name in here if name in there)


def _elasticity(runs: Mapping[str, float], devices: Mapping[str, Capability], known: Sequence[str]) -> float:
    """By which power of strength the job's time falls between its weakest and strongest known device."""
    line = sorted(known, key=lambda name: (_strength(devices[name]), name))
    weak, strong = line[0], line[-1]
    gain = log(_strength(devices[strong]) / _strength(devices[weak]))
    return min(1.0, max(0.0, log(runs[weak] / runs[strong]) / gain)) if gain > 0 else 1.0
