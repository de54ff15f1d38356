"""Whatever an hour was like, every way to ask for it gives the same money (L4, L10, L11, L12, L14, L16)."""

import csv
import io
import json
from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import Frame
from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from alldata.kernel.money import NANO, parse_nano
from alldata.tenancy.viewer import Viewer
from costing.api.breakdown import answer_json, csv_response
from costing.models import LedgerEntry
from costing.pricing.charging import Mode, charged
from costing.rating import price_nano
from costing.selectors.breakdown import breakdown
from costing.selectors.costs import cost_of_job, spend_of_jobs
from costing.selectors.focus import focus_rows
from costing.selectors.focus_cells import Cells
from costing.selectors.prices import price_history
from costing.selectors.questions import Answer, By, Question
from costing.selectors.summary import capacity_cost, cost_by_project
from costing.services.days import sum_day
from costing.services.ledger import book_hour
from costing.services.metering import rate_hour
from scheduling.models import Device, DeviceCapacity, Job
from tests.fleet import AGENT, HBM, HOUR, LATER, PRICES, gpu, take
from tests.hours import LAW, attempts, claims, example, hours, watched_gpu
from tests.world import home

FEW = settings(LAW, max_examples=6)
WHOLE = Interval(HOUR, HOUR + HOUR_MS)
DAY = HOUR // DAY_MS * DAY_MS
KEYS = ("project_id", "job_id", "device", "dimension", "hour_ms", "bucket", "attempt_id")
Held = list[tuple[int, Interval]]


@pytest.fixture
def viewer() -> Viewer:
    return home()


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


def total(**where: object) -> int:
    return int(LedgerEntry.objects.filter(**where).aggregate(nano=Sum("nano"))["nano"] or 0)


def rated(span: Interval) -> dict[str, tuple[int, int]]:
    """(q, nano) of HBM bandwidth by bucket, and of all buckets together."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for account, amount in rate_hour(AGENT, span, price_history()).amounts.items():
        if account.dimension == "hbm_bandwidth":
            for key in (account.bucket.value, "all"):
                found[key] = found[key][0] + amount.q, found[key][1] + amount.nano
    return found


@FEW
@given(frames=hours(), held=claims(), cuts=st.sets(st.integers(HOUR + 1, WHOLE.end_ms - 1), max_size=4))
def test_l4_any_partition_of_the_hour_comes_to_the_hour(
    viewer: Viewer, device: Device, frames: list[Frame], held: Held, cuts: set[int]
) -> None:
    for _ in example():
        attempts(viewer, device, held)
        take(*frames)
        book_hour(AGENT, HOUR, now_ms=LATER)
        whole = rated(WHOLE)
        parts = [rated(Interval(*edges)) for edges in pairwise(sorted({HOUR, WHOLE.end_ms, *cuts}))]
        assert sum(part["all"][0] for part in parts) == whole["all"][0] == HBM * HOUR_MS
        assert sum(part["all"][1] for part in parts) == whole["all"][1] == price_nano(7_500_000_000, WHOLE)
        used = [sum(part[bucket][0] for part in parts for bucket in ("used", "system"))]
        assert used == [whole["used"][0] + whole["system"][0]]
        assert abs(sum(part["used"][1] for part in parts) - whole["used"][1]) <= 4 * len(parts)


@FEW
@given(frames=hours(), held=claims())
def test_l10_another_unit_leaves_the_money(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> None:
    """The same card described in thousands of bytes and in bytes: capacities, claims and integrals times 1000."""
    found = []
    for scale in (1, 1000):
        for _ in example():
            DeviceCapacity.objects.update(capacity_hbm_bandwidth=HBM // 1000 * scale)
            attempts(viewer, device, [(-(-amount // 1000) * scale, span) for amount, span in held])
            take(*(scaled(frame, scale) for frame in frames))
            book_hour(AGENT, HOUR, now_ms=LATER)
            rows = LedgerEntry.objects.values_list("dimension", "bucket").annotate(n=Sum("nano"))
            found.append(sorted((*row[:2], int(row[2])) for row in rows if row[2]))
    assert found[0] == found[1]


def scaled(frame: Frame, scale: int) -> Frame:
    (card,) = frame.devices
    usage = card.dims["hbm_bandwidth"]
    assert usage.q is not None
    dims = {"hbm_bandwidth": replace(usage, q=usage.q // 1000 * scale)}
    return replace(frame, devices=(replace(card, dims=dims),))


@FEW
@given(frames=hours(), held=claims())
def test_l11_any_set_of_keys_sums_to_the_total(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> None:
    for _ in example():
        worked(viewer, device, frames, held)
        for keys in (keys for size in (1, 2, 3) for keys in combinations(KEYS, size)):
            rows = LedgerEntry.objects.order_by().values(*keys).annotate(n=Sum("nano"))
            assert sum(row["n"] for row in rows) == total()
        for by in (By.TEAM, By.PROJECT, By.CAPABILITY, By.BUCKET, By.DEVICE, By.DAY):
            answer = asked(viewer, by, limit=1)
            rows_and_rest = [*answer.rows, *([answer.rest] if answer.rest else [])]
            assert answer.total.total_nano == total()
            assert sum(row.amounts.total_nano for row in rows_and_rest) == total()
            shown = (2 * answer.total.charged_nano + 10_000_000) // 20_000_000
            assert sum(row.charged_minor for row in rows_and_rest) == shown
            assert sum(row.share_permille for row in rows_and_rest) in (0, 1000)


@FEW
@given(frames=hours(), held=claims(), mode=st.sampled_from(list(Mode)), part=st.integers(0, 4))
def test_l12_a_mode_charges_differently_and_sums_the_same(
    viewer: Viewer, frames: list[Frame], held: Held, mode: Mode, part: int
) -> None:
    for _ in example():
        text = f"source: test\ncharge_mode: {mode.value}\nblend: {part / 4}"
        jobs = worked(viewer, gpu(at_ms=HOUR - 1000, prices=PRICES.replace("source: test", text)), frames, held)
        rows = LedgerEntry.objects.exclude(job_id=None).values_list("bucket", "dimension", "attempt_id")
        due = sum(charged(row[0], int(row[-1]), mode, part * 250_000) for row in rows.annotate(n=Sum("nano")))
        answer = asked(viewer, By.PROJECT)
        assert (answer.total.charged_nano, answer.total.total_nano) == (due, total())
        assert total() in (0, price_nano(12_500_000_000, WHOLE))
        assert sum(spend.nano for spend in spend_of_jobs([row.id for row in jobs]).values()) == due


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
        assert cost(shares) == cost(origins) == Fraction(total(), NANO)
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
        assert sum(parse_nano(row["total"]) for row in table) == total()
        assert sum(parse_nano(row["charged"]) for row in table) == answer.total.charged_nano
        assert api["total"]["total"]["nano"] == str(total())  # type: ignore[index]
        assert capacity_cost(from_ms=DAY, to_ms=DAY + DAY_MS).capacity_nano == total()
        assert cost(list(focus_rows(viewer, from_ms=HOUR, to_ms=WHOLE.end_ms))) == Fraction(total(), NANO)
        single = [cost_of_job(viewer, str(row.id)) for row in jobs]
        assert sum(one.held_nano for one in single) == total(job_id__isnull=False)
        assert sum(one.charged_nano for one in single) == answer.total.charged_nano
        (project,) = cost_by_project(viewer, from_ms=DAY, to_ms=DAY + DAY_MS)
        assert project.charged_nano == answer.total.charged_nano
