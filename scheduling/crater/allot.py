"""Which class of hardware serves which job, when some are faster on one and some on another?

`allot` maximises the total worth of jobs on classes with limited slots, exactly: any allotment
that is not best can be improved by moving jobs along a chain or round a cycle of classes, and with
at most MOST_CLASSES classes every such round can be looked at. It starts from the present one, so
little moves. `worth_of` is what serves short completion times: progress, more for jobs near their end.

Shapes: worth is (jobs, classes), 0 for "cannot run there"; an allotment is (jobs,), -1 waits.
"""

from itertools import pairwise

import numpy as np

from scheduling.crater.moves import MOST_CLASSES, Floats, Ints, TooManyClasses, improving_round

WAITS = -1
HASTE = 0.3  # 0: only progress counts; 1: shortest remaining time first. Chosen on seeds 11-12
SOON_H = 0.5  # remaining hours below this no longer add urgency


def worth_of(speed: Floats, left_h: Floats) -> Floats:
    """Worth of each job on each class: (jobs, classes) speeds, (jobs,) hours left on the best class."""
    return np.asarray(speed / speed.max(axis=1, keepdims=True) * ((left_h + SOON_H) ** -HASTE)[:, None])


def allot(worth: Floats, slots: Ints, now: Ints) -> Ints:
    """The allotment of greatest total worth; `now` is a feasible one to start from."""
    if (classes := worth.shape[1]) > MOST_CLASSES:
        raise TooManyClasses(classes)
    full = np.hstack([worth, np.zeros((len(worth), 1))])  # the last class is waiting
    chosen = np.where(now == WAITS, classes, now)
    free = slots - np.bincount(chosen, minlength=classes + 1)[:classes]
    while True:
        gain, mover = _best_moves(full, chosen, free)
        round_ = improving_round(gain)
        if round_ is None:
            return np.where(chosen == classes, WAITS, chosen)
        for start, end in pairwise(round_):
            _move(int(mover[start, end]), (start, end), chosen, free)


def _best_moves(full: Floats, chosen: Ints, free: Ints) -> tuple[Floats, Ints]:
    """For every pair of classes the best job to move, and what it gains; an empty slot may move for 0."""
    size = full.shape[1]
    gain, mover = np.full((size, size), -np.inf), np.full((size, size), -1)
    for start in range(size):
        jobs = np.flatnonzero(chosen == start)
        if len(jobs):
            change = full[jobs] - full[jobs, start][:, None]
            change[full[jobs] <= 0] = -np.inf  # cannot run there
            change[:, -1] = -full[jobs, start]
            best = change.argmax(axis=0)
            gain[start], mover[start] = change[best, np.arange(size)], jobs[best]
        if start == size - 1 or free[start] > 0:
            empty = gain[start] < 0
            gain[start][empty], mover[start][empty] = 0.0, -1
    return gain, mover


def _move(job: int, way: tuple[int, int], chosen: Ints, free: Ints) -> None:
    start, end = way
    waiting = len(free)
    if job >= 0:
        chosen[job] = end
        return
    if start < waiting:  # an empty slot moved: the other side of a chain that ends in free room
        free[start] -= 1
    if end < waiting:
        free[end] += 1
