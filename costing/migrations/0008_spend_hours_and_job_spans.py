"""Spend by hour and project and whole jobs, beside the daily sums; days summed before are summed once more."""

from django.db import migrations, models

AGAIN = """
INSERT INTO costing_dirtyday (day_ms, due_ms) SELECT DISTINCT day_ms, 0::bigint FROM costing_spendday
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("costing", "0007_corrections")]
    operations = [
        migrations.CreateModel(
            name="SpendHour",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("hour_ms", models.BigIntegerField()),
                ("project_id", models.UUIDField()),
                ("charged_nano", models.BigIntegerField()),
            ],
            options={"indexes": [models.Index(fields=["hour_ms"], name="spend_hour_by_hour")]},
        ),
        migrations.CreateModel(
            name="JobSpan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("job_id", models.UUIDField()),
                ("project_id", models.UUIDField()),
                ("first_day_ms", models.BigIntegerField()),
                ("last_day_ms", models.BigIntegerField()),
                ("charged_nano", models.BigIntegerField()),
                ("used_nano", models.BigIntegerField()),
                ("idle_nano", models.BigIntegerField()),
                ("unmetered_nano", models.BigIntegerField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["first_day_ms"], name="job_span_by_first"),
                    models.Index(fields=["last_day_ms"], name="job_span_by_last"),
                    models.Index(fields=["project_id", "last_day_ms"], name="job_span_by_project"),
                ],
                "constraints": [models.UniqueConstraint(fields=["job_id", "project_id"], name="job_span_once")],
            },
        ),
        migrations.RunSQL(AGAIN, migrations.RunSQL.noop),
    ]
