"""The Celery application: relays facts and runs the level-triggered loops.

Every loop is safe to run twice and to skip: the schedule below is the safety net, facts
from the outbox wake the same tasks earlier.
"""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "alldata.settings")
app = Celery("alldata")
app.conf.update(settings.CELERY)
app.conf.beat_schedule = {
    "relay": {"task": "alldata.outbox.tasks.relay", "schedule": 1.0},
    "plan": {"task": "scheduling.tasks.plan", "schedule": 1.0},
    "drive": {"task": "scheduling.tasks.drive", "schedule": 1.0},
    "pipelines": {"task": "scheduling.tasks.advance_pipelines", "schedule": 1.0},
    "release": {"task": "scheduling.tasks.release", "schedule": 1.0},
    "mix": {"task": "scheduling.tasks.observe_mix", "schedule": 60.0},
    "prune": {"task": "alldata.outbox.tasks.prune", "schedule": 3600.0},
    "book": {"task": "costing.tasks.book", "schedule": 15.0},
    "partitions": {"task": "monitoring.tasks.make_partitions", "schedule": 3600.0},
}
app.autodiscover_tasks()
