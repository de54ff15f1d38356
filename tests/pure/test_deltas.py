"""What differs between two inputs, applied to the earlier one, gives the later one."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.model import Device, Need, Node, Price, Request, Snapshot
from scheduling.services.deltas import applied, changes
from scheduling.services.recording import as_text
from tests.pure.crater_cases import cluster, cores, cpu, job, plain_node

FREE = st.fixed_dictionaries({"cores": st.integers(0, 2)})
CORES = st.just(()) | st.just((1, 2))
DEVICES = st.builds(
    Device, st.just("d"), st.sampled_from("xy"), st.none(), st.none(), st.just({"cores": 2}), FREE, cpus=CORES, pins=...
)
OF_A_NODE = st.lists(DEVICES, max_size=1).map(tuple)
NODES = st.builds(Node, name=st.sampled_from("abcd"), devices=OF_A_NODE, unusable_reason=st.sampled_from([None, "hot"]))
JOBS = st.builds(
    Request,
    job=st.sampled_from("uvwxyz"),
    needs=st.sampled_from([(), (Need("cpu"),)]),
    submitted_ms=st.integers(0, 3),
    deadline_ms=st.sampled_from([None, 5]),
    priority=st.integers(0, 1),
)
PRICES = st.builds(Price, st.sampled_from("ab"), st.just("cores"), st.integers(0, 2))


def _ordered(nodes: list[Node], jobs: list[Request], prices: list[Price]) -> Snapshot:
    queue = sorted({job.job: job for job in jobs}.values(), key=lambda job: (job.submitted_ms, job.job))
    return Snapshot(7, tuple(sorted({n.name: n for n in nodes}.values(), key=str)), tuple(queue), tuple(prices))


SNAPSHOTS = st.builds(_ordered, st.lists(NODES), st.lists(JOBS), st.lists(PRICES, max_size=2))
ANY_ORDER = st.builds(Snapshot, st.just(7), st.lists(NODES).map(tuple), st.lists(JOBS).map(tuple))


def _plain(value: object) -> dict[str, object]:
    plain: dict[str, object] = json.loads(as_text(value))
    return plain


@given(SNAPSHOTS, SNAPSHOTS | ANY_ORDER)
def test_the_difference_leads_to_the_later_input(old: Snapshot, new: Snapshot) -> None:
    assert applied(_plain(old), _plain(changes(old, new))) == _plain(new)


@given(SNAPSHOTS)
def test_nothing_differs_from_itself_at_another_instant(known: Snapshot) -> None:
    assert changes(known, replace(known, now_ms=8)) == {}


@given(SNAPSHOTS.filter(lambda known: len(known.queue) > 1))
def test_a_job_that_left_costs_its_name(known: Snapshot) -> None:
    left = replace(known, queue=known.queue[1:])
    assert changes(known, left) == {"queue": {"gone": [known.queue[0].job], "alike": []}}


def test_a_machine_on_which_something_was_placed_costs_what_was_taken() -> None:
    idle, other = plain_node("a"), plain_node("b")
    busy = replace(idle, devices=(cpu("a", used=1), *idle.devices[1:]))
    found = changes(cluster(idle, other), cluster(busy, other))
    load = {"a/numa0/cpu": {"cpus": (1, 2, 3), "free": {"cpu_millicores": 3000}, "pins": True}}
    assert found == {"nodes": {"gone": [], "load": {"a": load}, "new": []}}


def test_jobs_that_ask_for_the_same_say_it_once() -> None:
    queue = tuple(job(name, cores(1000)) for name in "ab")
    one = tuple(replace(request, needs=queue[0].needs) for request in queue)
    (group,) = changes(cluster(), cluster(queue=one))["queue"]["alike"]
    assert [each[0] for each in group["each"]] == ["a", "b"]
