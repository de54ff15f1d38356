"""Prices and booked entries never change, and racing bookers book once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Sum

from alldata.agent.wire import DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.kernel.money import BadAmount
from costing.errors import BadPriceBook
from costing.models import LedgerEntry, PriceVersion
from costing.rating import price_nano
from costing.selectors.prices import price_history, prices_at
from costing.selectors.summary import capacity_cost
from costing.services.agenda import mark, work_off
from costing.services.books import EMBEDDED_FILE, ensure_price_book, publish_prices
from costing.services.ledger import book_hour
from costing.services.lists import read_price_list
from costing.services.quotes import BookQuotes
from costing.tasks import book
from monitoring.services.ingest import ingest_frame
from tests.world import NODE, NOW, machine

CPU = f"{NODE}/numa0/cpu"
HOUR = NOW // HOUR_MS * HOUR_MS
CORE = 224_438_100
TEXT = EMBEDDED_FILE.read_text(encoding="utf-8")
DEARER = TEXT.replace("0.2244381", "0.4488762")


def minute(seq: int = 0) -> None:
    """One minute in which the machine's cores were half busy for nobody."""
    start = NOW + seq * 60_000
    usage = {"cpu_millicores": Usage(1000 * 60_000, "measured", "measured")}
    ingest_frame(Frame("e", seq, start, start + 60_000, (DeviceUsage(CPU, usage),)), agent=NODE, now_ms=start + 60_000)


@pytest.fixture
def priced_machine() -> None:
    machine()
    ensure_price_book(now_ms=NOW)
    minute()


def total() -> int:
    return LedgerEntry.objects.filter(device=CPU).aggregate(nano=Sum("nano"))["nano"] or 0


@pytest.mark.parametrize("table", ["ledger_entry", "costing_priceversion", "costing_pricerate"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET id = id"])
def test_books_are_append_only(priced_machine: None, table: str, statement: str) -> None:
    book_hour(NODE, HOUR, now_ms=NOW + 60_000)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table))


def test_publishing_the_same_prices_again_changes_nothing() -> None:
    assert ensure_price_book(now_ms=NOW) == ensure_price_book(now_ms=NOW + 1) == "embedded r1"
    assert PriceVersion.objects.count() == 1


def test_a_new_price_applies_from_its_moment_on(priced_machine: None) -> None:
    publish_prices(read_price_list(DEARER), now_ms=NOW + 30_000)
    book_hour(NODE, HOUR, now_ms=NOW + 60_000)
    cheap, dear = Interval(NOW, NOW + 30_000), Interval(NOW + 30_000, NOW + 60_000)
    assert total() == price_nano(2 * CORE, cheap) + price_nano(4 * CORE, dear)
    assert [prices.name for prices in price_history()] == ["embedded r1", "embedded r2"]
    assert prices_at(NOW).name == "embedded r1"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("1000000}", "999999}", BadPriceBook),
        ("type: cpu", "type: quantum", BadPriceBook),
        ("0.2244381", "x", BadAmount),
    ],
)
def test_a_wrong_price_list_is_refused(old: str, new: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_price_list(TEXT.replace(old, new))


def test_quotes_are_the_rates_that_the_ledger_books() -> None:
    machine()
    quotes = BookQuotes(lambda: NOW)
    assert (list(quotes.rates([CPU])), quotes.edition()) == ([], "")
    ensure_price_book(now_ms=NOW)
    assert quotes.edition() == str(prices_at(NOW).version_id)
    assert [(r.dimension, r.nano_per_hour) for r in quotes.rates([CPU])] == [("cpu_millicores", 2 * CORE)]
    assert quotes.currency() == "CNY"


def test_capacity_buckets_sum_to_the_capacity_price(priced_machine: None) -> None:
    book_hour(NODE, HOUR, now_ms=NOW + 60_000)
    capacity = capacity_cost(from_ms=NOW, to_ms=NOW + 1)
    assert capacity.capacity_nano == sum(capacity.buckets.values()) > total()


def test_an_idle_machine_is_booked_by_the_periodic_task_alone(priced_machine: None) -> None:
    assert book() > 0
    assert total() >= price_nano(2 * CORE, Interval(NOW, NOW + 60_000))


@pytest.mark.django_db(transaction=True)
def test_racing_bookers_book_once() -> None:
    machine()
    ensure_price_book(now_ms=NOW)
    minute()
    mark(NODE, NOW, NOW, due_ms=NOW)

    def booker(direct: bool) -> None:
        try:
            book_hour(NODE, HOUR, now_ms=NOW + 60_000) if direct else work_off(now_ms=NOW + 60_000)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(booker, [True, False, True, False]))
    assert total() == price_nano(2 * CORE, Interval(NOW, NOW + 60_000))
