"""usage_frame by hand (partitioned, append-only), the rest as Django would."""

import django.contrib.postgres.fields
from django.db import migrations, models
from django.db.models import F, Q

CREATE = """
CREATE TABLE usage_frame (
    agent varchar(120) NOT NULL,
    epoch varchar(120) NOT NULL,
    seq bigint NOT NULL,
    start_ms bigint NOT NULL,
    end_ms bigint NOT NULL,
    recv_ms bigint NOT NULL,
    attempts varchar(64)[] NOT NULL DEFAULT '{}',
    body bytea NOT NULL,
    PRIMARY KEY (agent, epoch, seq, start_ms),
    CONSTRAINT usage_frame_has_length CHECK (end_ms > start_ms)
) PARTITION BY RANGE (start_ms);
CREATE INDEX usage_frame_by_time ON usage_frame (agent, end_ms);

CREATE FUNCTION usage_frame_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'usage frames are never changed or deleted row by row' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER usage_frame_append_only BEFORE UPDATE OR DELETE ON usage_frame
    FOR EACH ROW EXECUTE FUNCTION usage_frame_is_append_only();
"""
DROP = "DROP TABLE usage_frame; DROP FUNCTION usage_frame_is_append_only();"

FRAME = migrations.CreateModel(
    name="UsageFrame",
    fields=[
        (
            "pk",
            models.CompositePrimaryKey(
                "agent", "epoch", "seq", "start_ms", blank=True, editable=False, primary_key=True, serialize=False
            ),
        ),
        ("agent", models.CharField(max_length=120)),
        ("epoch", models.CharField(max_length=120)),
        ("seq", models.BigIntegerField()),
        ("start_ms", models.BigIntegerField()),
        ("end_ms", models.BigIntegerField()),
        ("recv_ms", models.BigIntegerField()),
        (
            "attempts",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=64), default=list, size=None
            ),
        ),
        ("body", models.BinaryField()),
    ],
    options={
        "db_table": "usage_frame",
        "indexes": [models.Index(fields=["agent", "end_ms"], name="usage_frame_by_time")],
        "constraints": [
            models.CheckConstraint(condition=Q(end_ms__gt=F("start_ms")), name="usage_frame_has_length")
        ],
    },
)


class Migration(migrations.Migration):
    initial = True
    dependencies = []

    operations = [
        migrations.SeparateDatabaseAndState([migrations.RunSQL(CREATE, DROP)], [FRAME]),
        migrations.CreateModel(
            name="AgentStream",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("agent", models.CharField(max_length=120)),
                ("epoch", models.CharField(max_length=120)),
                ("first_seq", models.BigIntegerField()),
                ("first_ms", models.BigIntegerField()),
                ("closed_seq", models.BigIntegerField()),
                ("closed_ms", models.BigIntegerField()),
                ("newest_seq", models.BigIntegerField()),
                ("newest_ms", models.BigIntegerField()),
                ("gap_since_ms", models.BigIntegerField(null=True)),
                ("live_start_ms", models.BigIntegerField()),
                ("live", models.BinaryField()),
            ],
            options={
                "indexes": [models.Index(fields=["agent", "-newest_ms"], name="agent_stream_newest")],
                "constraints": [models.UniqueConstraint(fields=["agent", "epoch"], name="agent_stream_once")],
            },
        ),
    ]
