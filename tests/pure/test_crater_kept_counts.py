"""What is kept of a refused shape, whatever came and went since, is what is found when all nodes are looked at anew."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater import near
from scheduling.crater.arrays import RANKED
from scheduling.crater.compiled import python
from scheduling.crater.found import Survey
from scheduling.crater.market import market
from scheduling.crater.model import Constraint, Need, Placement, Snapshot
from scheduling.crater.planner import Planner
from scheduling.crater.reprice import reprice
from tests.pure.crater_cases import cluster, cores, job, plain_node
from tests.pure.crater_crowds import crowds, lives, machine
from tests.pure.crater_trees import trees

worlds = st.one_of(crowds(), crowds(), trees())
Life = list[tuple[int, bool, bool]]
law = settings(max_examples=80, deadline=None)


def anew(planner: Planner, shape: int) -> Survey:
    """The survey by the kernel, with nothing known before."""
    a = planner.board.arrays
    kept = near.fresh(len(a.nodes), a.best.shape[1])
    count, short = python(near.survey)(a, shape, kept, RANKED)
    rows, lacks = a.ranked[:, :count].tolist()
    return Survey(rows, lacks, kept.totals.tolist(), a.picks[1 : 1 + short].tolist())


def look(planner: Planner) -> None:
    for shape in {known.number for known in planner.shapes.values() if known.number >= 0}:
        assert planner.board.survey(shape) == anew(planner, shape)


def lived(planner: Planner, snapshot: Snapshot, life: Life) -> None:
    """Jobs of the queue come, over and over, and go."""
    running = list[str]()
    for number, (which, goes, asks) in enumerate(life if snapshot.queue and planner.grid.nodes else ()):
        answer = planner.decide(replace(snapshot.queue[which % len(snapshot.queue)], job=f"j{number}"))
        if isinstance(answer, Placement):
            running.append(answer.job)
        if goes and running:
            planner.give_back(running.pop(number % len(running)))
        if asks:
            look(planner)
    look(planner)


@law
@given(worlds, lives(), st.booleans())
def test_kept_counts_are_those_of_all_nodes_anew(snapshot: Snapshot, life: Life, fast: bool) -> None:
    lived(Planner(snapshot, fast=fast), snapshot, life)


@law
@given(worlds, lives(), st.integers(2, 12))
def test_watched_shapes_stand_as_all_nodes_say(snapshot: Snapshot, life: Life, room: int) -> None:
    planner = Planner(snapshot, fast=False)
    assert planner.board.plain is not None
    states = planner.board.plain.states
    states.repeat, states.most = True, room * len(planner.grid.nodes) + 2  # few numbers: they are given anew many times
    lived(planner, snapshot, life)


def card(model: str, parts: int) -> Need:
    return Need("gpu", 1, (Constraint("model", "in", (model,)),), shares={"gpu_sm": parts * 250_000})


def test_a_card_that_would_never_do_is_not_the_nearest() -> None:
    planner = Planner(cluster(machine("n", "d")), fast=False)
    for number, need in enumerate((card("a", 2), card("b", 1))):
        planner.decide(job(f"j{number}", need, same="node"))
    planner.decide(job("last", card("a", 4), same="node"))
    look(planner)


def test_new_prices_leave_no_old_counts_behind() -> None:
    planner = Planner(cluster(machine("n", "a"), machine("m", "a")), fast=False)
    for number in range(8):
        planner.decide(job(f"j{number}", cores(4000)))
    reprice(planner.board, market(planner.grid, ()))
    planner.give_back("j0")
    planner.decide(job("small", cores(1000)))
    look(planner)


def test_a_shape_is_watched_while_states_repeat_and_it_was_refused_lately() -> None:
    planner = Planner(cluster(plain_node(cores=4)), fast=False)
    assert planner.board.plain is not None
    planner.board.plain.states.repeat = True
    planner.decide(job("a", cores(3000)))
    planner.decide(job("b", cores(3000)))
    assert list(planner.board.plain.surveys.watched) == [planner.shape(job("c", cores(3000))).number]
    for _ in range(1000):
        planner.give_back("a")
        planner.decide(job("a", cores(3000)))
    assert not planner.board.plain.surveys.watched
