"""The ledger as FOCUS 1.4 rows: every account of an hour once, no row across a billing period.

One origin charge is an hour of one capability of one device; grain "origin" gives those, grain
"allocated" their shares (never both in one file). A correction for an invoiced period has the
charge class "Correction". `focus="1.2"` names the provider as that version did and leaves out
what came later.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal
from uuid import UUID

from django.db import connection

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.selectors import projects_of
from alldata.tenancy.viewer import Viewer
from costing.pricing import card_of, card_rates
from costing.pricing.own import KILOWATT
from costing.selectors.capacity import Supplied, supplied
from costing.selectors.focus_cells import Account, Cells, Context, Rate, account_of, origin_cells, share_cells
from costing.selectors.prices import Prices, known_prices
from profiles.dimensions import POWER
from scheduling.selectors.metering import references_of

Grain = Literal["origin", "allocated"]
LATER = ("ServiceProviderName", "HostProviderName")
ACCOUNTS = """
SELECT e.node, e.device, e.dimension, e.price_version_id, (e.booked_ms > l.locked_ms) IS TRUE AS late,
       e.bucket, e.job_id, e.project_id, max(l.number), sum(e.q), sum(e.nano),
       max(e.revision)
FROM ledger_entry e LEFT JOIN costing_invoicelock l ON e.hour_ms >= l.start_ms AND e.hour_ms < l.end_ms
WHERE e.hour_ms = %s
GROUP BY e.node, e.device, e.dimension, e.price_version_id, late, e.bucket, e.job_id, e.project_id
HAVING sum(e.nano) <> 0 OR sum(e.q) <> 0
ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
"""


def focus_rows(
    viewer: Viewer, *, from_ms: int, to_ms: int, grain: Grain = "allocated", version: str = "1.4"
) -> Iterator[Cells]:
    """Rows of the hours in [from_ms, to_ms), by hour, device and capability."""
    context = Context({p.id: p for p in projects_of(viewer)}, known_prices())
    for hour_ms in range(from_ms // HOUR_MS * HOUR_MS, to_ms, HOUR_MS):
        for cells in _hour(viewer, context, hour_ms, grain):
            yield _as_of_1_2(cells) if version == "1.2" else cells


def _hour(viewer: Viewer, context: Context, hour_ms: int, grain: Grain) -> Iterator[Cells]:
    with connection.cursor() as cursor:
        cursor.execute(ACCOUNTS, [hour_ms])
        accounts = [account_of(row) for row in cursor.fetchall()]
    context.hour_ms, context.rates = hour_ms, _rates(accounts, hour_ms, context.prices)
    shown = [a.job_id for a in accounts if a.job_id is not None and a.project_id in context.projects]
    context.jobs = references_of(shown)
    for _, group in groupby(accounts, Account.origin):
        mine = list(group)
        if grain == "origin" and viewer.is_finance:
            yield origin_cells(context, mine)
        elif grain == "allocated":
            yield from share_cells(context, mine, everything=viewer.is_finance)


def _rates(
    accounts: Sequence[Account], hour_ms: int, prices: Mapping[UUID, Prices]
) -> dict[tuple[str, str, UUID], Rate]:
    """What an hour of each capability costs under each version that was used, and its capacity."""
    found = {}
    versions = {a.version for a in accounts}
    for node in sorted({a.node for a in accounts}):
        cards: dict[str, dict[tuple[str, str], Supplied]] = {}
        for supply in supplied(node, Interval(hour_ms, hour_ms + HOUR_MS)):
            cards.setdefault(card_of(supply), {})[supply.device, supply.dimension] = supply
        for mine in cards.values():
            one = next(iter(mine.values()))
            for version in versions:
                rated = card_rates(prices[version].lines, list(mine.values()))
                for (device, name), nano in rated.nano_per_hour.items():
                    of = mine[device, name]
                    found[device, name, version] = Rate(nano, of.capacity, of.device_type, of.model)
                if energy := prices[version].energy:
                    drawn = Rate(energy.nano_per_hour, KILOWATT, one.device_type, one.model)
                    found |= {(device, POWER, version): drawn for device, _ in mine}
                for left in rated.stranded:
                    rate = Rate(left.nano_per_hour, left.capacity, one.device_type, one.model)
                    found[left.card, left.dimension, version] = rate
    return found


def _as_of_1_2(cells: Cells) -> Cells:
    """FOCUS 1.2 had provider and publisher, and no split columns."""
    kept = {name: value for name, value in cells.items() if name not in LATER and not name.startswith("Allocated")}
    return {**kept, "ProviderName": cells["ServiceProviderName"], "PublisherName": cells["ServiceProviderName"]}
