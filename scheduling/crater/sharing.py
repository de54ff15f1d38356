"""Which two jobs share one device, when that serves both together better than apart?

A local search over an allotment (allot.py): the best single change is made until none gains.
A change puts a job that is alone (or waits) beside another that is alone, or gives a job a free
slot of its own. Pair speeds are measured or predicted; a pair with a zero speed does not fit.

Shapes: worth (jobs, classes); together (classes, jobs, jobs): worth of the first job beside the
second; allotment and mates (jobs,), -1 waits or is alone.
"""

from dataclasses import dataclass

import numpy as np

from scheduling.crater.moves import Floats, Ints

ALONE = -1
LEAST = 1e-9
CHANGES = 200  # a bound far above what is seen; the search is cut off there


@dataclass(slots=True)
class Shared:
    """An allotment with pairs; `free` slots per class. Changed in place by the search."""

    chosen: Ints
    mates: Ints
    free: Ints


def share(worth: Floats, together: Floats, state: Shared) -> None:
    """Improve `state` until no single change gains."""
    for _ in range(CHANGES):
        present = _present(worth, together, state)
        joining, join = _best_join(together, state, present)
        leaving, leave = _best_solo(worth, state, present)
        if max(joining, leaving) <= LEAST:
            return
        if joining >= leaving:
            _join(join, state)
        else:
            _solo(leave, state)


def _present(worth: Floats, together: Floats, state: Shared) -> Floats:
    """What each job is worth where it is now."""
    jobs = np.arange(len(worth))
    present = np.where(state.chosen >= 0, worth[jobs, np.maximum(state.chosen, 0)], 0.0)
    paired = np.flatnonzero(state.mates >= 0)
    present[paired] = together[state.chosen[paired], paired, state.mates[paired]]
    return present


def _best_join(together: Floats, state: Shared, present: Floats) -> tuple[float, tuple[int, int]]:
    """The best (host, guest): both alone, the host on a device."""
    guests = np.flatnonzero(state.mates == ALONE)
    hosts = guests[state.chosen[guests] >= 0]
    if not len(hosts) or len(guests) < 2:
        return 0.0, (0, 0)
    classes, rows, columns = state.chosen[hosts][:, None], hosts[:, None], guests[None, :]
    as_guest, as_host = together[classes, columns, rows], together[classes, rows, columns]
    gain = as_guest + as_host - present[hosts][:, None] - present[guests][None, :]
    gain[(as_guest <= 0) | (as_host <= 0) | (rows == columns)] = -1.0
    best = int(gain.argmax())
    return float(gain.flat[best]), (int(hosts[best // len(guests)]), int(guests[best % len(guests)]))


def _best_solo(worth: Floats, state: Shared, present: Floats) -> tuple[float, tuple[int, int]]:
    """The best (job, class with a free slot); the mate left behind gains too."""
    classes = np.flatnonzero(state.free > 0)
    if not len(classes) or not len(worth):
        return 0.0, (0, 0)
    relief = np.zeros(len(worth))
    paired = np.flatnonzero(state.mates >= 0)
    mates = state.mates[paired]
    relief[paired] = worth[mates, state.chosen[paired]] - present[mates]
    gain = worth[:, classes] - present[:, None] + relief[:, None]
    gain[worth[:, classes] <= 0] = -1.0
    best = int(gain.argmax())
    return float(gain.flat[best]), (best // len(classes), int(classes[best % len(classes)]))


def _join(pair: tuple[int, int], state: Shared) -> None:
    host, guest = pair
    if state.chosen[guest] >= 0:
        state.free[state.chosen[guest]] += 1
    state.chosen[guest] = state.chosen[host]
    state.mates[guest], state.mates[host] = host, guest


def _solo(way: tuple[int, int], state: Shared) -> None:
    job, where = way
    mate = state.mates[job]
    if mate >= 0:
        state.mates[mate] = state.mates[job] = ALONE
    elif state.chosen[job] >= 0:
        state.free[state.chosen[job]] += 1
    state.chosen[job] = where
    state.free[where] -= 1
