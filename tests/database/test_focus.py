"""The FOCUS file is the ledger: sums, ratios, formats (L14, L16)."""

import json
from collections import defaultdict
from decimal import Decimal

import pytest
from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.api.focus import csv_lines
from costing.models import LedgerEntry
from costing.selectors.focus import focus_rows
from costing.selectors.focus_cells import Cells
from costing.services.ledger import book_hour
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.world import home

MANDATORY = {
    "BilledCost",
    "EffectiveCost",
    "ListCost",
    "ContractedCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodStart",
    "BillingPeriodEnd",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "PricingQuantity",
    "PricingUnit",
    "ServiceCategory",
    "ServiceName",
    "ServiceProviderName",
    "HostProviderName",
    "InvoiceIssuerName",
}


@pytest.fixture
def viewer() -> Viewer:
    """Who answers for all capacity, beside an hour with two co-tenants."""
    found = home()
    device = gpu()
    assert found.default_project_id is not None
    for number in (1, 2):
        row = job(found.default_project_id, found.organisation_id, number)
        holds(attempt(row, device), device, HBM // 3, Interval(HOUR, HOUR + HOUR_MS))
    take(window(0, Interval(HOUR, HOUR + HOUR_MS - 7), HBM * HOUR_MS // 7))
    book_hour(AGENT, HOUR, now_ms=LATER)
    return found


def rows(viewer: Viewer, **where: str) -> list[Cells]:
    return list(focus_rows(viewer, from_ms=HOUR, to_ms=HOUR + HOUR_MS, **where))  # type: ignore[arg-type]


def cost(found: list[Cells]) -> Decimal:
    return sum((Decimal(row["EffectiveCost"] or "0") for row in found), Decimal(0))


def test_the_file_sums_to_the_ledger_whatever_its_grain(viewer: Viewer) -> None:
    total = Decimal(LedgerEntry.objects.aggregate(nano=Sum("nano"))["nano"]) / 10**9
    assert cost(rows(viewer)) == cost(rows(viewer, grain="origin")) == total


def test_the_shares_of_an_origin_sum_to_one_and_to_its_cost(viewer: Viewer) -> None:
    ratios: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows(viewer):
        details = json.loads(row["AllocatedMethodDetails"] or "{}")
        ratios[str(row["SkuMeter"])] += Decimal(details["Elements"][0]["AllocatedRatio"])
    assert dict(ratios) == {"gpu_sm": 1, "hbm_bandwidth": 1}
    origins = {row["SkuMeter"]: row["EffectiveCost"] for row in rows(viewer, grain="origin")}
    shares = {meter: cost([row for row in rows(viewer) if row["SkuMeter"] == meter]) for meter in origins}
    assert {meter: Decimal(text or "0") for meter, text in origins.items()} == shares


def test_unit_price_times_quantity_is_the_cost(viewer: Viewer) -> None:
    for row in rows(viewer):
        product = Decimal(row["ListUnitPrice"] or "0") * Decimal(row["PricingQuantity"] or "0")
        assert abs(product - Decimal(row["ListCost"] or "0")) < Decimal("1e-9")


def test_every_mandatory_column_is_there_and_well_formed(viewer: Viewer) -> None:
    for row in rows(viewer):
        assert row.keys() >= MANDATORY
        assert "" not in row.values() and not any("E+" in (value or "") for value in row.values())
        assert str(row["ChargePeriodStart"]).endswith(":00:00Z")
        assert str(row["BillingPeriodStart"]) <= str(row["ChargePeriodStart"]) < str(row["BillingPeriodEnd"])


def test_capacity_of_nobody_has_no_allocated_resource(viewer: Viewer) -> None:
    for row in rows(viewer):
        of_job = row["x_CostBucket"] in ("used", "allocated_idle", "unmetered")
        assert (row["AllocatedResourceId"] is not None) == of_job
        assert (row["ConsumedQuantity"] is not None) == (row["x_CostBucket"] == "used")


def test_version_1_2_names_a_provider_and_splits_nothing(viewer: Viewer) -> None:
    row = rows(viewer, version="1.2")[0]
    assert row["ProviderName"] == "Crater"
    assert not any(name.startswith("Allocated") or name == "HostProviderName" for name in row)


def test_another_tenant_gets_nothing_and_a_member_only_shares(viewer: Viewer) -> None:
    stranger = Viewer(viewer.organisation_id, 9, "s", roles=frozenset({"member"}))
    member = Viewer(viewer.organisation_id, 9, "m", viewer.project_ids, frozenset({"member"}))
    assert rows(stranger) == [] == rows(member, grain="origin")
    assert {row["x_CostBucket"] for row in rows(member)} == {"used", "allocated_idle", "unmetered"}


def test_own_columns_come_last_and_formulas_are_disarmed() -> None:
    lines = list(csv_lines([{"x_Own": "=1+1", "BilledCost": "-1.5", "ResourceId": GPU, "ChargeClass": None}]))
    assert lines == ["BilledCost,ChargeClass,ResourceId,x_Own\r\n", f"-1.5,,{GPU},'=1+1\r\n"]
