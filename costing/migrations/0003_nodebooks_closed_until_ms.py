"""How far a node's hours are closed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("costing", "0002_laws")]
    operations = [migrations.AddField("nodebooks", "closed_until_ms", models.BigIntegerField(null=True))]
