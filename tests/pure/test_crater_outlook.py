"""When a waiting job starts: at the end of what it waits for, behind those before it."""

from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.model import Pick, Request, Running, Runtime, Snapshot
from scheduling.crater.outlook import remaining_ms, start_of
from scheduling.crater.plan import plan
from scheduling.crater.site import booked
from tests.pure.crater_cases import NOW, cluster, cores, job, plain_node

MINUTE = 60_000
ONE_MINUTE = Runtime(MINUTE, 2 * MINUTE, "history", 9)


def busy(snapshot: Snapshot, ends: dict[str, int]) -> tuple[Snapshot, list[Running]]:
    """The cluster with its queue started, and nobody waiting."""
    placed = {p.job: p for p in plan(snapshot).placements}
    nodes = {node.name: node for node in snapshot.nodes}
    for placement in placed.values():
        nodes[placement.node] = booked(nodes[placement.node], placement.picks, 1)
    at = [(r, placed[r.job]) for r in snapshot.queue]
    return cluster(*nodes.values()), [Running(r, p.node, p.picks, NOW, NOW + ends[r.job], NOW) for r, p in at]


def waits(snapshot: Snapshot, *queue: Request) -> Snapshot:
    return cluster(*snapshot.nodes, queue=queue)


def test_it_starts_when_enough_has_ended() -> None:
    before = cluster(plain_node(cores=4), queue=(job("a", cores(2000)), job("b", cores(2000))))
    snapshot, running = busy(before, {"a": MINUTE, "b": 5 * MINUTE})
    for wanted, expected in ((2000, MINUTE), (4000, 5 * MINUTE)):
        start = start_of(waits(snapshot, job("new", cores(wanted))), running, "new", slow=False)
        assert start is not None and start.at_ms == NOW + expected
        assert start.placement.picks[0] == Pick(
            "n1/numa0/cpu", "cpu", {"cpu_millicores": wanted}, tuple(range(wanted // 1000)), 0
        )


def test_those_before_it_go_first_and_take_their_time() -> None:
    snapshot, running = busy(cluster(plain_node(cores=1), queue=(job("a", cores(1000)),)), {"a": MINUTE})
    ahead, new = job("ahead", cores(1000), runtime=ONE_MINUTE), job("new", cores(1000))
    for slow, expected in ((False, 2), (True, 3)):
        start = start_of(waits(snapshot, ahead, new), running, "new", slow=slow)
        assert start is not None and start.at_ms == NOW + expected * MINUTE


def test_what_never_fits_has_no_start() -> None:
    assert start_of(cluster(plain_node(cores=1), queue=(job("new", cores(9000)),)), [], "new", slow=False) is None


def test_on_a_large_cluster_the_nodes_that_come_nearest_decide() -> None:
    nodes = [plain_node(f"n{i:02}", cores=1 if i < 40 else 4) for i in range(44)]
    before = cluster(*nodes, queue=tuple(job(f"j{i}", cores(4000)) for i in range(4)))
    snapshot, running = busy(before, {f"j{i}": (i + 2) * MINUTE for i in range(4)})
    start = start_of(waits(snapshot, job("new", cores(3000))), running, "new", slow=False)
    assert start is not None and start.at_ms == NOW + 2 * MINUTE


def test_many_running_jobs_are_all_seated_again() -> None:
    names = [f"j{i}" for i in range(40)]
    before = cluster(plain_node(cores=40), queue=tuple(job(name, cores(1000)) for name in names))
    snapshot, running = busy(before, {name: (i + 1) * MINUTE for i, name in enumerate(names)})
    start = start_of(waits(snapshot, job("new", cores(30_000))), running, "new", slow=False)
    assert start is not None and start.at_ms == NOW + 30 * MINUTE


@given(st.integers(0, 10**7), st.floats(0.01, 0.99))
def test_what_is_left_grows_with_the_quantile_and_is_never_nothing(ran_ms: int, quantile: float) -> None:
    left = remaining_ms(ONE_MINUTE, ran_ms, quantile)
    assert 1 <= left <= remaining_ms(ONE_MINUTE, ran_ms, 0.995)


def test_at_its_beginning_a_job_has_its_whole_time_before_it() -> None:
    assert remaining_ms(ONE_MINUTE, 0, 0.5) == MINUTE
    assert abs(remaining_ms(ONE_MINUTE, 0, 0.9) - 2 * MINUTE) < 10
