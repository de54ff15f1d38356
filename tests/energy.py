"""Cards whose energy is measured and billed: what they draw, who holds them, what is booked."""

from django.db.models import Sum

from alldata.agent.wire import DeviceUsage, Frame, Quality, Usage
from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from scheduling.models import Attempt
from tests.fleet import GPU, HBM, PRICES, attempt, gpu, holds, job, take

ENERGY = PRICES + 'energy: {pue: "1.3", tariff: "0.8"}\n'


def drawn(span: Interval, watts: int, *, seq: int = 0, quality: Quality = "measured") -> None:
    """A window in which the card drew so much on the mean."""
    usage = {"power": Usage(watts * 1000 * span.length_ms, "driver", quality)}
    take(Frame("boot:1", seq, span.start_ms, span.end_ms, (DeviceUsage(GPU, usage),)))


def tenants(viewer: Viewer, *spans: Interval, prices: str = ENERGY) -> list[Attempt]:
    """One job a span, each with half the card's bandwidth."""
    device = gpu(prices=prices)
    assert viewer.default_project_id is not None
    found = []
    for number, span in enumerate(spans, start=1):
        found.append(attempt(job(viewer.default_project_id, viewer.organisation_id, number), device))
        holds(found[-1], device, HBM // 2, span)
    return found


def booked(**where: object) -> dict[str, int]:
    """Energy by bucket."""
    rows = LedgerEntry.objects.filter(dimension="power", **where).values_list("bucket").annotate(n=Sum("nano"))
    return {bucket: int(n) for bucket, n in rows}
