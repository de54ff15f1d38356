"""Why can a job not start, and what is the least that would change it?

Only rules that stand in the way are counted: a need that some device of a node can meet hides
the other devices of that node. Nearest means fewest unmet needs on the node, then fewest
failing rules on the device, then the smallest relative shortfall. Every relaxation is proved
by running the planner again on the relaxed request, and none of its parts can be left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from profiles.dimensions import PPM
from scheduling.crater.filters import failures, unit_of
from scheduling.crater.fit import fit
from scheduling.crater.model import Device, Need, Node, Placement, Refusal, Relaxation, Request, Shortfall
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import LINK, ways
from scheduling.crater.relax import apply
from scheduling.crater.scene import Scene
from scheduling.crater.topology import groups, whole
from scheduling.crater.traffic import full_links, less_traffic, lighter
from scheduling.crater.vector import CORE, CPU, asked, names_cores

Planner = Callable[[Request, Occupancy, Scene], Placement | None]
SHOWN = 20
NODES_TRIED, OPTIONS = 5, 3


@dataclass(frozen=True, slots=True)
class Failing:
    """One device and every rule that turns it down for one need."""

    need: Need
    device: Device
    shortfalls: tuple[Shortfall, ...]

    @property
    def distance(self) -> tuple[int, float, str]:
        return len(self.shortfalls), sum(map(_relative, self.shortfalls)), self.device.uuid


@dataclass(frozen=True, slots=True)
class Verdict:
    """What stands in the way on one node."""

    node: Node
    unmet: int
    missing: tuple[Shortfall, ...]  # rules of the node as a whole
    failing: tuple[tuple[int, tuple[Failing, ...]], ...]  # devices still wanted, nearest first

    @property
    def distance(self) -> tuple[bool, int, int, float, str]:
        nearest = [devices[0].distance for _, devices in self.failing if devices]
        relative = sum(part[1] for part in nearest)
        return not self.node.usable, self.unmet, sum(part[0] for part in nearest), relative, self.node.name

    @property
    def lack(self) -> float:
        """Devices that are missing, the best remaining one by its lacking share."""
        wanted = sum(lacking - 1 + (devices[0].distance[1] if devices else 1) for lacking, devices in self.failing)
        return wanted or float(bool(self.missing))

    def shortfalls(self) -> list[Shortfall]:
        devices = sorted((f for _, group in self.failing for f in group), key=lambda f: f.distance)
        return [*(s for f in devices for s in sorted(f.shortfalls, key=_key)), *self.missing]


def refusal(request: Request, state: Occupancy, scene: Scene, planner: Planner) -> Refusal:
    """The whole explanation for a request that `planner` could not place."""
    verdicts = sorted((judge(request, node, state) for node in scene.snapshot.nodes), key=lambda v: v.distance)
    shortfalls = [s for verdict in verdicts for s in verdict.shortfalls()]
    shortfalls = [*_too_dear(request, state, scene, planner), *shortfalls] or [_nothing_there(request)]
    empty = scene.emptied
    return Refusal(
        job=request.job,
        possible=planner(request, Occupancy.of(empty.snapshot.nodes), empty) is not None,
        counts=counts_of(verdicts) or {"no_device": 1},
        nearest=shortfalls[0],
        shortfalls=tuple(shortfalls[:SHOWN]),
        relaxations=_proved(request, verdicts, (state, scene, planner)),
    )


def counts_of(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many devices each rule turns down: nodes for what concerns a whole node, where all fits for the cap."""
    found: Counter[str] = Counter()
    for verdict in verdicts:
        devices = {(s.rule, f.device.uuid) for _, group in verdict.failing for f in group for s in f.shortfalls}
        found.update(rule for rule, _ in devices | {(s.rule, s.type) for s in verdict.missing})
        found["cap"] += not verdict.failing and not verdict.missing
    return dict(sorted((+found).items()))


def judge(request: Request, node: Node, state: Occupancy) -> Verdict:
    """Every rule that keeps the request off this node."""
    if not node.usable:
        reason = node.unusable_reason or "unusable"
        return Verdict(node, len(request.needs), (Shortfall("unusable", node.name, None, "", None, True, reason),), ())
    above = ways(node.devices)
    missing: list[Shortfall] = []
    failing: list[tuple[int, tuple[Failing, ...]]] = []
    for need in request.needs:
        devices = [
            Failing(need, d, tuple(failures(need, d, state, node.name, above.get(d.uuid, ()))))
            for d in node.devices
            if d.type == need.type
        ]
        passing = sum(not f.shortfalls for f in devices)
        if passing >= need.count:
            continue
        failing.append(
            (need.count - passing, tuple(sorted((f for f in devices if f.shortfalls), key=lambda f: f.distance)))
        )
        if len(devices) < need.count or passing:
            have = passing if devices else 0
            rule = "count" if devices else "no_device"
            missing.append(Shortfall(rule, node.name, None, need.type, None, need.count, have, need.count - have))
    if not failing:
        missing.extend(_only_together(request, node, state))
    return Verdict(node, len(failing), tuple(missing), tuple(failing))


def _only_together(request: Request, node: Node, state: Occupancy) -> Iterable[Shortfall]:
    """Each need fits alone: the sum is too much, or the devices are too far apart; nothing where all fit together."""
    if any(fit(request, group, state) is not None for group in groups(node, request)):
        return
    if fit(request, whole(node), state) is not None:
        apart = "only across " + request.same
        yield Shortfall("alignment", node.name, None, "", request.same, request.same, apart)
        return
    found = [*_sums(request, node, state), *full_links(request, node, state)]
    yield from found or [_one_too_many(request, node, state)]


def _sums(request: Request, node: Node, state: Occupancy) -> Iterable[Shortfall]:
    """Each capability of which all needs of a type want more than there is; a share at its least, of any device."""
    for kind in sorted({need.type for need in request.needs}):
        members = [d for d in node.devices if d.type == kind]
        wanted: Counter[str] = Counter()
        for need in (need for need in request.needs if need.type == kind):
            offers = [asked(need, device) for device in members]
            always = set.intersection(*(set(offer) for offer in offers))
            wanted.update({name: need.count * min(offer[name] for offer in offers) for name in always})
        for name, amount in sorted(wanted.items()):
            have = sum(state.free(d).get(name, 0) for d in members)
            if amount > have:
                yield Shortfall("free", node.name, None, kind, name, amount, have, amount - have, unit_of(name))


def _one_too_many(request: Request, node: Node, state: Occupancy) -> Shortfall:
    """The sums would do, the pieces do not: how many devices' worth of a type fit together, needs in their order."""
    asked_for: Counter[str] = Counter()
    done: tuple[Need, ...] = ()
    for need in request.needs:
        for count in range(1, need.count + 1):
            some = replace(request, needs=(*done, replace(need, count=count)))
            if fit(some, whole(node), state) is None:
                before, short = asked_for[need.type], need.count - count + 1
                wants, have = before + need.count, before + count - 1
                return Shortfall("free", node.name, None, need.type, None, wants, have, short)
        done, asked_for[need.type] = (*done, need), asked_for[need.type] + need.count
    return _nothing_there(request)


def _too_dear(request: Request, state: Occupancy, scene: Scene, planner: Planner) -> list[Shortfall]:
    """Places exist, but the cheapest costs more than the cap."""
    uncapped = _uncapped(request, state, scene, planner)
    if uncapped is None or request.cap_nano is None or uncapped.predicted_nano is None:
        return []
    need, have = uncapped.predicted_nano, request.cap_nano
    return [Shortfall("cap", uncapped.node, None, "", "cost", need, have, need - have, "nano")]


def _uncapped(request: Request, state: Occupancy, scene: Scene, planner: Planner) -> Placement | None:
    return None if request.cap_nano is None else planner(replace(request, cap_nano=None), state, scene)


def _nothing_there(request: Request) -> Shortfall:
    return Shortfall("no_device", "", None, request.needs[0].type if request.needs else "", None, 1, 0, 1)


def _proved(
    request: Request, verdicts: Iterable[Verdict], world: tuple[Occupancy, Scene, Planner]
) -> tuple[Relaxation, ...]:
    """Up to three alternative sets of changes, each shown to fit and none with a needless part."""
    state, scene, planner = world
    proposals = [_cap(request, _uncapped(request, state, scene, planner))]
    proposals += [proposal(request, verdict, state) for verdict in list(verdicts)[:NODES_TRIED]]
    found: list[tuple[Relaxation, ...]] = []
    for changes in proposals:
        if not changes or planner(apply(request, changes), state, scene) is None:
            continue
        for change in changes:
            fewer = tuple(c for c in changes if c != change)
            if fewer and planner(apply(request, fewer), state, scene) is not None:
                changes = fewer
        if changes not in found:
            found.append(changes)
    found.sort(key=len)
    return tuple(replace(c, option=number) for number, changes in enumerate(found[:OPTIONS]) for c in changes)


def _cap(request: Request, uncapped: Placement | None) -> tuple[Relaxation, ...]:
    if uncapped is None or uncapped.predicted_nano is None:
        return ()
    return (Relaxation("cost", "", uncapped.predicted_nano, request.cap_nano, "nano", "cap"),)


def proposal(request: Request, verdict: Verdict, state: Occupancy) -> tuple[Relaxation, ...]:
    """The changes that would make this node's nearest devices acceptable; () when none can."""
    changes: dict[tuple[str, str, str], Relaxation] = {}
    if any(s.rule == "alignment" for s in verdict.missing):
        changes["alignment", "", ""] = Relaxation("alignment", "", "node", request.same, "", "alignment")
    changes |= {(less.rule, less.type, less.dimension): less for less in lighter(request, verdict.missing)}
    for lacking, devices in verdict.failing:
        if len(devices) < lacking:
            return ()
        for failing in devices[:lacking]:
            for change in (_relaxed(failing, shortfall, state) for shortfall in failing.shortfalls):
                if change is None:
                    return ()
                key = change.rule, change.type, change.dimension
                changes[key] = _lower(changes.get(key), change)
    return tuple(changes.values())


def _lower(known: Relaxation | None, change: Relaxation) -> Relaxation:
    """Two devices of one need: the poorer one decides."""
    numeric = known is not None and isinstance(known.to, int) and isinstance(change.to, int)
    return known if numeric and known is not None and known.to < change.to else change  # type: ignore[operator]


def _relaxed(failing: Failing, shortfall: Shortfall, state: Occupancy) -> Relaxation | None:
    """The change that would lift one shortfall; None when asking for less cannot help."""
    need, name, have = failing.need, shortfall.dimension, shortfall.have
    if name is None or shortfall.rule in ("unusable", "isolation"):
        return None
    if shortfall.type == LINK != need.type:
        return less_traffic(need, failing.device, shortfall)
    if shortfall.rule == "constraint":
        return Relaxation(name, need.type, have, shortfall.need, shortfall.unit, "constraint")
    was, rule = (need.amounts[name], "amount") if name in need.amounts else (need.shares[name], "share")
    if have is None:
        return Relaxation(name, need.type, None, was, shortfall.unit, rule)
    left = _givable(failing.device, name, state)
    if rule == "share":
        left = left * PPM // max(1, failing.device.capacity.get(name, 0))
    return (
        Relaxation(name, need.type, left, was, "ppm" if rule == "share" else shortfall.unit, rule) if left > 0 else None
    )


def _givable(device: Device, name: str, state: Occupancy) -> int:
    """What the device could still give of one capability: whole cores where cores are pinned."""
    left = state.free(device).get(name, 0)
    if name == CPU and names_cores(device):
        left = min(left // CORE, len(state.cores(device))) * CORE
    return left


def _relative(shortfall: Shortfall) -> float:
    if shortfall.short is None or not isinstance(shortfall.need, int | float) or not shortfall.need:
        return 1.0
    return float(shortfall.short) / abs(shortfall.need)


def _key(shortfall: Shortfall) -> tuple[float, str, str]:
    return _relative(shortfall), shortfall.rule, shortfall.dimension or ""
