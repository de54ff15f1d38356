"""What does the address of a page of money ask for? The state, its neighbours as links, the same lines as files."""

from collections.abc import Sequence
from typing import Any

from alldata.kernel.intervals import DAY_MS
from alldata.portal.cost_path import Place, query
from alldata.tenancy.pages import PageRequest
from costing.selectors.questions import Answer, By, Question

RANGES = {"24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, "90d": 90 * DAY_MS}
#: How to cut, by level; the first is the default.
CUTS = {
    "organisation": (By.TEAM, By.PROJECT, By.JOB, By.CAPABILITY, By.DAY, By.BUCKET, By.DEVICE),
    "team": (By.PROJECT, By.JOB, By.CAPABILITY, By.DAY, By.BUCKET),
    "project": (By.JOB, By.CAPABILITY, By.DAY, By.BUCKET),
}
#: What counts as charged; "" is what the price versions say.
CHARGES = ("", "consumption", "allocation", "max")
FOCUS_MOST_MS = 31 * DAY_MS


def state_of(request: PageRequest, place: Place) -> dict[str, str]:
    """What the address asks for; anything unknown is ignored."""
    get = request.GET.get
    cuts = [cut.value for cut in CUTS[place.level] if cut is not By.DEVICE or request.viewer.is_finance]
    by, span, charge = get("by", ""), get("range", ""), get("charge", "")
    return {
        "by": by if by in cuts else cuts[0],
        "range": span if span in RANGES else "30d",
        "charge": charge if charge in CHARGES else "",
        "idle": "hide" if get("idle") == "hide" else "",
    }


def choices(place: Place, state: dict[str, str]) -> dict[str, Any]:
    """The chips: each is a link to the same page with one thing changed."""

    def links(name: str, values: Sequence[str]) -> list[tuple[str, str, bool]]:
        return [(value, query(state, **{name: value}), state[name] == value) for value in values]

    return {
        "ranges": links("range", list(RANGES)),
        "cuts": links("by", [cut.value for cut in CUTS[place.level]]),
        "charges": links("charge", CHARGES),
        "idles": links("idle", ("", "hide")),
        "back": query(state),
    }


def exports(place: Place, question: Question, answer: Answer) -> dict[str, str]:
    """Where the same lines are to be had exactly."""
    asked = {
        "by": question.by.value,
        "start_timestamp": str(question.from_ms),
        "end_timestamp": str(question.to_ms),
        "team": str(place.team_id or ""),
        "project": str(place.project_id or ""),
        "limit": "1000",
        "as": "csv",
        "bom": "1",
    }
    span = {"end_timestamp": str(answer.to_ms)}
    span["start_timestamp"] = str(max(answer.from_ms, answer.to_ms - FOCUS_MOST_MS))
    return {"csv": query(asked), "focus": query(span) if answer.to_ms - answer.from_ms <= FOCUS_MOST_MS else ""}
