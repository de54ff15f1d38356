"""What do price lists, previews and FOCUS files say of measured energy?"""

import pytest

from alldata.tenancy.viewer import Viewer
from costing.errors import BadPriceBook
from costing.selectors.focus import focus_rows
from costing.services.books import publish_prices
from costing.services.ledger import book_hour
from costing.services.lists import read_price_list
from costing.services.preview import preview_prices
from tests.energy import ENERGY, booked, drawn, tenants
from tests.fleet import AGENT, HOUR, LATER, PRICES
from tests.money import WHOLE

WATTS = 400


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
