"""Facts are written with their change and delivered at least once, each subscriber on its own."""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from django.db import transaction

from alldata.kernel.clock import now_ms
from alldata.kernel.events import CapacityChanged, Event, ProfilePublished
from alldata.outbox import subscribers
from alldata.outbox.models import Delivery, OutboxEvent
from alldata.outbox.publish import publish
from alldata.outbox.subscribers import Subscriber
from alldata.outbox.tasks import KEEP_DONE_MS, prune, relay
from tests.world import NOW

FACT = ProfilePublished("p", "1.0", "o")


@pytest.fixture
def subscribed() -> Iterator[None]:
    """Two subscribers of one kind of fact: one writes a row, one always fails after writing one."""

    def works(event: Event, now_ms: int) -> None:
        OutboxEvent.objects.create(name="heard", fields={}, at_ms=now_ms)

    def fails(event: Event, now_ms: int) -> None:
        OutboxEvent.objects.create(name="side effect", fields={}, at_ms=now_ms)
        raise ValueError("cannot")

    known = dict(subscribers._subscribers)
    subscribers._subscribers.clear()
    for handler in (works, fails):
        subscribers._subscribers[handler.__name__] = Subscriber(handler.__name__, ProfilePublished, handler)
    yield
    subscribers._subscribers.clear()
    subscribers._subscribers.update(known)


def test_a_failing_subscriber_neither_blocks_nor_repeats_the_other(subscribed: None) -> None:
    publish(FACT, now_ms=NOW)
    relay()
    relay()
    assert OutboxEvent.objects.filter(name="heard").count() == 1
    failed = Delivery.objects.get(subscriber="fails")
    assert failed.done_ms is None
    assert failed.last_error == "ValueError: cannot"


def test_nothing_is_owed_of_a_fact_that_nobody_wants(subscribed: None) -> None:
    heard = subscribers._subscribers["works"]
    subscribers._subscribers["works"] = replace(heard, when={"version": {"2.0"}})
    publish(FACT, now_ms=NOW)
    assert list(Delivery.objects.values_list("subscriber", flat=True)) == ["fails"]


def test_what_a_failing_subscriber_wrote_is_undone(subscribed: None) -> None:
    publish(FACT, now_ms=NOW)
    relay()
    assert not OutboxEvent.objects.filter(name="side effect").exists()


def test_a_failure_is_tried_again_ever_more_rarely(subscribed: None) -> None:
    publish(FACT, now_ms=NOW)
    delays = []
    for _ in range(3):
        relay()
        row = Delivery.objects.get(subscriber="fails")
        delays.append(row.due_ms)
        Delivery.objects.filter(pk=row.pk).update(due_ms=NOW)
    assert row.tries == 3
    assert delays[0] < delays[1] < delays[2]


def test_an_undone_change_publishes_nothing(subscribed: None) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        publish(FACT, now_ms=NOW)
        raise ZeroDivisionError
    assert not OutboxEvent.objects.exists()


def test_a_fact_without_subscribers_is_kept_as_history(subscribed: None) -> None:
    publish(CapacityChanged("n", NOW), now_ms=NOW)
    assert relay() == 0
    assert OutboxEvent.objects.get().fields == {"node": "n", "at_ms": NOW}


def born(name: str, at_ms: int, *, owed: bool = False) -> OutboxEvent:
    """A fact with the key of its time; told unless it is still owed."""
    fact = OutboxEvent.objects.create(id=UUID(int=at_ms << 80 | 7), name=name, fields={}, at_ms=at_ms)
    Delivery.objects.create(event=fact, subscriber="s", due_ms=at_ms, done_ms=None if owed else at_ms)
    return fact


def test_facts_that_are_no_history_go_when_they_are_old_and_told() -> None:
    old = now_ms() - KEEP_DONE_MS - 60_000
    born("usage.recorded", old)
    stays = [born("usage.recorded", old - 1, owed=True), born("job.moved", old - 2), born("usage.recorded", now_ms())]
    prune()
    assert set(OutboxEvent.objects.values_list("id", flat=True)) == {fact.id for fact in stays}
