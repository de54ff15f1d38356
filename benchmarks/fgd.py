"""Fragmentation gradient descent, as published: the strongest baseline.

A node's fragmentation is what the typical pods cannot use of its free GPUs; a pod goes where it
raises that least. The published score is an integer (100 times a sigmoid), and ties go to the
first node: both are part of its result. Scores are kept per (shape, node) and renewed where a
node changed, so that its speed compares like with like.
"""

from collections import Counter

import numpy as np
import numpy.typing as npt

from benchmarks.baselines import World, book, fits, left
from benchmarks.openb import Ints, Trace
from scheduling.crater.compiled import jit

Shape = tuple[int, int, int, tuple[str, ...]]  # cores, thousandths, GPUs, models
Typical = tuple[Ints, npt.NDArray[np.float64]]
COVERED = 0.95


def typical(trace: Trace) -> Typical:
    """Rows (cpu, gpus, milli, shape) of the most frequent pods that make 95 %, and their weights."""
    counts: Counter[Shape] = Counter()
    example: dict[Shape, int] = {}
    for number, (pod, weight) in enumerate(zip(trace.shapes, trace.weights, strict=True)):
        key = (pod.cpu, pod.milli, pod.gpus, pod.allowed)
        counts[key] += weight
        example.setdefault(key, number)
    rows, weights, covered = [], [], 0
    for key, count in counts.most_common():
        if covered >= COVERED * len(trace.pods):
            break
        pod = trace.shapes[example[key]]
        rows.append((pod.cpu, pod.gpus, pod.milli, example[key]))
        weights.append(count)
        covered += count
    return np.array(rows, dtype=np.int64), np.array(weights) / sum(weights)


@jit
def fragmentation(w: World, node: int, rows: Ints, weights: npt.NDArray[np.float64]) -> float:
    """Expected GPU thousandths that a typical pod cannot use."""
    total, spare = 0.0, left(w, node)
    for m in range(rows.shape[0]):
        cpu, gpus, milli = rows[m, 0], rows[m, 1], rows[m, 2]
        fitting, small = 0, 0
        for g in range(w.gpu.shape[1]):
            free = w.gpu[node, g]
            if free >= milli:
                fitting += 1
            elif free > 0:
                small += free
        wrong = gpus == 0 or w.cpu[node] < cpu or fitting < gpus or not w.allowed[rows[m, 3], w.model[node]]
        total += weights[m] * (spare if wrong else small)
    return total


@jit
def gradient(w: World, at: tuple[int, int], before: float, rows: Ints, weights: npt.NDArray[np.float64]) -> int:
    """100 * best integer score + 9 - its device (-1: whole devices); -1 when the pod does not fit."""
    node, shape = at
    if not fits(w, node, shape):
        return -1
    gpus, milli = w.pods[shape, 2], w.pods[shape, 3]
    shared = gpus == 1 and milli < 1000
    best, kept = -1, w.gpu[node].copy()
    w.cpu[node] -= w.pods[shape, 0]
    seen = -1
    for g in range(w.gpu.shape[1] if shared else 1):
        if shared:
            if kept[g] < milli or kept[g] == seen:
                continue
            seen = kept[g]
            w.gpu[node, g] -= milli
        else:
            taken = 0
            for d in range(w.gpu.shape[1]):
                if taken < gpus and kept[d] == 1000:
                    w.gpu[node, d] = 0
                    taken += 1
        after = fragmentation(w, node, rows, weights)
        points = int(100.0 / (1.0 + np.exp(-(before - after) / 1000.0)))
        best = max(best, points * 100 + 9 - (g if shared else -1))
        w.gpu[node, :] = kept
    w.cpu[node] += w.pods[shape, 0]
    return best


@jit
def fgd_run(w: World, shapes: Ints, typical: Typical, cache: tuple[Ints, Ints], placed: npt.NDArray[np.bool_]) -> None:
    """One stream under FGD; `cache` is (score by shape and node, log position by shape)."""
    rows, weights = typical
    scores, seen = cache
    nodes = w.cpu.shape[0]
    log = np.zeros(shapes.shape[0], dtype=np.int64)
    frag = np.array([fragmentation(w, n, rows, weights) for n in range(nodes)])
    end = 0
    for i in range(shapes.shape[0]):
        shape = shapes[i]
        if seen[shape] < 0 or end - seen[shape] > nodes:
            for n in range(nodes):
                scores[shape, n] = gradient(w, (n, shape), frag[n], rows, weights)
        else:
            for entry in range(seen[shape], end):
                n = log[entry]
                scores[shape, n] = gradient(w, (n, shape), frag[n], rows, weights)
        seen[shape] = end
        node, top = -1, -1
        for n in range(nodes):
            points = scores[shape, n] // 100
            if scores[shape, n] >= 0 and points > top:
                node, top = n, points
        placed[i] = node >= 0
        if node >= 0:
            device = 9 - scores[shape, node] % 100
            book(w, node, shape, device)
            frag[node] = fragmentation(w, node, rows, weights)
            log[end] = node
            end += 1
