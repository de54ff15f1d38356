"""What is said of a refused submission, and beside which input? Words by the error's code."""

from typing import Any

from django.utils.translation import gettext_lazy

#: Error code -> the sentence; %(...)s come from the error's own data.
SENTENCES: dict[str, Any] = {
    "unknown_profile": gettext_lazy("There is no published profile of this name and version."),
    "unknown_mode": gettext_lazy("The profile has no such mode."),
    "deadline_past": gettext_lazy("The deadline has passed. Choose a later one."),
    "bad_budget": gettext_lazy("The budget must be zero or more, in the project's currency."),
    "bad_amount": gettext_lazy("The budget must be a number such as 1.00."),
    "entry_too_large": gettext_lazy("The script is larger than 1 MB. Keep data out of it."),
    "request_reused": gettext_lazy("This form was already sent with other values. Open a new form."),
    "may_not": gettext_lazy("Your role may look but not submit to this project."),
    "budget_exhausted": gettext_lazy(
        "The budget of %(name)s has %(left)s left, and this job may come to %(asked)s. "
        "Give it a smaller budget, or have that one raised."
    ),
    "no_place": gettext_lazy("No place is free for this now, so none can be held. A job would wait for one."),
    "reservation_over": gettext_lazy("The place is no longer held. Hold one again, or submit and wait for a turn."),
    "reservation_not_found": gettext_lazy("There is no such held place."),
    "too_few_machines": gettext_lazy(
        "Its members need %(need)s machines, each one of its own; %(have)s here would do. Ask for fewer members."
    ),
    "deadline_unmeetable": gettext_lazy("The hard deadline cannot be met. Choose a later one, or make it soft."),
}
FIELDS = {
    "unknown_profile": "profile",
    "unknown_mode": "mode",
    "deadline_past": "deadline",
    "bad_budget": "budget",
    "bad_amount": "budget",
    "entry_too_large": "script",
    "too_few_machines": "profile",
    "budget_exhausted": "budget",
    "deadline_unmeetable": "deadline",
}
PREFIXES = {"entry.command": "command", "entry.files": "script_name", "entry": "command"}
