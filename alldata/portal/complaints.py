"""What does a refused submission look like to the person who typed it? One line a field, in their language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from alldata.kernel.errors import AllDataError
from alldata.portal.figures import money
from scheduling.ports import Shortage

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
    "deadline_unmeetable": gettext_lazy("The hard deadline cannot be met. Choose a later one, or make it soft."),
}
FIELDS = {
    "unknown_profile": "profile",
    "unknown_mode": "mode",
    "deadline_past": "deadline",
    "bad_budget": "budget",
    "bad_amount": "budget",
    "entry_too_large": "script",
    "budget_exhausted": "budget",
    "deadline_unmeetable": "deadline",
}
PREFIXES = {"entry.command": "command", "entry.files": "script_name", "entry": "command"}


def _figures(facts: Mapping[str, object]) -> Mapping[str, object]:
    """The error's data as people read them: names as they are, amounts of money with their currency."""
    currency = str(facts.get("currency", ""))
    nano = {name: value for name, value in facts.items() if name.endswith("_nano")}
    amounts = {name.removesuffix("_nano"): money(int(str(value)), currency) for name, value in nano.items()}
    return {**facts, **amounts}


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing to mend; `field` is the id of the input, "" for the whole form."""

    field: str
    text: str


def complaints_of(refused: AllDataError) -> list[Complaint]:
    """The refusal as complaints; an unknown code keeps its own English words."""
    field = refused.field or ""
    place = FIELDS.get(refused.code) or PREFIXES.get(field, field)
    text = SENTENCES.get(refused.code)
    suggestion = refused.facts.get("suggestion")
    words = str(text) % _figures(refused.facts) if text else str(refused)
    if isinstance(suggestion, str) and suggestion:
        words += " " + _("Did you mean %(suggestion)s?") % {"suggestion": suggestion}
    return [Complaint(place, words)]


def shortage_of(short: Shortage) -> str:
    """What a submission would be refused with."""
    amounts = {"left": money(short.left_nano, short.currency), "asked": money(short.asked_nano, short.currency)}
    return str(SENTENCES["budget_exhausted"]) % {"name": short.name, **amounts}
