"""A job goes where what is left stays useful for the jobs that come."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from alldata.kernel.intervals import HOUR_MS
from scheduling.crater.model import Constraint, Demand, Need, Node, Price, Runtime
from scheduling.crater.plan import plan
from scheduling.crater.scene import Scene
from scheduling.crater.scores import price
from tests.pure.crater_cases import cluster, gpu, job, memory


def test_scarce_models_are_kept_for_those_who_insist() -> None:
    rare = replace(gpu("GPU-rare", model="rare"), numa_node=0)
    nodes = (Node("a", (rare, memory("a"))), Node("b", (gpu("GPU-common"), memory("b"))))
    whole = job("any", needs_gpu()).needs
    insisting = job("only", needs_gpu("rare")).needs
    snapshot = replace(cluster(*nodes, queue=(job("any", *whole),)), mix=(Demand(whole, 3), Demand(insisting, 3)))
    assert plan(snapshot).placements[0].node == "b"


@given(st.fractions(min_value=0), st.integers(0, 10**12))
def test_a_price_is_rounded_once_and_halves_go_to_the_even_side(hourly: Fraction, lasts_ms: int) -> None:
    scene = Scene(cluster(prices=(Price("d", "cores", 1),)))
    asked = job("a", runtime=Runtime(lasts_ms, lasts_ms, "declared"))
    assert price(asked, hourly, scene) == round(hourly * lasts_ms / HOUR_MS)


def needs_gpu(model: str | None = None) -> Need:
    from_model = () if model is None else (Constraint("model", "eq", model),)
    return Need("gpu", constraints=from_model, shares={"gpu_sm": 1_000_000})


def test_a_share_goes_where_the_rest_stays_useful() -> None:
    """A 30 % job fills the card with 30 % left rather than breaking the 70 % that others ask for."""
    small, large = Need("gpu", shares={"gpu_sm": 300_000}), Need("gpu", shares={"gpu_sm": 700_000})
    cards = (gpu("GPU-x", free_ppm=300_000), gpu("GPU-y", free_ppm=700_000))
    mix = Demand((small,), 1), Demand((large,), 1)
    snapshot = replace(cluster(Node("n", cards), queue=(job("s", small),)), mix=mix)
    assert plan(snapshot).placements[0].picks[0].device == "GPU-x"
    assert plan(replace(snapshot, queue=(job("l", large),))).placements[0].picks[0].device == "GPU-y"
