"""The baselines are what was published, the streams what they claim to be."""

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks import fgd, made, steady
from benchmarks.baselines import SCORED, Random, Scheduler, World, run
from benchmarks.openb import Machine, Pod, Trace
from benchmarks.streams import scheduler as scheduler_of

MACHINES = [Machine(32_000, 100, 8, "A"), Machine(16_000, 100, 2, "B"), Machine(8_000, 100, 1, "A")]
SHAPES = (
    Pod(4_000, 1, 1, 460, ()),
    Pod(8_000, 1, 2, 1000, ()),
    Pod(2_000, 1, 0, 0, ()),
    Pod(1_000, 1, 1, 310, ("B",)),
    Pod(2_000, 1, 1, 1000, ()),
)
TRACE = Trace(SHAPES, np.array([0] * 8 + [1] * 2 + [2] * 3 + [3] * 4 + [4] * 5))


def world() -> World:
    return World(TRACE, MACHINES, np.arange(len(MACHINES)))


def wasted(w: World, node: int, common: fgd.Typical) -> float:
    """The definition: what each typical pod cannot use, one by one."""
    total, free = 0.0, [int(g) for g in w.gpu[node] if g >= 0]
    for cpu, gpus, milli, shape, count in zip(
        common.cpu, common.gpus, common.milli, common.shape, common.count, strict=True
    ):
        fitting = sum(g >= milli for g in free)
        wrong = gpus == 0 or w.cpu[node] < cpu or fitting < gpus or not w.allowed[shape][w.model[node]]
        total += count * sum(g for g in free if wrong or 0 < g < milli)
    return total


@pytest.mark.parametrize("seed", range(4))
def test_fgd_scores_by_the_definition(seed: int) -> None:
    w, common = world(), fgd.typical(TRACE)
    policy = fgd.Fgd(w, common)
    scheduler = Scheduler(w, policy)
    for shape in np.random.default_rng(seed).integers(0, len(SHAPES), 9).tolist():
        before = [wasted(w, node, common) for node in range(len(MACHINES))]
        assert policy.frag.tolist() == before
        points, devices = (column.copy() for column in scheduler.scores(shape))
        node, taken = scheduler.place(shape)
        if node < 0:
            continue
        fall = before[node] - wasted(w, node, common)
        assert points[node] == int(100 / (1 + np.exp(-fall / 1000 / common.count.sum())))
        assert devices[node] in (-1, *taken)


@pytest.mark.parametrize("name", ["random", *SCORED, "fgd"])
def test_what_is_given_back_leaves_an_empty_cluster(name: str) -> None:
    w, empty = world(), world()
    draws = np.random.default_rng(0).random((30, 2))
    scheduler = scheduler_of(name, w, draws, fgd.typical(TRACE))
    held = []
    for shape in np.random.default_rng(1).integers(0, len(SHAPES), 25).tolist():
        node, devices = scheduler.place(shape)
        if node >= 0:
            held.append((node, shape, devices))
    assert (w.gpu >= -1).all() and (w.cpu >= 0).all() and len(held) < 25
    for place in held:
        scheduler.give_back(*place)
    for field in ("cpu", "memory", "gpu", "left", "kinds"):
        assert np.array_equal(getattr(w, field), getattr(empty, field))


def test_ties_go_to_the_first_node_and_the_tightest_device() -> None:
    w = world()
    w.gpu[0, :3] = 400, 700, 500
    assert w.book(0, 0, -1) == [2]
    assert Scheduler(world(), SCORED["gpu_packing"]).place(2)[0] == 0


def test_random_takes_every_pod_that_fits() -> None:
    draws = np.random.default_rng(0).random((3, 2))
    assert run(Random(world(), draws), np.array([0, 1, 4])).all()


@pytest.mark.parametrize(("name", "share"), [("cpu300", 0.3), ("gpushare70", 0.7), ("multigpu25", 0.25)])
def test_made_traces_have_their_share(name: str, share: float) -> None:
    rows = [row(gpus, milli) for gpus, milli in [(0, 0)] * 30 + [(1, 400)] * 40 + [(1, 1000)] * 30 + [(4, 1000)] * 10]
    found = made.trace_of(name, {"default": rows}, np.random.default_rng(0))
    part, whole = weights(name, found)
    assert part / whole == pytest.approx(share, abs=0.05)


def row(gpus: int, milli: int) -> dict[str, str]:
    return {"name": "p", "num_gpu": str(gpus), "gpu_milli": str(milli), "gpu_spec": ""}


def weights(name: str, rows: Sequence[dict[str, str]]) -> tuple[int, int]:
    asked = [(int(r["num_gpu"]), int(r["num_gpu"]) * int(r["gpu_milli"])) for r in rows]
    if name.startswith("cpu"):
        return len([gpus for gpus, _ in asked if gpus == 0]), len(asked)
    few = name.startswith("gpushare")
    return sum(m for g, m in asked if (m < 1000 if few else g > 1)), sum(m for _, m in asked)


class Everything:
    """A side that refuses nobody, and remembers."""

    def __init__(self) -> None:
        self.present: set[int] = set()
        self.count = 0

    def place(self, shape: int) -> object:
        self.count += 1
        self.present.add(self.count)
        return self.count

    def give_back(self, held: int) -> None:
        self.present.remove(held)


def test_a_cluster_without_limits_holds_what_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady, "ARRIVALS", 40)
    chance = np.random.default_rng(3)
    arrives = np.concatenate([np.zeros(20), np.cumsum(chance.exponential(1.0, 40))])
    jobs = steady.Jobs(chance.integers(0, len(SHAPES), 60), arrives, arrives + chance.exponential(9.0, 60))
    side = Everything()
    allocated, refused = steady.played(side, jobs, TRACE.milli, 10_000)
    assert allocated == pytest.approx(steady.offered(jobs, TRACE.milli) / 10_000 * 100)
    assert refused == 0 and side.count == 60 and len(side.present) < 60
