"""Windows that follow what their stream has: taken in by one call, without a gap between looking and writing."""

from django.db import migrations

CREATE = """
CREATE FUNCTION take_next_windows(
    frames usage_frame[], days text[], fact_id uuid, fact_name text, fact_fields jsonb, receivers text[], owed uuid[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    opening usage_frame := frames[1];
    closing usage_frame := frames[cardinality(frames)];
BEGIN
    IF EXISTS (SELECT FROM unnest(days) AS asked(day) WHERE to_regclass(asked.day) IS NULL) THEN
        RETURN FALSE;
    END IF;
    UPDATE monitoring_agentstream
    SET closed_seq = closing.seq, closed_ms = closing.end_ms, newest_seq = closing.seq, newest_ms = closing.end_ms,
        gap_since_ms = NULL, live_start_ms = closing.start_ms, live = closing.body
    WHERE agent = opening.agent AND epoch = opening.epoch
        AND closed_seq = opening.seq - 1 AND newest_seq = closed_seq AND closed_ms <= opening.start_ms;
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    INSERT INTO usage_frame (agent, epoch, seq, start_ms, end_ms, recv_ms, attempts, body)
    SELECT f.agent, f.epoch, f.seq, f.start_ms, f.end_ms, f.recv_ms, f.attempts, f.body FROM unnest(frames) AS f;
    PERFORM outbox_record(fact_id, fact_name, fact_fields, closing.recv_ms, receivers, owed);
    RETURN TRUE;
END $$
"""
DROP = "DROP FUNCTION take_next_windows(usage_frame[], text[], uuid, text, jsonb, text[], uuid[])"


class Migration(migrations.Migration):
    dependencies = [("monitoring", "0002_frames_by_attempt"), ("outbox", "0002_record")]
    operations = [migrations.RunSQL(CREATE, DROP)]
