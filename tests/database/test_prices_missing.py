"""What if a price is missing, replaced, or in another currency (E8, L20)?"""

import pytest

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.kernel.money import BadAmount
from alldata.tenancy.viewer import Viewer
from costing.errors import BadPriceBook
from costing.models import LedgerEntry
from costing.pricing.exchange import ExchangeRate
from costing.rating import price_nano
from costing.selectors.health import health
from costing.selectors.prices import price_history
from costing.services.books import publish_prices
from costing.services.cloud_lists import CloudList, read_cloud_list
from costing.services.exchange import note_rate
from costing.services.ledger import book_hour
from costing.services.lists import read_price_list
from tests.fleet import AGENT, HBM, HOUR, LATER, PRICES, gpu, take, window
from tests.money import HALF, HBM_RATE, WHOLE, nano

LIST = "instance,gpu_model,gpus,vcpus,memory_gib,storage_gib,hourly,currency\np4d,A100,8,96,1152,8000,32.77,USD\n"


def book(*hours: int) -> None:
    for hour_ms in hours or (HOUR,):
        book_hour(AGENT, hour_ms, now_ms=max(LATER, hour_ms + 3 * HOUR_MS))


def test_e8_what_has_no_price_has_no_entry_and_is_named(viewer: Viewer) -> None:
    device = gpu(prices=PRICES.replace("type: gpu", "type: gpu, model: H100"))
    take(window(0, WHOLE, HBM * HOUR_MS))
    book()
    assert (LedgerEntry.objects.count(), health(now_ms=LATER).unpriced) == (0, (("gpu", device.model),))


def test_e8_a_price_changed_in_the_middle_leaves_the_past_as_it_was(viewer: Viewer) -> None:
    gpu()
    take(window(0, Interval(HOUR, HALF), 0))
    book_hour(AGENT, HOUR, now_ms=HALF)
    before = nano()
    publish_prices(read_price_list(PRICES.replace("12.5", "25")), now_ms=HALF)
    take(window(1, Interval(HALF, WHOLE.end_ms), 0))
    book()
    assert before == price_nano(HBM_RATE, Interval(HOUR, HALF)) + price_nano(5_000_000_000, Interval(HOUR, HALF))
    assert nano() == before + before * 2
    assert not LedgerEntry.objects.filter(nano__lt=0).exists()


def test_e8_two_books_are_one_history_and_one_moment_has_one_price(viewer: Viewer) -> None:
    gpu()
    publish_prices(read_price_list(PRICES.replace("name: law", "name: contracted").replace("12.5", "10")), now_ms=HALF)
    names = [(p.name, p.from_ms, p.until_ms) for p in price_history()]
    assert names == [("law r1", 0, HALF), ("contracted r1", HALF, None)]


def test_l20_a_book_in_another_currency_is_refused(viewer: Viewer) -> None:
    gpu()
    with pytest.raises(BadPriceBook):
        publish_prices(read_price_list(PRICES.replace("CNY", "USD").replace("name: law", "name: usd")), now_ms=HALF)


def test_l20_a_list_keeps_the_one_rate_that_was_known_when_it_was_read(viewer: Viewer) -> None:
    """A gap in the rates is a refusal, never a rate of 1; a rate that becomes known later changes nothing."""
    asked = CloudList("cloud", "CNY", LIST, "test")
    with pytest.raises(BadPriceBook):
        read_cloud_list(asked, now_ms=HOUR)
    note_rate(ExchangeRate("USD", "CNY", HOUR, 7_000_000_000), "test")
    first = read_cloud_list(asked, now_ms=HALF)
    note_rate(ExchangeRate("USD", "CNY", HALF + 1, 8_000_000_000), "test")
    assert read_cloud_list(asked, now_ms=HALF) == first
    assert first.facts == {"exchange": [["USD", "CNY", HOUR, 7_000_000_000]]}


@pytest.mark.parametrize("bad", ["-1", "0.0000000001", "1e400", "NaN"])
def test_e8_an_amount_that_is_none_is_refused(bad: str) -> None:
    with pytest.raises((BadAmount, BadPriceBook)):
        read_price_list(PRICES.replace('"12.5"', f'"{bad}"'))
