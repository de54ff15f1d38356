"""What was held and used of a node's devices in one hour, and what is that worth?

A pure function of what is stored: frames, claims, supplies and prices up to a moment. So a
provisional booking, the close of an hour and a correction for late data are the same call,
and calling it twice changes nothing. Next: services/ledger.py books the difference.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from alldata.kernel.intervals import Interval
from costing.pricing import capability_rates, line_for
from costing.rating import Bucket, Evidence, Holding, Slice, overlap, rate_slice
from costing.selectors.prices import Prices
from costing.services.evidence import HourUsage, attempt_id_of, usage_of_hour
from scheduling.selectors.answers import AllocationSpan, Supply
from scheduling.selectors.metering import allocations_between, supplies


@dataclass(frozen=True, slots=True)
class Account:
    """What an amount is booked under."""

    device: str
    dimension: str
    bucket: Bucket
    attempt: UUID | None
    price_version: UUID


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity (base unit x ms) and its price."""

    q: int = 0
    nano: int = 0

    def plus(self, q: int, nano: int) -> "Amount":
        """Both sums."""
        return Amount(self.q + q, self.nano + nano)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose attempt it is."""

    job_id: UUID
    project_id: UUID


@dataclass(slots=True)
class RatedHour:
    """What a node-hour comes to: the amounts by account, and who owns the attempts in them."""

    amounts: dict[Account, Amount] = field(default_factory=dict)
    owners: dict[UUID, Owner] = field(default_factory=dict)


def rate_hour(node: str, span: Interval, history: list[Prices]) -> RatedHour:
    """Rate every priced capability of the node over the known part of an hour."""
    held = [c for c in allocations_between(span.start_ms, span.end_ms) if c.node == node]
    usage = usage_of_hour(node, span, {str(c.attempt_id) for c in held})
    owners = _owners(node, span, held, usage)
    rated = RatedHour(owners=owners)
    by_device: dict[str, list[Supply]] = {}
    for supply in supplies(span.start_ms, span.end_ms):
        if supply.node == node:
            by_device.setdefault(supply.device, []).append(supply)
    for device in sorted(by_device):
        for prices in history:
            for supply, part in _slices(by_device[device], span, prices):
                evidence = _evidence(supply, held, usage, owners, bills_proxy=prices.bills_proxy)
                _add(rated, supply, part, evidence, prices.version_id)
    return rated


def _owners(node: str, span: Interval, held: list[AllocationSpan], usage: HourUsage) -> dict[UUID, Owner]:
    """Owners of every attempt that held or used something here; unknown keys have none."""
    reported = {attempt for key in usage.attempts if (attempt := attempt_id_of(key))}
    missing = reported - {claim.attempt_id for claim in held}
    late = allocations_between(0, span.end_ms, attempt_ids=missing) if missing else []
    claims = [*held, *(claim for claim in late if claim.node == node)]
    return {claim.attempt_id: Owner(claim.job_id, claim.project_id) for claim in claims}


def _slices(device: list[Supply], span: Interval, prices: Prices) -> Iterator[tuple[Supply, Slice]]:
    """The device's priced capabilities, cut at its service time and at the version's validity."""
    line = line_for(prices.lines, device[0].device_type, device[0].model)
    if line is None:
        return
    rates = capability_rates(line, {supply.dimension: supply.capacity for supply in device})
    valid = _span(prices.from_ms, prices.until_ms, span)
    for supply in device:
        served = _span(supply.since_ms, supply.until_ms, span)
        part = overlap(valid, served) if valid and served else None
        if part is not None and supply.dimension in rates:
            yield supply, Slice(part, supply.capacity, rates[supply.dimension])


def _span(from_ms: int, until_ms: int | None, within: Interval) -> Interval | None:
    end_ms = within.end_ms if until_ms is None else min(until_ms, within.end_ms)
    start_ms = max(from_ms, within.start_ms)
    return Interval(start_ms, end_ms) if start_ms < end_ms else None


def _evidence(
    supply: Supply, held: list[AllocationSpan], usage: HourUsage, owners: Mapping[UUID, Owner], *, bills_proxy: bool
) -> Evidence:
    holdings = [
        Holding(str(claim.attempt_id), claim.amount, span)
        for claim in held
        if claim.device == supply.device and claim.dimension == supply.dimension
        if (span := _span(claim.start_ms, claim.end_ms, usage.span)) is not None
    ]
    known = {str(attempt) for attempt in owners}
    return usage.evidence(supply, holdings, known, bills_proxy=bills_proxy)


def _add(rated: RatedHour, supply: Supply, part: Slice, evidence: Evidence, version: UUID) -> None:
    for line in rate_slice(part, evidence):
        attempt = UUID(line.attempt) if line.attempt else None
        account = Account(supply.device, supply.dimension, line.bucket, attempt, version)
        rated.amounts[account] = rated.amounts.get(account, Amount()).plus(line.q, line.nano)
