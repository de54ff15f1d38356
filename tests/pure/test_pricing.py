"""Prices of capabilities sum to the price of their device."""

from hypothesis import given
from hypothesis import strategies as st

from costing.pricing import PriceLine, capability_rates, device_rate, line_for

NAMES = ("gpu_sm", "hbm_bandwidth", "gpu_memory_bytes", "pcie_bandwidth")
WEIGHTS = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 10**6), min_size=1)
CAPACITIES = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 10**13))


@given(WEIGHTS, CAPACITIES, st.integers(0, 10**13))
def test_capability_rates_sum_to_the_device_rate(
    weights: dict[str, int], capacities: dict[str, int], rate: int
) -> None:
    rates = capability_rates(PriceLine("gpu", "", "", 1, rate, weights), capacities)
    assert sum(rates.values()) == (rate if rates else 0)
    assert set(rates) == set(weights) & set(capacities)


def test_a_price_per_core_grows_with_the_cores() -> None:
    line = PriceLine("cpu", "", "cpu_millicores", 1000, 224_438_100, {"cpu_millicores": 10**6})
    assert capability_rates(line, {"cpu_millicores": 2000}) == {"cpu_millicores": 448_876_200}


def test_a_device_whose_basis_is_unknown_has_no_price() -> None:
    line = PriceLine("storage", "", "storage_bytes", 1, 5, {"storage_iops": 10**6})
    assert device_rate(line, {"storage_iops": 100}) is None
    assert capability_rates(line, {"storage_iops": 100}) == {}


def test_the_exact_model_wins_over_any_model() -> None:
    any_model, exact = (PriceLine("gpu", model, "", 1, 1, {"gpu_sm": 1}) for model in ("", "A100"))
    assert line_for([any_model, exact], "gpu", "A100") is exact
    assert line_for([any_model, exact], "gpu", "V100") is any_model
    assert line_for([exact], "cpu", "") is None
