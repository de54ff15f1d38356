"""What does the address of a page of money ask for? The state, its neighbours as links, the same lines as files."""

from collections.abc import Sequence
from typing import Any

from alldata.kernel.intervals import DAY_MS
from alldata.portal.cost_path import Place, query
from alldata.portal.cost_range import MONTH, RANGES, Span
from alldata.portal.times import iso
from alldata.tenancy.pages import PageRequest
from costing.selectors.questions import Answer, By, Question

#: How to cut, by level; the first is the default.
CUTS = {
    "organisation": (By.TEAM, By.PROJECT, By.JOB, By.CAPABILITY, By.DAY, By.BUCKET, By.DEVICE),
    "team": (By.PROJECT, By.JOB, By.CAPABILITY, By.DAY, By.BUCKET),
    "project": (By.JOB, By.CAPABILITY, By.DAY, By.BUCKET),
}
#: What counts as charged; "" is what the price versions say.
CHARGES = ("", "consumption", "allocation", "max")
#: How to draw where the money went; "" is the bar.
VIEWS = ("", "treemap")
FOCUS_MOST_MS = 31 * DAY_MS


def state_of(request: PageRequest, place: Place, span: Span) -> dict[str, str]:
    """What the address asks for; anything unknown is ignored."""
    get = request.GET.get
    cuts = [cut.value for cut in CUTS[place.level] if cut is not By.DEVICE or request.viewer.is_finance]
    by, charge, view = get("by", ""), get("charge", ""), get("view", "")
    return {
        "by": by if by in cuts else cuts[0],
        "range": span.preset,
        "from": "" if span.preset else iso(span.from_ms),
        "to": "" if span.preset else iso(span.to_ms),
        "charge": charge if charge in CHARGES else "",
        "idle": "hide" if get("idle") == "hide" else "",
        "view": view if view in VIEWS else "",
    }


def choices(place: Place, state: dict[str, str]) -> dict[str, Any]:
    """The chips: each is a link to the same page with one thing changed."""

    def links(name: str, values: Sequence[str]) -> list[tuple[str, str, bool]]:
        return [(value, query(state, **{name: value}), state[name] == value) for value in values]

    presets = [*RANGES, MONTH]
    return {
        "ranges": [
            (name, query(state, **{"range": name, "from": "", "to": ""}), state["range"] == name) for name in presets
        ],
        "cuts": links("by", [cut.value for cut in CUTS[place.level]]),
        "charges": links("charge", CHARGES),
        "idles": links("idle", ("", "hide")),
        "views": links("view", VIEWS),
        "kept": [(name, value) for name, value in state.items() if value and name not in ("range", "from", "to")],
        "back": query(state),
    }


def compared(span: Span) -> str:
    """The same length of time just before, for the page that compares."""
    if span.preset in RANGES:
        return f"?a={span.preset}-1&b={span.preset}"
    first, last = span.from_ms // DAY_MS, -(-span.to_ms // DAY_MS)
    days = [iso(day * DAY_MS)[:10] for day in (2 * first - last, first, last)]
    return f"?a={days[0]}..{days[1]}&b={days[1]}..{days[2]}"


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
