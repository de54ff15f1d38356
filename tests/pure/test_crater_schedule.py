"""A whole round on one snapshot: turns, what is kept for whom, who leaves, and that order and names do not matter."""

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.model import Node, Pick, Policy, Request, Running, Runtime, Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.schedule import BACKFILL, schedule
from tests.pure.crater_cases import NOW, cluster, cores, job, plain_node, snapshots

few = settings(max_examples=80, deadline=None)
HOUR = 3_600_000


def lasting(name: str, millicores: int, lasts_ms: int, **more: object) -> Request:
    runtime = Runtime(lasts_ms, lasts_ms, "declared")
    return job(name, cores(millicores), runtime=runtime, policy=Policy.FIFO, **more)


def on(node: str, name: str, first: int, count: int, **more: object) -> Running:
    """A job on these cores of a plain node that ends in an hour."""
    pick = Pick(f"{node}/numa0/cpu", "cpu", {"cpu_millicores": count * 1000}, tuple(range(first, first + count)), 0)
    known: dict[str, object] = {"started_ms": NOW - HOUR, "ends_ms": NOW + HOUR, "saved_ms": NOW - HOUR}
    request = more.pop("request", None) or job(name, cores(count * 1000), priority=-10)
    return Running(request, node, (pick,), **(known | more))  # type: ignore[arg-type]


def full(*running: Running, queue: tuple[Request, ...], nodes: tuple[Node, ...] = ()) -> Snapshot:
    return replace(cluster(*(nodes or (plain_node(used=4),)), queue=queue), running=running)


def test_a_job_takes_another_node_where_its_best_would_delay_the_head() -> None:
    nodes = (plain_node("a", used=3), Node("b", plain_node("b", cores=2).devices))
    waits, long = lasting("head", 4000, 1000), lasting("long", 1000, 9 * HOUR)
    made = schedule(
        full(on("a", "old", 0, 3, preemptible=False), queue=(waits, replace(long, submitted_ms=NOW + 1)), nodes=nodes)
    )
    assert [(p.job, p.node) for p in made.placements] == [("long", "b")]
    assert made.head is not None and (made.head.node, made.head.start_ms) == ("a", NOW + HOUR)


def test_a_held_back_job_says_for_how_long_and_until_when() -> None:
    waits, long = lasting("head", 4000, 1000), lasting("long", 1000, 9 * HOUR)
    snapshot = full(
        on("n1", "old", 0, 3, preemptible=False),
        queue=(waits, replace(long, submitted_ms=NOW + 1)),
        nodes=(plain_node(used=3),),
    )
    refused = {r.job: r for r in schedule(snapshot).refusals}
    nearest = refused["long"].nearest
    assert nearest is not None and (nearest.rule, nearest.need, nearest.have) == (BACKFILL, 9 * HOUR, NOW + HOUR)
    assert plan(snapshot).placements[0].job == "long"


def test_who_is_owed_room_comes_before_the_most_urgent() -> None:
    urgent = job("urgent", cores(4000), priority=9, deadline_ms=NOW + HOUR, runtime=Runtime(1, 1, "declared"))
    owed = lasting("owed", 4000, HOUR, owed=True)
    assert schedule(full(queue=(urgent, owed), nodes=(plain_node(),))).placements[0].job == "owed"


def test_nobody_is_stopped_for_room_that_is_given_back_anyway() -> None:
    running = (on("n1", "a", 0, 2, leaving=True, preemptible=False), on("n1", "b", 2, 2))
    head = schedule(full(*running, queue=(lasting("head", 2000, 10, priority=5),))).head
    assert head is not None and head.stops == ()
    more = schedule(full(*running, queue=(lasting("head", 4000, 10, priority=5),))).head
    assert more is not None and more.stops == ("b",)


def test_what_stopping_costs_is_said_beside_it() -> None:
    saved = on("n1", "saved", 0, 2, saved_ms=NOW), on("n1", "fresh", 2, 2)
    head = schedule(full(*saved, queue=(lasting("head", 2000, 10, priority=5),))).head
    assert head is not None and head.stops == ("saved",) and 0 < head.losses[0] < HOUR * 500_000


@st.composite
def busy(draw: st.DrawFn) -> Snapshot:
    """A snapshot on which some of the queue already runs."""
    snapshot = draw(snapshots())
    placed = {p.job: p for p in plan(snapshot).placements}
    chosen = [r for r in snapshot.queue if r.job in placed and draw(st.booleans())]
    running = tuple(
        Running(r, placed[r.job].node, placed[r.job].picks, NOW - 100, NOW + draw(st.integers(1, 5000)), NOW - 50)
        for r in chosen
    )
    held = {(p.device, name): 0 for r in running for p in r.picks for name in p.amounts}
    for r in running:
        for pick in r.picks:
            for name, amount in pick.amounts.items():
                held[pick.device, name] += amount
    nodes = tuple(_after(node, held, running) for node in snapshot.nodes)
    names = {r.job for r in running}
    queue = tuple(r for r in snapshot.queue if r.job not in names)
    return replace(snapshot, nodes=nodes, running=running, queue=queue)


def _after(node: Node, held: dict[tuple[str, str], int], running: tuple[Running, ...]) -> Node:
    taken = {(p.device, core) for r in running for p in r.picks for core in p.cpus}
    devices = tuple(
        replace(
            d,
            free={name: amount - held.get((d.uuid, name), 0) for name, amount in d.free.items()},
            cpus=tuple(core for core in d.cpus if (d.uuid, core) not in taken),
        )
        for d in node.devices
    )
    return replace(node, devices=devices)


@few
@given(busy(), st.randoms(use_true_random=False))
def test_input_order_never_changes_the_round(snapshot: Snapshot, random: Random) -> None:
    shuffled = replace(
        snapshot,
        running=tuple(random.sample(snapshot.running, len(snapshot.running))),
        queue=tuple(random.sample(snapshot.queue, len(snapshot.queue))),
        nodes=tuple(random.sample(snapshot.nodes, len(snapshot.nodes))),
    )
    assert schedule(shuffled) == schedule(snapshot)


@few
@given(busy())
def test_every_job_is_answered_once(snapshot: Snapshot) -> None:
    made = schedule(snapshot)
    answered = [p.job for p in made.placements] + [r.job for r in made.refusals]
    assert sorted(answered) == sorted(r.job for r in snapshot.queue)


@few
@given(busy())
def test_only_jobs_of_lower_rank_are_stopped_and_only_for_who_waits(snapshot: Snapshot) -> None:
    head = schedule(snapshot).head
    if head is not None and head.stops:
        waits = next(r for r in snapshot.queue if r.job == head.job)
        stopped = [r.request for r in snapshot.running if r.job in head.stops]
        assert all(
            (r.priority, r.deadline_ms is not None) < (waits.priority, waits.deadline_ms is not None) for r in stopped
        )
        assert len(stopped) == len(head.stops)


@few
@given(busy())
def test_the_head_fits_once_everyone_before_its_start_has_left(snapshot: Snapshot) -> None:
    head = schedule(snapshot).head
    if head is None or schedule(snapshot).placements:
        return
    gone = {r.job for r in snapshot.running if r.ends_ms <= head.start_ms or r.job in head.stops}
    freed = {(p.device, name): 0 for r in snapshot.running if r.job in gone for p in r.picks for name in p.amounts}
    for r in snapshot.running:
        for pick in r.picks if r.job in gone else ():
            for name, amount in pick.amounts.items():
                freed[pick.device, name] -= amount
    back = {(p.device, core) for r in snapshot.running if r.job in gone for p in r.picks for core in p.cpus}
    nodes = tuple(
        replace(
            n,
            devices=tuple(
                replace(d, cpus=tuple(sorted({*d.cpus, *(c for u, c in back if u == d.uuid)}))) for d in n.devices
            ),
        )
        for n in (_after(node, freed, ()) for node in snapshot.nodes)
    )
    alone = tuple(r for r in snapshot.queue if r.job == head.job)
    assert plan(replace(snapshot, nodes=nodes, queue=alone, running=())).placements
