"""A card that is split is worth what it was worth whole; what its parts leave over is stranded (L13, E5)."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from costing.pricing import PriceLine, capability_rates, card_rates, rates_of
from costing.pricing.cards import PPB

WEIGHTS = {"gpu_sm": 400_000, "gpu_memory_bytes": 200_000, "hbm_bandwidth": 350_000, "pcie_bandwidth": 50_000}
LINE = PriceLine("gpu", "", "", 1, 12_500_000_000, WEIGHTS)
WHOLE = {
    "gpu_sm": 1_000_000,
    "gpu_memory_bytes": 40 << 30,
    "hbm_bandwidth": 1_555 * 10**9,
    "pcie_bandwidth": 31 * 10**9,
}


@dataclass(frozen=True, slots=True)
class One:
    """One capability of a device."""

    device: str
    dimension: str
    capacity: int
    part_of: str = ""
    share_ppb: int = 0
    model: str = "A100"
    device_type: str = "gpu"


def card(*names: str) -> list[One]:
    return [One("card", name, WHOLE[name]) for name in names]


def parts(count: int, sm: int = 14, of: int = 108) -> list[One]:
    """MIG devices of `sm` multiprocessors and an eighth of the memory each."""
    return [
        one
        for k in range(count)
        for one in (
            One(f"mig{k}", "gpu_sm", 1_000_000, "card", sm * PPB // of, "A100 MIG 1g.5gb"),
            One(f"mig{k}", "gpu_memory_bytes", 5 << 30, "card", PPB // 8, "A100 MIG 1g.5gb"),
        )
    ]


def test_seven_parts_leave_ten_of_108_multiprocessors_and_an_eighth_of_the_memory() -> None:
    found = card_rates([LINE], [*card("hbm_bandwidth", "pcie_bandwidth"), *parts(7)])
    left = {one.dimension: one for one in found.stranded}
    assert {name: round(one.nano_per_hour / 12.5e9, 4) for name, one in left.items()} == {
        "gpu_sm": round(0.4 * 10 / 108, 4),
        "gpu_memory_bytes": 0.2 / 8,
    }
    assert left["gpu_memory_bytes"].capacity == 5 << 30
    assert found.nano_per_hour["card", "hbm_bandwidth"] == 4_375_000_000


@given(st.integers(1, 7), st.integers(1, 40), st.integers(0, 10**13), st.sampled_from([0, 2, 4]))
def test_a_split_card_costs_what_it_costs_whole(count: int, sm: int, rate: int, kept: int) -> None:
    line = PriceLine("gpu", "A100", "", 1, rate, WEIGHTS)
    own = card(*list(WHOLE)[:kept])
    found = card_rates([line], [*own, *parts(count, sm)])
    total = sum(found.nano_per_hour.values()) + sum(one.nano_per_hour for one in found.stranded)
    assert total == rate
    assert min([*found.nano_per_hour.values(), *(one.nano_per_hour for one in found.stranded)]) >= 0


def test_a_part_with_a_price_of_its_own_costs_that() -> None:
    own = PriceLine("gpu", "A100 MIG 1g.5gb", "", 1, 10**9, {"gpu_sm": 1_000_000})
    found = card_rates([LINE, own], parts(7))
    assert (sum(found.nano_per_hour.values()), found.stranded) == (7 * 10**9, ())


def test_a_card_that_is_not_split_costs_what_its_line_says() -> None:
    assert rates_of([LINE], card(*WHOLE)) == {("card", n): v for n, v in capability_rates(LINE, WHOLE).items()}
