"""Is a counter that was read now and then billed whole, and a gap as a gap (L18)?"""

import pytest
from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import AttemptUsage, Frame, Usage
from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.services.ledger import book_hour
from scheduling.models import Device, DeviceCapacity, Node
from tests.fleet import AGENT, HOUR, LATER, PRICES, attempt, gpu, holds, job, take
from tests.hours import LAW, example
from tests.money import HALF, WHOLE, nano

CORES = PRICES + "  - {type: cpu, hourly: '2.0', weights: {cpu_millicores: 1000000}}\n"


def book() -> None:
    book_hour(AGENT, HOUR, now_ms=LATER)


@pytest.fixture
def cores(viewer: Viewer) -> Device:
    """Two cores of the node, priced, beside its GPU."""
    gpu(prices=CORES)
    device = Device.objects.create(uuid="cpu", node=Node.objects.get(), type="cpu", name="cores")
    DeviceCapacity.objects.create(device=device, valid_from_ms=HOUR, capacity_cpu_millicores=2000)
    return device


@settings(LAW, max_examples=8)
@given(steps=st.lists(st.integers(0, 2000 * 1000) | st.none(), min_size=1, max_size=8))
def test_l18_what_is_billed_of_a_counter_is_last_minus_first(
    viewer: Viewer, cores: Device, steps: list[int | None]
) -> None:
    """A report a second, some of them lost: the next speaks of all that was used since."""
    for _ in example():
        assert viewer.default_project_id is not None
        who = attempt(job(viewer.default_project_id, viewer.organisation_id), cores)
        holds(who, cores, 2000, WHOLE, "cpu_millicores")
        total, since = 0, 0
        for second, step in enumerate([*steps, 1]):
            if step is None:
                continue
            span = Interval(HOUR + since * 1000, HOUR + (second + 1) * 1000)
            usage = {"cpu_millicores": Usage(step, "measured", "measured")}
            mine = AttemptUsage(str(who.id), "cpu", usage, span.start_ms, span.end_ms)
            take(Frame("boot:1", second, span.end_ms - 1000, span.end_ms, (), (mine,)))
            total, since = total + step, second + 1
        book()
        entries = LedgerEntry.objects.filter(dimension="cpu_millicores", bucket="used")
        assert int(entries.aggregate(n=Sum("q"))["n"] or 0) == total


def test_a_report_that_nothing_could_be_seen_is_a_gap_and_not_idleness(viewer: Viewer, cores: Device) -> None:
    """The node is watched all the hour; of the attempt's second half the agent says that it could not read it."""
    assert viewer.default_project_id is not None
    who = attempt(job(viewer.default_project_id, viewer.organisation_id), cores)
    holds(who, cores, 2000, WHOLE, "cpu_millicores")
    seen, blind = Usage(1000, "measured", "measured"), Usage(None, "measured", "missing", reason="unreadable")
    for seq, (span, usage) in enumerate(((Interval(HOUR, HALF), seen), (Interval(HALF, WHOLE.end_ms), blind))):
        mine = AttemptUsage(str(who.id), "cpu", {"cpu_millicores": usage}, span.start_ms, span.end_ms)
        take(Frame("boot:1", seq, span.start_ms, span.end_ms, (), (mine,)))
    book()
    unmetered = nano(dimension="cpu_millicores", bucket="unmetered")
    assert unmetered == price_nano(2_000_000_000, Interval(HALF, WHOLE.end_ms))
