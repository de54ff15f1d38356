"""What are the steps of a pipeline called, its verdicts, and what was judged?"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Words = Mapping[str, Any]

VERDICTS: Words = {
    "pass": pgettext_lazy("verdict", "Pass"),
    "fail": pgettext_lazy("verdict", "Fail"),
    "inconclusive": pgettext_lazy("verdict", "Not sure"),
    "": pgettext_lazy("verdict", "Not judged yet"),
}
STEPS: Words = {
    "train": _("Train"),
    "package": _("Package"),
    "serve": _("Serve"),
    "ready": _("Ready"),
    "test": _("Load test"),
    "done": _("Verdict"),
}
JUDGED: Words = {
    "accuracy": _("Accuracy"),
    "accuracy_unknown": _("Accuracy, not reported"),
    "error_rate": _("Failed or wrong answers"),
    "no_answers": _("No answer at all"),
    "generator_saturated": _("The load generator was saturated"),
    "qps": _("Rate of right answers in time"),
    "asked_too_little": _("The rate was never asked for"),
    "p99": _("P99 latency"),
    "p99_uncertain": _("P99 latency, too close to call"),
    "too_few_samples": _("P99 latency, too few answers"),
    "serve_ended": _("The server ended before the test did"),
    "test_ended": _("The load test did not finish"),
    "never_ready": _("The server never became ready"),
    "artifact_missing": _("A file the pipeline needs is missing"),
    "report_invalid": _("The training report cannot be used"),
    "load_invalid": _("The load test left no result"),
    "never_placed": _("The server found no room"),
}
