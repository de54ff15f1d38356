"""Whatever an hour was like, every door gives the same money (L14, L16)."""

import csv
import io
import json
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings

from alldata.agent.wire import Frame
from alldata.kernel.intervals import DAY_MS, Interval
from alldata.kernel.money import NANO, parse_nano
from alldata.tenancy.viewer import Viewer
from costing.api.breakdown import answer_json, csv_response
from costing.selectors.breakdown import breakdown
from costing.selectors.costs import cost_of_job
from costing.selectors.focus import focus_rows
from costing.selectors.focus_cells import Cells
from costing.selectors.questions import Answer, By, Question
from costing.selectors.summary import capacity_cost, cost_by_project
from costing.services.days import sum_day
from costing.services.ledger import book_hour
from scheduling.models import Device, Job
from tests.fleet import AGENT, HOUR, LATER, take
from tests.hours import LAW, attempts, claims, example, hours, watched_gpu
from tests.money import WHOLE, nano

FEW = settings(LAW, max_examples=6)
DAY = HOUR // DAY_MS * DAY_MS
Held = list[tuple[int, Interval]]


@pytest.fixture
def device(viewer: Viewer) -> Device:
    return watched_gpu()


def worked(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> list[Job]:
    """The hour is metered, booked and summed."""
    jobs = attempts(viewer, device, held)
    take(*frames)
    book_hour(AGENT, HOUR, now_ms=LATER)
    sum_day(DAY)
    return jobs


def asked(viewer: Viewer, by: By, **where: object) -> Answer:
    return breakdown(viewer, Question(by, DAY, DAY + DAY_MS, **where))  # type: ignore[arg-type]


def cost(rows: list[Cells], column: str = "EffectiveCost") -> Fraction:
    return sum((Fraction(row[column] or "0") for row in rows), Fraction(0))


@FEW
@given(frames=hours(), held=claims())
def test_l14_a_focus_file_is_the_ledger(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> None:
    for _ in example():
        worked(viewer, device, frames, held)
        shares = list(focus_rows(viewer, from_ms=HOUR, to_ms=WHOLE.end_ms))
        origins = list(focus_rows(viewer, from_ms=HOUR, to_ms=WHOLE.end_ms, grain="origin"))
        for column in ("EffectiveCost", "ListCost", "ContractedCost"):
            assert abs(cost(shares, column) - cost(origins, column)) < Fraction(len(shares) + 1, 10**9)
        assert cost(shares) == cost(origins) == Fraction(nano(), NANO)
        ratios: dict[str, Decimal] = defaultdict(Decimal)
        for row in shares:
            details = json.loads(row["AllocatedMethodDetails"] or "{}")
            ratios[str(row["SkuMeter"])] += Decimal(details["Elements"][0]["AllocatedRatio"])
            product = Fraction(row["ListUnitPrice"] or "0") * Fraction(row["PricingQuantity"] or "0")
            assert abs(product - Fraction(row["ListCost"] or "0")) < Fraction(1, NANO)
            assert str(row["BillingPeriodStart"]) <= str(row["ChargePeriodStart"]) < str(row["BillingPeriodEnd"])
        assert set(ratios.values()) == {1}


@FEW
@given(frames=hours(), held=claims())
def test_l16_every_door_gives_the_same_money(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> None:
    for _ in example():
        jobs = worked(viewer, device, frames, held)
        answer = asked(viewer, By.CAPABILITY)
        api = answer_json(answer)
        table = list(csv.DictReader(io.StringIO(csv_response(answer, bom=False).content.decode())))
        assert sum(parse_nano(row["total"]) for row in table) == nano()
        assert sum(parse_nano(row["charged"]) for row in table) == answer.total.charged_nano
        assert api["total"]["total"]["nano"] == str(nano())  # type: ignore[index]
        assert capacity_cost(from_ms=DAY, to_ms=DAY + DAY_MS).capacity_nano == nano()
        assert cost(list(focus_rows(viewer, from_ms=HOUR, to_ms=WHOLE.end_ms))) == Fraction(nano(), NANO)
        single = [cost_of_job(viewer, str(row.id)) for row in jobs]
        assert sum(one.held_nano for one in single) == nano(job_id__isnull=False)
        assert sum(one.charged_nano for one in single) == answer.total.charged_nano
        (project,) = cost_by_project(viewer, from_ms=DAY, to_ms=DAY + DAY_MS)
        assert project.charged_nano == answer.total.charged_nano
