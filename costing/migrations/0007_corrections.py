"""An entry says whether its hour was closed before it was booked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("costing", "0006_more_laws")]
    operations = [
        migrations.AddField(
            "ledgerentry",
            "correction",
            models.BooleanField(db_default=False, help_text="booked after its hour was closed"),
        )
    ]
