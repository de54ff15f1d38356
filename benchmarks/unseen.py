"""How far off is a forecast for a class of device from runs on the two others?

Capabilities are the published FP32 TFLOPS and memory GB/s of one K80 die, a P100 PCIe and a V100
SXM2 16 GB (hardware knowledge base). Neighbours: the other job types' own runs on the target.
"""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np

from benchmarks.gavel_data import CLASSES, Measured
from scheduling.crater.roofline import Capability, Neighbour, borrowed, transferred

DEVICES: Mapping[str, Capability] = {
    "k80": {"fp32_tflops": 4.11, "memory_gbps": 240.6},
    "p100": {"fp32_tflops": 9.53, "memory_gbps": 732.2},
    "v100": {"fp32_tflops": 15.7, "memory_gbps": 900.0},
}
#: The two known classes as column numbers, the one nearer to the target in capability last.
OTHERS = {"v100": (2, 1), "p100": (2, 0), "k80": (0, 1)}


def unseen_errors(measured: Measured) -> dict[str, Any]:
    """Median and 90 % quantile of the relative error, over all types and targets, and for each target."""
    by_target = {target: _errors(measured, target) for target in CLASSES}
    plain = [error for errors, _ in by_target.values() for error in errors]
    helped = [error for _, errors in by_target.values() for error in errors]
    each = {t: {"capabilities": _summary(a), "neighbours": _summary(b)} for t, (a, b) in by_target.items()}
    return {"capabilities": _summary(plain), "neighbours": _summary(helped), "by_target": each}


def _errors(measured: Measured, target: str) -> tuple[list[float], list[float]]:
    times = 1 / measured.alone
    to, (first, second) = CLASSES.index(target), OTHERS[target]
    plain: list[float] = []
    helped: list[float] = []
    for job, name in enumerate(measured.types):
        runs = {CLASSES[i]: float(times[job, i]) for i in (first, second)}
        guess = transferred(runs, DEVICES, target)
        others = [
            Neighbour(log(t[first] / t[second]), log(t[to] / t[second]), _family(measured.types[i]))
            for i, t in enumerate(times)
            if i != job
        ]
        ratio = log(times[job, first] / times[job, second])
        near = borrowed(float(times[job, second]), ratio, others, _family(name))
        for found, errors in ((guess, plain), (near, helped)):
            if found is not None:
                errors.append(abs(found / float(times[job, to]) - 1))
    return plain, helped


def _family(name: str) -> str:
    return name.split(" (")[0]


def _summary(errors: list[float]) -> dict[str, float]:
    median, p90 = np.quantile(errors, [0.5, 0.9])
    return {"median": round(float(median), 3), "p90": round(float(p90), 3)}
