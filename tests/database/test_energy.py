"""Measured joules x PUE x tariff: a price of what was used, with no idle (the design's 2.5)."""

import pytest
from django.contrib.auth.models import User
from django.db.models import Sum

from alldata.agent.wire import DeviceUsage, Frame, Quality, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.errors import BadPriceBook
from costing.models import LedgerEntry
from costing.pricing.own import Power, energy_nano, used_nano
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job
from costing.selectors.focus import focus_rows
from costing.services.books import publish_prices
from costing.services.ledger import book_hour
from costing.services.lists import read_price_list
from costing.services.preview import preview_prices
from scheduling.models import Attempt
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, PRICES, attempt, gpu, holds, job, take

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
ENERGY = PRICES + 'energy: {pue: "1.3", tariff: "0.8"}\n'
POWER = Power(1_300_000, 800_000_000)
WATTS = 400
MILLIJOULES = WATTS * 3_600_000


@pytest.fixture
def viewer() -> Viewer:
    made = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    return viewer_of_user(User.objects.get(pk=made.user_id))


def drawn(span: Interval, watts: int, *, seq: int = 0, quality: Quality = "measured") -> None:
    """A window in which the card drew so much on the mean."""
    usage = {"power": Usage(watts * 1000 * span.length_ms, "driver", quality)}
    take(Frame("boot:1", seq, span.start_ms, span.end_ms, (DeviceUsage(GPU, usage),)))


def tenants(viewer: Viewer, *spans: Interval, prices: str = ENERGY) -> list[Attempt]:
    """One job a span, each with half the card's bandwidth."""
    device = gpu(prices=prices)
    assert viewer.default_project_id is not None
    found = []
    for number, span in enumerate(spans, start=1):
        found.append(attempt(job(viewer.default_project_id, viewer.organisation_id, number), device))
        holds(found[-1], device, HBM // 2, span)
    return found


def booked(**where: object) -> dict[str, int]:
    rows = LedgerEntry.objects.filter(dimension="power", **where).values_list("bucket").annotate(n=Sum("nano"))
    return {bucket: int(n) for bucket, n in rows}


def test_a_job_pays_the_energy_of_its_card_and_nobody_pays_for_none(viewer: Viewer) -> None:
    (who,) = tenants(viewer, WHOLE)
    drawn(WHOLE, WATTS)
    book_hour(AGENT, HOUR, now_ms=LATER)
    assert booked() == {"used": energy_nano(MILLIJOULES, POWER)} == {"used": 416_000_000}
    cost = cost_of_job(viewer, str(who.job_id))
    assert {part.dimension: part.charged_nano for part in cost.parts}["power"] == 416_000_000


def test_energy_is_divided_like_the_card_and_the_rest_is_the_systems(viewer: Viewer) -> None:
    first, second = tenants(viewer, Interval(HOUR, HALF), Interval(HOUR, HALF + HOUR_MS // 4))
    drawn(WHOLE, WATTS)
    book_hour(AGENT, HOUR, now_ms=LATER)
    quarter = energy_nano(MILLIJOULES, POWER) // 4
    assert booked(attempt_id=first.id) == {"used": quarter}
    assert booked(attempt_id=second.id) == {"used": 2 * quarter}
    assert booked(attempt_id=None) == {"system": quarter}


def test_the_hours_of_the_card_cost_what_they_cost_without_it(viewer: Viewer) -> None:
    tenants(viewer, WHOLE)
    drawn(WHOLE, WATTS)
    book_hour(AGENT, HOUR, now_ms=LATER)
    rest = LedgerEntry.objects.exclude(dimension="power").aggregate(n=Sum("nano"))["n"]
    assert rest == price_nano(12_500_000_000, WHOLE)


@pytest.mark.parametrize("steps", [1, 7])
def test_growing_in_steps_comes_to_the_energy_of_the_hour(viewer: Viewer, steps: int) -> None:
    tenants(viewer, WHOLE)
    for k in range(steps):
        drawn(Interval(HOUR + k * HOUR_MS // steps, HOUR + (k + 1) * HOUR_MS // steps), WATTS + k, seq=k)
        book_hour(AGENT, HOUR, now_ms=LATER + k)
    q = int(LedgerEntry.objects.filter(dimension="power").aggregate(n=Sum("q"))["n"])
    assert sum(booked().values()) == used_nano(q, POWER)
    assert q == sum((WATTS + k) * 1000 * ((k + 1) * HOUR_MS // steps - k * HOUR_MS // steps) for k in range(steps))


def test_a_book_without_a_tariff_bills_no_energy(viewer: Viewer) -> None:
    tenants(viewer, WHOLE, prices=PRICES)
    drawn(WHOLE, WATTS)
    book_hour(AGENT, HOUR, now_ms=LATER)
    assert booked() == {}


def test_a_focus_file_has_kilowatt_hours_at_their_price(viewer: Viewer) -> None:
    tenants(viewer, WHOLE)
    drawn(WHOLE, WATTS)
    book_hour(AGENT, HOUR, now_ms=LATER)
    rows = focus_rows(viewer, from_ms=HOUR, to_ms=WHOLE.end_ms)
    (row,) = [row for row in rows if row["SkuMeter"] == "power"]
    shown = {name: row[name] for name in ("ListUnitPrice", "PricingQuantity", "PricingUnit", "ConsumedQuantity")}
    assert shown == {
        "ListUnitPrice": "1.04", "PricingQuantity": "0.4", "PricingUnit": "kWh", "ConsumedQuantity": "0.4"
    }  # fmt: skip


def test_a_preview_prices_the_energy_again(viewer: Viewer) -> None:
    tenants(viewer, WHOLE)
    drawn(WHOLE, WATTS)
    book_hour(AGENT, HOUR, now_ms=LATER)
    dearer = read_price_list(ENERGY.replace('"0.8"', '"1.6"'))
    found = preview_prices(viewer, dearer, from_ms=HOUR, to_ms=WHOLE.end_ms)
    (project,) = found.projects
    assert (project.new_nano - project.old_nano, found.unpriced) == (416_000_000, [])


@pytest.mark.parametrize(
    "bad", ['{pue: "0.9", tariff: "1"}', '{pue: "1.3"}', '{tariff: "-1"}', "3", '{tariff: "1", x: 1}']
)
def test_a_tariff_that_cannot_be_is_refused(viewer: Viewer, bad: str) -> None:
    with pytest.raises(BadPriceBook):
        read_price_list(PRICES + f"energy: {bad}\n")


def test_energy_is_not_billed_twice(viewer: Viewer) -> None:
    own = ENERGY.replace('hourly: "12.5"', 'own: {capex: "1000", watts: "400", tariff: "0.8"}')
    with pytest.raises(BadPriceBook, match="not both"):
        publish_prices(read_price_list(own), now_ms=HOUR)
