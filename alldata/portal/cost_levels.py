"""Where did the money go, at every level of the organisation? One question, its state in the URL, sums that sum."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.kernel.intervals import DAY_MS
from alldata.portal.bars import Chart, Pile, chart_of
from alldata.portal.cost_path import Place, home_of, place_of, query
from alldata.portal.figures import money_parts
from alldata.portal.times import local
from alldata.tenancy.pages import PageRequest, page
from costing.selectors.breakdown import breakdown, is_provisional
from costing.selectors.questions import Amounts, Answer, By, Question
from costing.selectors.summary import capacity_cost
from scheduling.selectors.jobs import job_row

RANGES = {"24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, "90d": 90 * DAY_MS}
#: How to cut, by level; the first is the default.
CUTS = {
    "organisation": (By.TEAM, By.PROJECT, By.JOB, By.CAPABILITY, By.DAY, By.BUCKET, By.DEVICE),
    "team": (By.PROJECT, By.JOB, By.CAPABILITY, By.DAY, By.BUCKET),
    "project": (By.JOB, By.CAPABILITY, By.DAY, By.BUCKET),
}
#: What counts as charged; "" is what the price versions say.
CHARGES = ("", "consumption", "allocation", "max")
WORDS = {By.CAPABILITY: "capability", By.BUCKET: "bucket"}
FOCUS_MOST_MS = 31 * DAY_MS


@dataclass(frozen=True, slots=True)
class Line:
    """One row as written; `url` leads deeper."""

    key: str
    label: str
    word: str
    url: str
    nano: int
    shown: str
    permille: int
    amounts: Amounts


@require_GET
@page
def top(request: PageRequest) -> HttpResponse:
    """The reader's organisation."""
    return redirect(home_of(request.project))


@require_GET
@page
def level(request: PageRequest, path: str) -> HttpResponse:
    """One level of the organisation; a job's level is its own page."""
    steps = [part for part in path.split("/") if part]
    if len(steps) == 4:
        place_of(request.viewer, "/".join(steps[:3]))
        return redirect("cost-job", job_row(request.viewer, steps[3]).reference)
    place = place_of(request.viewer, path)
    state = state_of(request, place)
    now = now_ms()
    question = Question(By(state["by"]), now - RANGES[state["range"]], now, place.team_id, place.project_id, limit=20)
    answer = breakdown(request.viewer, question)
    currency = answer.currency or request.project.currency
    lines, total = lines_of(place, answer, state["charge"], currency)
    context = {
        "place": place,
        "state": state,
        "answer": answer,
        "lines": lines,
        "rest": lines[-1] if answer.rest else None,
        "total": total,
        "total_nano": charged(answer.total, state["charge"]),
        "currency": currency,
        "chart": _chart(request, question, state["idle"] != "hide"),
        "capacity": _capacity(request, place, answer),
        "held": held_of(answer.total, currency),
        **_choices(place, state),
        **_exports(place, question, answer),
    }
    return render(request, "costing/level.html", context)


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


def charged(amounts: Amounts, mode: str) -> int:
    """What the mode charges of it; without a mode, what was charged."""
    used, idle, blind = amounts.used_nano, amounts.idle_nano, amounts.unmetered_nano
    return {"consumption": used, "allocation": used + idle, "max": used + idle + blind}.get(mode, amounts.charged_nano)


def lines_of(place: Place, answer: Answer, mode: str, currency: str) -> tuple[list[Line], str]:
    """Rows and what the limit left out, written so that they add up to the total as written."""
    rows = [*answer.rows, *([answer.rest] if answer.rest else [])]
    nanos = [charged(row.amounts, mode) for row in rows]
    texts, total = money_parts(nanos, currency)
    whole = sum(nanos)
    table = WORDS.get(answer.question.by, "")
    found = []
    for row, nano, shown in zip(rows, nanos, texts, strict=True):
        share = row.share_permille if not mode else (1000 * nano + whole // 2) // whole if whole else 0
        found.append(Line(row.key, row.label, table, _deeper(place, answer, row.key, row.label), nano, shown, share,
                          row.amounts))  # fmt: skip
    return found, total


def _deeper(place: Place, answer: Answer, key: str, label: str) -> str:
    by = answer.question.by
    if by is By.JOB and label.startswith("J-"):
        return place.url + label.split()[0] + "/" if place.level == "project" else f"/cost/jobs/{label.split()[0]}/"
    if (by is By.TEAM and place.level == "organisation") or (by is By.PROJECT and place.level == "team"):
        return place.below(key)
    return ""


def _chart(request: PageRequest, question: Question, with_idle: bool) -> Chart | None:
    """Each day: what was used, what was held and not used, what nobody metered."""
    asked = Question(By.DAY, question.from_ms, question.to_ms, question.team_id, question.project_id, limit=120)
    days = breakdown(request.viewer, asked)
    piles = []
    for row in days.rows:
        day = int(row.key)
        parts = [("used", row.amounts.used_nano)]
        if with_idle:
            parts += [("held", row.amounts.idle_nano), ("unmetered", row.amounts.unmetered_nano)]
        piles.append(Pile(f"{local(day):%m-%d}", tuple(parts), is_provisional(day + DAY_MS)))
    return chart_of(piles) if piles else None


def held_of(total: Amounts, currency: str) -> dict[str, Any]:
    """Used + idle + unmetered = held, written so that it adds up."""
    names = ("used", "allocated_idle", "unmetered")
    texts, whole = money_parts([total.used_nano, total.idle_nano, total.unmetered_nano], currency)
    return {"parts": list(zip(names, texts, strict=True)), "whole": whole}


def _capacity(request: PageRequest, place: Place, answer: Answer) -> dict[str, Any] | None:
    """All seven buckets of every device, for those who answer for all of them."""
    if place.level != "organisation" or not request.viewer.is_finance:
        return None
    found = capacity_cost(from_ms=answer.from_ms, to_ms=answer.to_ms)
    texts, whole = money_parts(list(found.buckets.values()), found.currency)
    rows = [(name, nano, text) for (name, nano), text in zip(found.buckets.items(), texts, strict=True)]
    return {"rows": rows, "whole": whole, "nano": found.capacity_nano}


def _choices(place: Place, state: dict[str, str]) -> dict[str, Any]:
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


def _exports(place: Place, question: Question, answer: Answer) -> dict[str, str]:
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
