"""The vocabulary: one meaning for each name, exact conversions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles.dimensions import ADDITIVE, BILLABLE, BY_NAME, DIMENSIONS, attribute, convert, lookup
from profiles.errors import BadQuantity, UnknownCapability


def test_the_order_of_capacity_columns_is_fixed() -> None:
    assert ADDITIVE[:4] == ("cpu_millicores", "memory_bytes", "memory_bandwidth", "gpu_sm") and len(ADDITIVE) == 14
    assert set(ADDITIVE) - set(BILLABLE) == {"gpu_tensor"}


def test_names_are_unique() -> None:
    assert len(BY_NAME) == len(DIMENSIONS)


@pytest.mark.parametrize(
    ("alias", "kind", "name"),
    [
        ("sm_utilization", "gpu", "gpu_sm"),
        ("bandwidth_gbps", "memory", "memory_bandwidth"),
        ("bandwidth_gbps", "storage", "storage_bandwidth"),
        ("memory_bandwidth_gbps", "gpu", "hbm_bandwidth"),
        ("memory_gb", "gpu", "gpu_memory_bytes"),
        ("memory_gb", "memory", "memory_bytes"),
        ("iops", "storage", "storage_iops"),
        ("cores", "cpu", "cpu_millicores"),
    ],
)
def test_an_alias_means_what_its_device_type_says(alias: str, kind: str, name: str) -> None:
    assert lookup(alias, kind)[0].name == name


def test_a_constraint_on_cores_is_a_limit_and_not_a_claim() -> None:
    assert attribute("cores", "cpu")[0].name == "cores"


@pytest.mark.parametrize(
    ("value", "alias", "base"),
    [
        (1.5, "bandwidth_gbps", 1_500_000_000),
        ("200 GB/s", "bandwidth_gbps", 200 * 10**9),
        ("2 GiB", "memory_bytes", 2**31),
    ],
)
def test_values_become_base_units(value: object, alias: str, base: int) -> None:
    assert convert(value, alias, "memory")[1] == base


def test_part_of_a_base_unit_rounds_up() -> None:
    assert convert(0.0001, "cores", "cpu")[1] == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, None, "", "-1", "1e99", [], "9" * 200])
def test_what_is_no_amount_is_refused(value: object) -> None:
    with pytest.raises(BadQuantity):
        convert(value, "iops", "storage")


def test_bits_in_a_bytes_key_show_the_factor_eight() -> None:
    with pytest.raises(BadQuantity, match="divide by 8"):
        convert("100 Gb/s", "bandwidth_gbps", "network")


def test_a_misspelt_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownCapability, match="did you mean iops"):
        lookup("ipos", "storage")


@given(st.sampled_from(ADDITIVE), st.integers(0, 2**62))
def test_every_amount_can_be_shown(name: str, amount: int) -> None:
    assert BY_NAME[name].show(amount)
