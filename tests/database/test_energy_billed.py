"""Measured joules x PUE x tariff: a price of what was used, with no idle (the design's 2.5)."""

import pytest
from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.pricing.own import Power, energy_nano, used_nano
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job
from costing.services.ledger import book_hour
from tests.energy import booked, drawn, tenants
from tests.fleet import AGENT, HOUR, LATER
from tests.money import HALF, WHOLE

POWER = Power(1_300_000, 800_000_000)
WATTS = 400
MILLIJOULES = WATTS * 3_600_000


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
