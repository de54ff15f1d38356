"""What was held and used of a node's devices in one hour, and what is that worth?

A pure function of what is stored: frames, claims, supplies and prices up to a moment. So a
provisional booking, the close of an hour and a correction for late data are the same call,
and calling it twice changes nothing. Next: services/ledger.py books the difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from uuid import UUID

from alldata.kernel.intervals import Interval
from costing.pricing import Rated, Stranded, card_of, card_rates
from costing.pricing.own import used_nano
from costing.rating import Bucket, Evidence, Holding, Line, Slice, rate_slice, rate_usage
from costing.selectors.capacity import Supplied, supplied
from costing.selectors.prices import Prices
from costing.services.evidence import Held, HourUsage, attempt_id_of, usage_of_hour
from profiles.dimensions import POWER
from scheduling.selectors.answers.metering import AllocationSpan
from scheduling.selectors.metering import allocations_between

PPM = 1_000_000


@dataclass(frozen=True, slots=True)
class Account:
    """What an amount is booked under."""

    device: str
    dimension: str
    bucket: Bucket
    attempt: UUID | None
    price_version: UUID

    def order(self) -> tuple[str, str, str, int, int]:
        """Entries of one booking are written in this order."""
        attempt = self.attempt.int if self.attempt else -1
        return self.device, self.dimension, self.bucket.value, attempt, self.price_version.int


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

    def put(self, account: Account, line: Line) -> None:
        """Add a line to what is under the account."""
        self.amounts[account] = self.amounts.get(account, Amount()).plus(line.q, line.nano)


def rate_hour(node: str, span: Interval, history: list[Prices]) -> RatedHour:
    """Rate every priced capability of the node over the known part of an hour."""
    held = allocations_between(span.start_ms, span.end_ms, node=node)
    usage = usage_of_hour(node, span, {str(c.attempt_id) for c in held})
    usage.never_ran = frozenset(str(c.attempt_id) for c in held if not c.ran)
    rated = RatedHour(owners=_owners(node, span, held, usage))
    claims: dict[str, list[AllocationSpan]] = {}
    for claim in held:
        claims.setdefault(claim.device, []).append(claim)
    cards: dict[str, list[Supplied]] = {}
    for supply in supplied(node, span):
        cards.setdefault(card_of(supply), []).append(supply)
    owned = {str(attempt) for attempt in rated.owners}
    for prices in history:
        if _span(prices.from_ms, prices.until_ms, span) is None:
            continue
        for card in sorted(cards):
            for supply, part in _slices(cards[card], span, prices):
                mine = _held(claims.get(supply.device, ()), cards[card], supply, part)
                evidence = usage.evidence(supply, part, Held(*mine, owned), bills_proxy=prices.bills_proxy)
                _add(rated, supply, part, evidence, prices.version_id)
        if prices.energy:
            _add_energy(rated, usage, cards, claims, prices)
    return rated


def _owners(node: str, span: Interval, held: list[AllocationSpan], usage: HourUsage) -> dict[UUID, Owner]:
    """Owners of every attempt that held or used something here; unknown keys have none."""
    reported = {attempt for key in usage.attempts if (attempt := attempt_id_of(key))}
    missing = reported - {claim.attempt_id for claim in held}
    late = allocations_between(0, span.end_ms, attempt_ids=missing, node=node) if missing else []
    claims = [*held, *late]
    return {claim.attempt_id: Owner(claim.job_id, claim.project_id) for claim in claims}


def _slices(card: list[Supplied], span: Interval, prices: Prices) -> Iterator[tuple[Supplied, Slice]]:
    """The priced capabilities of a device (or of a card and its parts), cut where prices or capacities change."""
    valid = _span(prices.from_ms, prices.until_ms, span)
    if valid is None:
        return
    cuts = {valid.start_ms, valid.end_ms}
    for supply in card:
        cuts.update(at for at in (supply.since_ms, supply.until_ms) if at and valid.start_ms < at < valid.end_ms)
    for start_ms, end_ms in pairwise(sorted(cuts)):
        part = Interval(start_ms, end_ms)
        live = [s for s in card if s.since_ms <= start_ms and (s.until_ms is None or s.until_ms >= end_ms)]
        rated = card_rates(prices.lines, live) if live else Rated({})
        for supply in live:
            nano = rated.nano_per_hour.get((supply.device, supply.dimension))
            if nano is not None:
                yield supply, Slice(part, supply.capacity, nano)
        for left in rated.stranded:
            yield _left_over(left, live[0]), Slice(part, left.capacity, left.nano_per_hour, left.capacity)


def _left_over(left: Stranded, like: Supplied) -> Supplied:
    """What the parts of a card leave over, as a capability of the card."""
    of_card = replace(like, device=left.card, in_service=True, part_of="", share_ppb=0)
    return replace(of_card, dimension=left.dimension, capacity=left.capacity)


def _held(
    claims: Sequence[AllocationSpan], card: Sequence[Supplied], supply: Supplied, part: Slice
) -> tuple[list[Holding], list[Holding]]:
    """What was held during the slice, of the capability and of the rest of the device as parts per million.

    Nothing of a device that could not be used.
    """
    if not supply.in_service or not claims:
        return [], []
    capacities = {s.dimension: s.capacity for s in card if s.device == supply.device}
    holdings, beside = [], []
    for claim in claims:
        span = _span(claim.start_ms, claim.end_ms, part.span)
        if span is None:
            continue
        if claim.dimension == supply.dimension:
            holdings.append(Holding(str(claim.attempt_id), claim.amount, span))
        elif claim.dimension in capacities:
            share = max(1, claim.amount * PPM // capacities[claim.dimension])
            beside.append(Holding(str(claim.attempt_id), share, span))
    return holdings, beside


def _span(from_ms: int, until_ms: int | None, within: Interval) -> Interval | None:
    end_ms = within.end_ms if until_ms is None else min(until_ms, within.end_ms)
    start_ms = max(from_ms, within.start_ms)
    return Interval(start_ms, end_ms) if start_ms < end_ms else None


def _add_energy(
    rated: RatedHour,
    usage: HourUsage,
    cards: Mapping[str, list[Supplied]],
    claims: Mapping[str, list[AllocationSpan]],
    prices: Prices,
) -> None:
    """What the devices drew, billed to those who held anything of them; nothing is promised, so nothing is idle."""
    valid = _span(prices.from_ms, prices.until_ms, usage.span)
    if valid is None or prices.energy is None:
        return
    price = partial(used_nano, power=prices.energy)
    for supply in {s.device: s for card in cards.values() for s in card}.values():
        drawn = replace(supply, dimension=POWER)
        _, beside = _held(claims.get(supply.device, ()), cards[card_of(supply)], drawn, Slice(valid, 0, 0))
        whole, used = usage.drawn(supply.device, valid, beside, bills_proxy=prices.bills_proxy)
        for line in rate_usage(whole, used, price):
            rated.put(Account(supply.device, POWER, line.bucket, _attempt(line), prices.version_id), line)


def _attempt(line: Line) -> UUID | None:
    return UUID(line.attempt) if line.attempt else None


def _add(rated: RatedHour, supply: Supplied, part: Slice, evidence: Evidence, version: UUID) -> None:
    if not supply.in_service:
        evidence = replace(evidence, down=[part.span])
    for line in rate_slice(part, evidence):
        rated.put(Account(supply.device, supply.dimension, line.bucket, _attempt(line), version), line)
