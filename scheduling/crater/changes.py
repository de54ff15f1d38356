"""Which nodes changed since? The log of the plain path: as Arrays.log, in Python's own lists."""

from scheduling.crater.kernels import Ints


class Changes:
    """Positions only grow; `freed` holds each node's latest release (Arrays.freed)."""

    def __init__(self, freed: Ints) -> None:
        self.freed, self.dropped, self.log = freed, 0, list[int]()
        self.most = 4 * len(freed) + 256

    @property
    def now(self) -> int:
        """The next position."""
        return self.dropped + len(self.log)

    def note(self, node: int, *, gave_back: bool) -> None:
        """The node's free amounts are different now."""
        if gave_back:
            self.freed[node] = self.now
        self.log.append(node)
        if len(self.log) > self.most:
            self.dropped += self.most // 2
            del self.log[: self.most // 2]

    def since(self, position: int) -> list[int] | None:
        """Each node that changed from there on once; None when that is too long ago to tell."""
        if position < self.dropped:
            return None
        return list(set(self.log[position - self.dropped :]))
