"""A whole round on one snapshot: turns, what is kept for whom, who leaves."""

from dataclasses import replace

from scheduling.crater.model import Node, Pick, Policy, Request, Running, Runtime, Snapshot
from scheduling.crater.plan import plan
from scheduling.crater.schedule import BACKFILL, schedule
from tests.pure.crater_cases import NOW, cluster, cores, job, plain_node

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
