"""Find the frames that name an attempt without reading the others."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("monitoring", "0001_initial")]
    operations = [
        migrations.AddIndex("usageframe", GinIndex(fields=["attempts"], name="usage_frame_by_attempt")),
    ]
