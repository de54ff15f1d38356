"""What are the codes of money called? Buckets, cuts, ranges, charge modes, units of work."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

Words = Mapping[str, Any]

BUCKETS: Words = {
    "used": _("used"),
    "allocated_idle": _("held idle"),
    "unallocated_idle": _("unallocated idle"),
    "stranded": _("stranded"),
    "unmetered": _("unmetered"),
    "unavailable": _("unavailable"),
    "system": _("system"),
}
CUTS: Words = {
    "organisation": _("Organisation"),
    "team": _("Team"),
    "project": _("Project"),
    "job": _("Job"),
    "device": _("Device"),
    "capability": _("Capability"),
    "bucket": _("What became of it"),
    "day": _("Day"),
    "hour": _("Hour"),
}
RANGES: Words = {
    "1h": _("1 hour"),
    "6h": _("6 hours"),
    "24h": _("24 hours"),
    "7d": _("7 days"),
    "30d": _("30 days"),
    "90d": _("90 days"),
    "month": _("this month"),
}
CHARGES: Words = {
    "": _("as the prices say"),
    "consumption": _("what was used"),
    "allocation": _("what was held"),
    "max": _("held, metered or not"),
    "blend": _("used and a part of idle"),
}
CAUSES: Words = {
    "used": _("worked"),
    "allocated_idle": _("held by a job that did not use it"),
    "unallocated_idle": _("nobody asked for it"),
    "stranded": _("free, but beside something that is taken"),
    "unmetered": _("held, and nobody saw what it did"),
    "unavailable": _("out of service or degraded"),
    "system": _("taken by the platform itself"),
}
BUDGET_STATES: Words = {
    "ok": _("On course"),
    "burning_slow": _("Spending fast"),
    "burning_fast": _("Spending very fast"),
    "will_exceed": _("Will not last"),
    "exceeded": _("Exceeded"),
}
UNITS: Words = {
    "epoch": _("epoch"),
    "step": _("step"),
    "1000_inferences": _("1,000 inferences"),
}
