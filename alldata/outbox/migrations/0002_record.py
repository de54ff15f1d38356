"""One call that writes a fact and what is owed of it, for hot paths that are one statement themselves."""

from django.db import migrations

CREATE = """
CREATE FUNCTION outbox_record(
    fact_id uuid, fact_name text, fact_fields jsonb, fact_ms bigint, receivers text[], delivery_ids uuid[]
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO outbox_outboxevent (id, name, fields, project_id, at_ms)
    VALUES (fact_id, fact_name, fact_fields, (fact_fields->>'project_id')::uuid, fact_ms);
    INSERT INTO outbox_delivery (id, event_id, subscriber, due_ms, tries, last_error)
    SELECT owed.id, fact_id, owed.subscriber, fact_ms, 0, '' FROM unnest(delivery_ids, receivers) AS owed(id, subscriber);
$$
"""


class Migration(migrations.Migration):
    dependencies = [("outbox", "0001_initial")]
    operations = [
        migrations.RunSQL(
            CREATE, "DROP FUNCTION outbox_record(uuid, text, jsonb, bigint, text[], uuid[])"
        ),
    ]
