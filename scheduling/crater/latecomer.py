"""What becomes of one more request after a whole round on a snapshot?

The round is played once (rounds.py) and its cluster kept, so each latecomer costs one look and not a round. It comes
after all that wait: what it gets it would also get in its turn, perhaps on a better place. Nobody is stopped for it.
Pure; asked by services/sight.py, whose answers are forecasts: decisions are schedule.py's alone.
"""

from dataclasses import replace

from scheduling.crater.askable import sifted
from scheduling.crater.model import Placement, Policy, Refusal, Request, Snapshot
from scheduling.crater.order import NOBODY, ordered
from scheduling.crater.plan import explained
from scheduling.crater.planner import Planner
from scheduling.crater.rounds import bound_ms, harmless, play
from scheduling.crater.running import teams_of
from scheduling.crater.site import PlannedSite
from scheduling.crater.turns import Now

#: Machines that are looked at to tell when a request would start (as in outlook.py).
NEAREST = 24
#: In a longer queue, jobs of one team whose deadlines are this near to one another wait alike.
FEW, ALIKE_MS = 100, 900_000


class Aftermath:
    """The cluster as a round leaves it; `running` and `queue` of the snapshot are what it began with."""

    def __init__(self, snapshot: Snapshot) -> None:
        snapshot = replace(snapshot, queue=tuple(sifted(snapshot.queue)[0]))
        self.snapshot, self._site = snapshot, PlannedSite(snapshot, snapshot.running)
        shared = any(request.policy is Policy.FAIR_SHARE for request in snapshot.queue)
        teams = teams_of(snapshot.nodes, snapshot.running, snapshot.weights) if shared else NOBODY
        now = Now(snapshot.now_ms, sorted(snapshot.running, key=lambda job: (job.ends_ms, job.key)))
        played = play(ordered(snapshot.queue, snapshot.now_ms, teams), self._site, now)
        self._reservation = played.reservation
        self._asked: Placement | None = None  # what `place` gave last: not booked, but the site still holds it

    @property
    def planner(self) -> Planner:
        """What is left, as the planner sees it."""
        return self._site.planner()

    def place(self, request: Request) -> Placement | None:
        """Where it could start now without delaying the head of the queue; nothing is booked."""
        self._asked = None
        if not sifted([request])[1]:
            self._asked = self._site.place(request)
            if self._asked is not None and self._reservation is not None:
                ends_ms = bound_ms(request, self.snapshot.now_ms)
                self._asked = harmless(request, self._asked, (self._site, self._reservation, ends_ms))
        return self._asked

    def take(self, request: Request) -> None:
        """It joined the queue and is expected to start there: those after it find less."""
        placement = self._asked
        if placement is None or placement.job != request.job:  # others have asked meanwhile
            placement = self.place(request)
        if placement is not None:
            self._site.take(placement)
        self._asked = None

    def refusal(self, request: Request) -> Refusal:
        """Why it cannot start now; every device is gone through only for what no idle machine could do either."""
        if unsound := sifted([request])[1]:
            return unsound[0]
        quick = self.planner.why_not(request)
        return quick if quick.possible else next(explained([request], self.planner))

    def turn(self, request: Request) -> object:
        """Equal for requests with about as many before them: none, one, two or three, four to seven, ..."""
        if len(self.snapshot.queue) > FEW:
            deadline = None if request.deadline_ms is None else request.deadline_ms // ALIKE_MS
            return request.policy, request.priority, request.team, deadline
        line = ordered((*self.snapshot.queue, request), self.snapshot.now_ms)
        return line.index(request).bit_length()

    def nearby(self, request: Request) -> Snapshot:
        """The machines that lack least for it, what runs on them, and the whole queue with it in."""
        rows = self.planner.nearest(request, NEAREST)
        nodes = tuple(self.planner.grid.nodes[row] for row in rows)
        names, devices = {node.name for node in nodes}, {device.uuid for node in nodes for device in node.devices}
        return replace(
            self.snapshot,
            nodes=tuple(node for node in self.snapshot.nodes if node.name in names),
            running=tuple(job for job in self.snapshot.running if job.node in names),
            prices=tuple(price for price in self.snapshot.prices if price.device in devices),
            queue=(*self.snapshot.queue, request),
        )
