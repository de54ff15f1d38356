"""How do refused shapes stand? What near.py answers, without machine code: many nodes at a time (verdicts.py).

Where nodes meet the same states again and again, shapes that were refused lately are watched
(watch.py), so that their next refusal need not look at what changed in the meantime.
"""

from typing import TYPE_CHECKING

import numpy as np

from scheduling.crater import near
from scheduling.crater.compiled import python
from scheduling.crater.kernels import Ints
from scheduling.crater.ranking import Ranked
from scheduling.crater.verdicts import Judge, judge_of, judged, tallied
from scheduling.crater.watch import Watch

if TYPE_CHECKING:
    from scheduling.crater.plain import Plain

#: Shapes that are watched at once.
MOST_WATCHED = 4
#: Answers remembered before starting over: bounds the memory of a long life.
MOST_KNOWN = 100_000


class Surveys:
    """The surveys of one board."""

    def __init__(self, plain: "Plain") -> None:
        self.plain = plain
        self.watched: dict[int, Watch] = {}
        self.forget()

    def forget(self) -> None:
        """Drop what is known of all shapes."""
        self.judges: dict[int, Judge] = {}
        self.tallies: dict[tuple[int, int, int], Ints] = {}
        self.forget_states()

    def forget_states(self) -> None:
        """Drop what is known by state: their numbers mean others now."""
        self.short: dict[tuple[int, int], tuple[int, ...]] = {}
        self.watched.clear()

    def watch(self, shape: int) -> None:
        """The shape was refused and may soon be so again."""
        if shape in self.watched or not self.plain.states.repeat:
            return
        if len(self.watched) >= MOST_WATCHED:
            del self.watched[next(iter(self.watched))]
        first, _ = self.plain.states.distinct()
        self.watched[shape] = Watch(self.plain, shape, (first, *self.judged(shape, first)))

    def unwatch(self, shape: int) -> None:
        """The shape was not refused for long."""
        self.watched.pop(shape, None)

    def meet(self, node: int) -> None:
        """The node is in another state."""
        state = self.plain.states.of[node]
        for watch in self.watched.values():
            watch.meet(node, state)
        if not self.plain.states.repeat:
            self.watched.clear()

    def survey(self, shape: int, kept: near.Kept, most: int) -> tuple[Ranked, list[int], int]:
        """As near.survey, with the totals: the nearest nodes, devices by rule, slots noted in `picks`."""
        plain, watch = self.plain, self.watched.get(shape)
        if watch is not None:
            kept.close[:] = watch.distances()
            totals = watch.totals()
        else:
            self._catch_up(shape, kept)
            totals = kept.totals.tolist()
        rows, lacks = plain.blocks.nearest(kept.close, most)
        slots = self._outstanding(shape, rows[0]) if rows else ()
        plain.arrays.picks[1 : 1 + len(slots)] = slots
        return (rows, [-lack for lack in lacks]), totals, len(slots)

    def _catch_up(self, shape: int, kept: near.Kept) -> None:
        """Look at the nodes that changed since."""
        seen, now = int(kept.seen[0]), self.plain.changes.now
        if now > seen:
            nodes = self.plain.changes.since(seen) if seen >= 0 and now - seen <= len(kept.close) else None
            self._enter(shape, kept, self.plain.blocks.all if nodes is None else nodes)
            kept.seen[0] = now

    def _outstanding(self, shape: int, node: int) -> tuple[int, ...]:
        """What the nearest node would need next: the same in each of its states."""
        key, a = (shape, self.plain.states.of[node]), self.plain.arrays
        if key not in self.short:
            if len(self.short) >= MOST_KNOWN:
                self.short.clear()
            count = python(near.outstanding)(a, shape, node)
            self.short[key] = tuple(a.picks[1 : 1 + count].tolist())
        return self.short[key]

    def judged(self, shape: int, nodes: Ints) -> tuple[Ints, Ints]:
        """(minus what the nearest group lacks or NEVER, verdict) of each node, worked out anew."""
        plain = self.plain
        if shape not in self.judges:
            programs = [plain.program(shape, table) for table in range(len(plain.starts))]
            self.judges[shape] = judge_of(programs)
        return judged(plain.arrays.nodes, nodes, plain.blocks.class_of[nodes], self.judges[shape])

    def _enter(self, shape: int, kept: near.Kept, nodes: Ints) -> None:
        """Find out how nodes stand that changed, and count the difference."""
        if nodes is self.plain.blocks.all:
            first, inverse = self.plain.states.distinct()
            close, verdicts = (part[inverse] for part in self.judged(shape, first))
        else:
            close, verdicts = self.judged(shape, nodes)
        kept.close[nodes] = close
        before = kept.verdicts[nodes]
        (other,) = np.nonzero(before != verdicts)
        if not len(other):
            return
        kept.verdicts[nodes] = verdicts
        tables, signs = self.plain.blocks.class_of[nodes[other]], np.repeat(np.array((1, -1)), len(other))
        both: Ints = np.concatenate((verdicts[other], before[other].astype(np.int64)))
        more, alike = tallied(np.concatenate((tables, tables)), both, signs)
        for (table, bits), times in alike.items():
            more += times * self.tally(shape, table, bits)
        kept.totals[:] += more

    def tally(self, shape: int, table: int, bits: int) -> Ints:
        """What one node adds to the totals for the needs that fail there."""
        key = shape, table, bits
        if key not in self.tallies:
            if len(self.tallies) >= MOST_KNOWN:
                self.tallies.clear()
            self.tallies[key] = np.zeros(len(near.RULES), dtype=np.int64)
            row = tuple(self.plain.arrays.programs[shape, table].tolist())
            python(near.tally)(self.plain.arrays.code, row, bits, self.tallies[key], 1)
        return self.tallies[key]
