"""What did a job cost, and what for? Sums of the ledger; every view adds the same entries.

What is charged follows the price version's mode (costing.pricing.charging); what was held, left
idle and left unmetered is shown beside it. Rounding to cents and shares is for display only and happens
here once, by largest remainder, so that what is shown also sums.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from alldata.kernel.money import Money
from alldata.tenancy.viewer import Viewer
from costing.models import NodeBooks
from costing.pricing import rates_of
from costing.pricing.display import minor, shown_minor, shown_permille
from costing.rating import Bucket
from costing.selectors.job_accounts import JobAccount, accounts_of_job, charged_by_version
from costing.selectors.prices import Prices, known_prices
from profiles.dimensions import BY_NAME
from scheduling.selectors.answers import AllocationSpan, AttemptView, JobRow
from scheduling.selectors.jobs import job_row
from scheduling.selectors.metering import allocations_between, attempts_of, supplies

#: A shim writes its last usage within this time of the end; a frame that ends later has it.
LAST_USAGE_MS = 1_000


@dataclass(frozen=True, slots=True)
class CapabilityCost:
    """One capability's part of a job's cost. Quantities are base unit x ms.

    `charged_cents` (the currency's minor unit) and `share_permille` are display roundings that sum to the job's.
    """

    dimension: str
    unit: str
    charged_nano: int
    used_nano: int
    charged_cents: int
    share_permille: int
    used_q: int
    held_q: int
    idle_nano: int
    unmetered_nano: int
    rate_nano_per_hour: int  # of one shown unit (core, GiB, GB/s, IOPS, whole GPU)
    rate_unit: str
    price_version: str
    devices: tuple[str, ...]

    @property
    def held_nano(self) -> int:
        return self.used_nano + self.idle_nano + self.unmetered_nano

    @property
    def used_of_held(self) -> float | None:
        """Used part of what was held, 0..1; None when nothing was held."""
        return min(1.0, self.used_q / self.held_q) if self.held_q else None


@dataclass(frozen=True, slots=True)
class JobCost:
    """A job's cost so far. `state` is settled when every claim has ended and is booked.

    `charged_is_final`: nothing more will be charged, though claims may still be in grace.
    """

    job: JobRow
    currency: str
    charge_mode: str
    charged_nano: int
    charged_cents: int
    parts: tuple[CapabilityCost, ...]
    buckets: dict[str, int]  # bucket -> nano of this job: used, allocated_idle, unmetered
    state: str  # provisional | settled
    charged_is_final: bool
    coverage: float | None  # metered part of what was held, by money
    booked_until_ms: int | None
    price_versions: tuple[str, ...]
    example_prices: bool
    closed: bool  # every hour of its claims is closed: a change from now on is a correction
    corrections: dict[str, int]  # bucket -> nano that was booked after the close of its hour

    @property
    def held_nano(self) -> int:
        return sum(self.buckets.values())

    @property
    def charged(self) -> Money:
        return Money(self.charged_nano, self.currency)


@dataclass(frozen=True, slots=True)
class Spend:
    """What a list shows of a job's cost."""

    nano: int
    currency: str


def cost_of_job(viewer: Viewer, ref: str) -> JobCost:
    """The cost of one job by capability. Errors: JobNotFound."""
    job = job_row(viewer, ref)
    rows = accounts_of_job(job.id)
    prices = known_prices()
    used = sorted((prices[v] for v in {row.version_id for row in rows}), key=lambda p: p.from_ms)
    rates = unit_rates(used[-1], job.submitted_ms, {a.node for a in attempts_of(job.id)}) if used else {}
    currency = used[0].currency if used else job.currency
    parts = _parts(rows, {version: known.name for version, known in prices.items()}, rates, currency)
    buckets = {b: sum(row.nano for row in rows if row.bucket == b) for b in _JOB_BUCKETS}
    state = _progress(job)
    charged_nano = sum(part.charged_nano for part in parts)
    return JobCost(
        job=job,
        currency=currency,
        charge_mode=used[0].charge_mode if used else "consumption",
        charged_nano=charged_nano,
        charged_cents=minor(charged_nano, currency),
        parts=parts,
        buckets=buckets,
        state="settled" if state.settled else "provisional",
        charged_is_final=state.final,
        coverage=_coverage(buckets),
        booked_until_ms=state.booked_until_ms,
        price_versions=tuple(sorted(p.name for p in used)),
        example_prices=any(p.example for p in used),
        closed=state.closed,
        corrections={b: late for b in _JOB_BUCKETS if (late := sum(row.late for row in rows if row.bucket == b))},
    )


def spend_of_jobs(job_ids: Collection[UUID]) -> dict[UUID, Spend]:
    """Charged so far by job, for jobs that the caller may show; a job without entries is absent."""
    prices = known_prices()
    found: dict[UUID, Spend] = {}
    for job_id, version_id, nano in charged_by_version(job_ids):
        before = found.get(job_id, Spend(0, prices[version_id].currency))
        found[job_id] = Spend(before.nano + nano, before.currency)
    return found


_JOB_BUCKETS = (Bucket.USED.value, Bucket.ALLOCATED_IDLE.value, Bucket.UNMETERED.value)


def unit_rates(prices: Prices, since_ms: int, nodes: Collection[str]) -> dict[tuple[str, str], int]:
    """(device of the nodes, capability) -> nano per hour of a shown unit (core, GiB, whole GPU), rounded down."""
    known = [supply for node in sorted(nodes) for supply in supplies(since_ms, 2**62, node=node)]
    capacities = {(supply.device, supply.dimension): supply.capacity for supply in known}
    rates = rates_of(prices.lines, known)
    return {spot: nano * _rate_scale(spot[1])[0] // capacities[spot] for spot, nano in rates.items()}


def _parts(
    rows: list[JobAccount], versions: Mapping[UUID, str], rates: dict[tuple[str, str], int], currency: str
) -> tuple[CapabilityCost, ...]:
    """One part a capability, dearest first, with display roundings that sum."""
    names = sorted({row.dimension for row in rows})
    exact = [_part(name, [row for row in rows if row.dimension == name], versions, rates) for name in names]
    exact.sort(key=lambda part: (-part.charged_nano, -part.held_nano, part.dimension))
    charged = [part.charged_nano for part in exact]
    cents, permille = shown_minor(charged, currency), shown_permille(charged)
    return tuple(
        _rounded(part, cents=cent, permille=share) for part, cent, share in zip(exact, cents, permille, strict=True)
    )


def _part(
    dimension: str, rows: list[JobAccount], versions: Mapping[UUID, str], rates: dict[tuple[str, str], int]
) -> CapabilityCost:
    def total(bucket: Bucket) -> tuple[int, int]:
        mine = [row for row in rows if row.bucket == bucket.value]
        return sum(row.q for row in mine), sum(row.nano for row in mine)

    (used_q, used), (idle_q, idle), (blind_q, blind) = map(
        total, (Bucket.USED, Bucket.ALLOCATED_IDLE, Bucket.UNMETERED)
    )
    held_q = used_q + idle_q + blind_q
    devices = tuple(sorted({row.device for row in rows}))
    return CapabilityCost(
        dimension=dimension,
        unit=BY_NAME[dimension].unit,
        charged_nano=sum(row.charged for row in rows),
        used_nano=used,
        charged_cents=0,
        share_permille=0,
        used_q=used_q,
        held_q=held_q,
        idle_nano=idle,
        unmetered_nano=blind,
        rate_nano_per_hour=rates.get((devices[0], dimension), 0),
        rate_unit=_rate_scale(dimension)[1],
        price_version=", ".join(sorted({versions[row.version_id] for row in rows})),
        devices=devices,
    )


def _rate_scale(dimension: str) -> tuple[int, str]:
    """The unit in which a rate is shown: base units in it, and its name."""
    known = BY_NAME[dimension]
    if known.unit == "ppm":
        return 1_000_000, "device"
    return known.scale, known.shown_unit or known.unit


def _rounded(part: CapabilityCost, *, cents: int, permille: int) -> CapabilityCost:
    fields = {name: getattr(part, name) for name in CapabilityCost.__slots__}
    return CapabilityCost(**fields | {"charged_cents": cents, "share_permille": permille})


def _coverage(buckets: dict[str, int]) -> float | None:
    held = sum(buckets.values())
    return round(1 - buckets[Bucket.UNMETERED.value] / held, 4) if held else None


@dataclass(frozen=True, slots=True)
class _Progress:
    settled: bool
    final: bool
    booked_until_ms: int | None
    closed: bool = False


def _progress(job: JobRow) -> _Progress:
    """How far the job's nodes are booked, against its attempts and claims."""
    attempts = attempts_of(job.id)
    books = NodeBooks.objects.filter(node__in={a.node for a in attempts})
    booked = dict(books.values_list("node", "booked_until_ms"))
    if not job.is_over:
        return _Progress(False, False, _earliest(booked.values()))
    claims = allocations_between(0, 2**62, attempt_ids=[a.id for a in attempts])
    final = all(_usage_is_in(a, booked) for a in attempts)
    closed = dict(books.values_list("node", "closed_until_ms"))
    return _Progress(
        settled=final and all(_claim_is_booked(claim, booked) for claim in claims),
        final=final,
        booked_until_ms=_earliest(booked.values()),
        closed=final and all(_claim_is_booked(claim, closed) for claim in claims),
    )


def _earliest(times: Iterable[int | None]) -> int | None:
    known = [at_ms for at_ms in times if at_ms is not None]
    return min(known, default=None)


def _claim_is_booked(claim: AllocationSpan, booked: dict[str, int | None]) -> bool:
    return claim.end_ms is not None and claim.end_ms <= (booked.get(claim.node) or 0)


def _usage_is_in(attempt: AttemptView, booked: dict[str, int | None]) -> bool:
    if attempt.started_ms is None:
        return True
    return attempt.ended_ms is not None and attempt.ended_ms + LAST_USAGE_MS <= (booked.get(attempt.node) or 0)
