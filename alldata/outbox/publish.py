"""Write a fact and what is owed to its subscribers, beside the change that made it true."""

import json
from collections.abc import Sequence

from django.db import connection, transaction

from alldata.kernel.events import Event
from alldata.kernel.ids import numbered_sql, uuid7
from alldata.outbox.prepared import Prepared
from alldata.outbox.subscribers import subscribers_of
from alldata.outbox.wake import wake_relay


def written_sql(told: str, now: str) -> str:
    """CTEs that write facts and what is owed of them, for statements that make facts true.

    `told` is a CTE of (id, name, fields jsonb, project_id, owed text[]); `birth` is one as `numbered_sql` asks for.
    """
    return f"""stored AS (
  INSERT INTO outbox_outboxevent (id, name, fields, project_id, at_ms)
  SELECT id, name, fields, project_id, {now} FROM {told}
), owing AS (
  INSERT INTO outbox_delivery (id, event_id, subscriber, due_ms, tries, last_error)
  SELECT {numbered_sql("row_number() OVER ()")}, id, subscriber, {now}, 0, ''
  FROM {told} CROSS JOIN unnest(owed) AS subscriber
)"""


#: One round trip for any number of facts; the server makes the ids, in order of birth.
PUBLISH = Prepared(
    "publish_facts",
    "jsonb, bigint",
    f"""
WITH birth AS MATERIALIZED (SELECT uuidv7() AS id
), told AS MATERIALIZED (
  SELECT {numbered_sql("place")} AS id, fact->>'name' AS name, fact->'fields' AS fields,
    NULLIF(fact->'fields'->>'project_id', '')::uuid AS project_id,
    ARRAY(SELECT jsonb_array_elements_text(fact->'owed')) AS owed
  FROM jsonb_array_elements($1) WITH ORDINALITY AS facts (fact, place)
), {written_sql("told", "$2")}
SELECT""",
)


def publish(event: Event, *, now_ms: int, wake: bool = True) -> None:
    """Record the fact in the open transaction; the relay is woken after the commit, or runs within a second."""
    publish_all([event], now_ms=now_ms, wake=wake)


def publish_all(events: Sequence[Event], *, now_ms: int, wake: bool = True) -> None:
    """Record many facts with one statement."""
    owed = [subscribers_of(event) for event in events]
    told = [{"name": e.name, "fields": e.as_json(), "owed": names} for e, names in zip(events, owed, strict=True)]
    with connection.cursor() as cursor:
        PUBLISH.execute(cursor, [json.dumps(told), now_ms])
    if any(owed) and wake:
        wake_after_commit()


def as_arguments(event: Event) -> tuple[str, str, str, list[str], list[str]]:
    """The fact for SQL that calls `outbox_record`: id, name, fields, who is to be told, the ids of what is owed."""
    names = subscribers_of(event)
    return str(uuid7()), event.name, json.dumps(event.as_json()), names, [str(uuid7()) for _ in names]


def wake_after_commit() -> None:
    """Have the relay run soon after the open transaction, or now when there is none."""
    transaction.on_commit(wake_relay, robust=True)
