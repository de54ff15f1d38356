"""An entry says whether its hour was closed before it was booked; a part of a card says of which, and its share."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("costing", "0006_more_laws")]
    operations = [
        migrations.AddField(
            "ledgerentry",
            "correction",
            models.BooleanField(db_default=False, help_text="booked after its hour was closed"),
        ),
        migrations.AddField("capacityversion", "part_of", models.CharField(max_length=160, db_default="")),
        migrations.AddField("capacityversion", "share_ppb", models.BigIntegerField(db_default=0)),
    ]
