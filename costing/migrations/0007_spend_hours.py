"""Spend by hour and project, beside the daily sums; days that were summed before are summed once more."""

from django.db import migrations, models

AGAIN = """
INSERT INTO costing_dirtyday (day_ms, due_ms) SELECT DISTINCT day_ms, 0::bigint FROM costing_spendday
ON CONFLICT DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("costing", "0006_more_laws")]
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
        migrations.RunSQL(AGAIN, migrations.RunSQL.noop),
    ]
