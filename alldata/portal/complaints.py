"""What does a refused submission look like to the person who typed it? One line a field, in their language."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from alldata.kernel.errors import AllDataError

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
}
FIELDS = {
    "unknown_profile": "profile",
    "unknown_mode": "mode",
    "deadline_past": "deadline",
    "bad_budget": "budget",
    "bad_amount": "budget",
    "entry_too_large": "script",
}
PREFIXES = {"entry.command": "command", "entry.files": "script_name", "entry": "command"}


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
    words = str(text) if text else str(refused)
    if isinstance(suggestion, str) and suggestion:
        words += " " + _("Did you mean %(suggestion)s?") % {"suggestion": suggestion}
    return [Complaint(place, words)]
