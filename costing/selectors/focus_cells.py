"""One account of an hour as the cells of a FOCUS row. Null is None, never "" or 0."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import UUID

from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.selectors import ProjectView
from costing.pricing import focus
from costing.selectors.prices import Prices
from profiles.dimensions import BY_NAME, POWER

Cells = dict[str, str | None]
METHOD = "crater-capability-v1"
OPERATOR = "Crater"
JOB_BUCKETS = ("used", "allocated_idle", "unmetered")
SERVICES: Mapping[str, tuple[str, str, str]] = {
    "gpu": ("AI and Machine Learning", "Machine Learning", "Crater GPU"),
    "cpu": ("Compute", "Other (Compute)", "Crater CPU"),
    "memory": ("Compute", "Other (Compute)", "Crater Memory"),
    "storage": ("Storage", "Other (Storage)", "Crater Storage"),
    "network": ("Networking", "Other (Networking)", "Crater Network"),
    "link": ("Networking", "Other (Networking)", "Crater Links"),
}


@dataclass(frozen=True, slots=True)
class Account:
    """What one bucket of one capability of one device in one hour came to, for one job."""

    node: str
    device: str
    dimension: str
    version: UUID
    late: bool
    bucket: str
    job_id: UUID | None
    project_id: UUID | None
    invoice: str | None
    q: int
    nano: int
    revision: int

    def origin(self) -> tuple[str, str, str, UUID, bool]:
        """The charge that this is a share of."""
        return self.node, self.device, self.dimension, self.version, self.late


def account_of(row: Sequence[Any]) -> Account:
    """A row of the accounts query; its quantities come as Decimal."""
    names = Account.__slots__
    return Account(**dict(zip(names, row, strict=True)) | {"q": int(row[9]), "nano": int(row[10])})


@dataclass(frozen=True, slots=True)
class Rate:
    """Nano for an hour of the whole capability, and what the device is."""

    nano_per_hour: int
    capacity: int
    device_type: str
    model: str


@dataclass(slots=True)
class Context:
    """What every row of a file needs beside its account."""

    projects: Mapping[UUID, ProjectView]
    prices: Mapping[UUID, Prices]
    hour_ms: int = 0
    rates: Mapping[tuple[str, str, UUID], Rate] = field(default_factory=dict)
    jobs: Mapping[UUID, str] = field(default_factory=dict)


def origin_cells(context: Context, accounts: Sequence[Account]) -> Cells:
    """The whole charge, before it is split."""
    first = accounts[0]
    nano = sum(a.nano for a in accounts)
    cells = _common(context, first, nano)
    return {**cells, "ChargeDescription": f"{first.dimension} of {first.device}", "x_CostBucket": None}


def share_cells(context: Context, accounts: Sequence[Account], *, everything: bool) -> Iterator[Cells]:
    """The shares of one charge that may be seen; ratios are of the whole charge."""
    shares: Sequence[str | None] = [None] * len(accounts)
    if not accounts[0].late:
        shares = focus.ratios([a.nano for a in accounts])
    for account, ratio in zip(accounts, shares, strict=True):
        if everything or account.project_id in context.projects:
            yield _share(context, account, ratio)


def _share(context: Context, account: Account, ratio: str | None) -> Cells:
    job = str(account.job_id) if account.job_id and account.bucket in JOB_BUCKETS else None
    name = context.jobs.get(account.job_id) if account.job_id else None
    quantity, unit = focus.consumed(account.q, BY_NAME[account.dimension].unit)
    used = account.bucket == "used"
    element = {"AllocatedRatio": ratio, "UsageUnit": unit, "UsageQuantity": quantity}
    return {
        **_common(context, account, account.nano),
        "ChargeDescription": f"{account.dimension} of {account.device}, {account.bucket}, {name or 'nobody'}",
        "ConsumedQuantity": quantity if used else None,
        "ConsumedUnit": unit if used else None,
        "AllocatedMethodId": METHOD,
        "AllocatedMethodDetails": json.dumps({"Elements": [element]}) if ratio is not None else None,
        "AllocatedResourceId": job,
        "AllocatedResourceName": name,
        "x_CostBucket": account.bucket,
    }


def _common(context: Context, account: Account, nano: int) -> Cells:
    """Columns that an origin and its shares have alike."""
    rate = context.rates.get((account.device, account.dimension, account.version), Rate(0, 0, "", ""))
    prices = context.prices[account.version]
    category, subcategory, service = SERVICES.get(rate.device_type, ("Other", "Other (Other)", "Crater"))
    price, quantity = focus.cost(rate.nano_per_hour), focus.pricing_quantity(nano, rate.nano_per_hour)
    cost = focus.cost(nano)
    start, end = focus.month_of(context.hour_ms)
    return {
        **dict.fromkeys(("BilledCost", "EffectiveCost", "ListCost", "ContractedCost"), cost),
        **_owner(context, account),
        "BillingCurrency": prices.currency,
        "BillingPeriodStart": focus.stamp(start),
        "BillingPeriodEnd": focus.stamp(end),
        "ChargePeriodStart": focus.stamp(context.hour_ms),
        "ChargePeriodEnd": focus.stamp(context.hour_ms + HOUR_MS),
        "ChargeCategory": "Usage",
        "ChargeClass": "Correction" if account.late else None,
        "ChargeFrequency": "Usage-Based",
        "PricingCategory": "Standard",
        "PricingQuantity": focus.plain(Decimal(quantity)),
        "PricingUnit": "kWh" if account.dimension == POWER else "Hours",
        "ListUnitPrice": price,
        "ContractedUnitPrice": price,
        "ServiceCategory": category,
        "ServiceSubcategory": subcategory,
        "ServiceName": service,
        **dict.fromkeys(("ServiceProviderName", "HostProviderName", "InvoiceIssuerName"), OPERATOR),
        "InvoiceId": account.invoice,
        "ResourceId": account.device,
        "ResourceName": f"{account.node} {account.device}",
        "ResourceType": rate.device_type or None,
        "SkuId": rate.model or rate.device_type or None,
        "SkuMeter": account.dimension,
        "SkuPriceId": prices.name,
        "SkuPriceDetails": json.dumps({"x_Capacity": rate.capacity, "x_Unit": BY_NAME[account.dimension].unit}),
        "x_LedgerRevision": str(account.revision),
    }


def _owner(context: Context, account: Account) -> Cells:
    """Who pays: the project's organisation; capacity of nobody is the operator's."""
    project = context.projects.get(account.project_id) if account.project_id else None
    anyone = project or next(iter(context.projects.values()), None)
    return {
        "BillingAccountId": str(anyone.organisation_id) if anyone else OPERATOR,
        "BillingAccountName": anyone.organisation if anyone else None,
        "SubAccountId": str(account.project_id) if account.project_id else None,
        "SubAccountName": project.name if project else None,
        "SubAccountType": "Project" if account.project_id else None,
    }
