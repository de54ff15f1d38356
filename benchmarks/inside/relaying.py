"""How many facts a second does the relay deliver?

Facts that a job joined the queue, each owed to its real subscriber (which wakes the planner once for many). They are
published before the clock starts; the relay then works as its task does, batch by batch, until nothing is due.
"""

import statistics
import time
from uuid import uuid4

from django.db import connection, transaction

from alldata.kernel import clock
from alldata.kernel.events import Event, JobSubmitted
from alldata.outbox.models import Delivery
from alldata.outbox.publish import publish_all
from alldata.outbox.tasks import relay

FACTS = 20_000


def relay_rate(rounds: int) -> dict[str, float]:
    """The median rate of some rounds."""
    return {"per_s": round(statistics.median(_round() for _ in range(rounds)), 1), "facts": FACTS}


def _round() -> float:
    relay()  # what is due already is another's
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE outbox_outboxevent, outbox_delivery")
    for _ in range(FACTS // 1000):
        with transaction.atomic():
            publish_all([_fact() for _ in range(1000)], now_ms=clock.now_ms(), wake=False)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE outbox_outboxevent, outbox_delivery")
    began = time.perf_counter()
    while Delivery.objects.filter(done_ms=None).exists():
        relay()
    return FACTS / (time.perf_counter() - began)


def _fact() -> Event:
    return JobSubmitted(str(uuid4()), str(uuid4()))
