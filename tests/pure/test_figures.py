"""Do shown numbers keep their promises: parts add up, certainty is earned, units stand by?"""

import re
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from alldata.portal.figures import THIN, amount, digits, money, money_parts, percent, size, unit_price

AMOUNTS = st.integers(0, 10**13)


def number(text: str) -> Decimal:
    return Decimal(re.sub(r"[^0-9.]", "", text))


@given(st.lists(AMOUNTS, min_size=1, max_size=9))
def test_shown_parts_add_up_to_the_shown_total(parts: list[int]) -> None:
    texts, total = money_parts(parts)
    assert sum(map(number, texts)) == number(total)


@given(AMOUNTS)
def test_something_is_never_shown_as_nothing(nano: int) -> None:
    assert (number(money(nano)) == 0) is (nano == 0)


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_hundred_percent_means_all_of_it(part: int, whole: int) -> None:
    shown = percent(min(part, whole), whole)
    assert (shown == f"100{THIN}%") is (part >= whole)


def test_ordinary_money_has_two_decimals_and_a_real_minus() -> None:
    assert (money(18_730_000_000), money(-1_450_000_000, "USD")) == ("¥18.73", "\u2212$1.45")


def test_bandwidth_is_decimal_and_memory_binary() -> None:
    assert amount(1_493_000_000_000, "hbm_bandwidth") == f"1.49{THIN}TB/s"
    assert amount(2**30, "memory_bytes") == size(2**30) == f"1{THIN}GiB"


def test_shares_cores_and_rates_read_like_speech() -> None:
    shown = [amount(620_000, "gpu_sm"), amount(1500, "cpu_millicores"), amount(471_000, "storage_iops")]
    assert shown == [f"62{THIN}%", "1.5", f"471k{THIN}IOPS"]


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_digits_never_turn_into_exponents(value: float) -> None:
    assert "E" not in digits(value).upper()


def test_a_unit_below_a_nano_keeps_its_digits() -> None:
    assert unit_price(Fraction(1, 3), "CNY") == "¥0.000000000333"
    assert unit_price(Fraction(3_700_000_001, 3), "CNY") == unit_price(1_233_333_333, "CNY") == "¥1.233"
