"""Where did the money go, at every level of the organisation? One question, its state in the URL, sums that sum."""

from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from alldata.kernel.clock import now_ms
from alldata.kernel.intervals import DAY_MS
from alldata.portal import words
from alldata.portal.bars import Chart, Pile, chart_of
from alldata.portal.cost import job_cost
from alldata.portal.cost_path import Place, place_of
from alldata.portal.cost_range import span_of
from alldata.portal.cost_state import choices, compared, exports, state_of
from alldata.portal.figures import money_parts
from alldata.portal.times import exact, local
from alldata.tenancy.pages import PageRequest, page
from costing.selectors.breakdown import breakdown, is_provisional
from costing.selectors.questions import Amounts, Answer, By, Question, Row
from costing.selectors.sparks import with_sparks
from costing.selectors.summary import capacity_cost
from scheduling.errors import JobNotFound
from scheduling.selectors.jobs import job_row

MOST_DAYS = 120
WORDS = {By.CAPABILITY: "capability", By.BUCKET: "bucket"}


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
    spark: tuple[int, ...] = ()


@require_GET
@page
def level(request: PageRequest, path: str) -> HttpResponseBase:
    """One level of the organisation; a job's level is its own page."""
    steps = [part for part in path.split("/") if part]
    if len(steps) == 4:
        if job_row(request.viewer, steps[3]).project_id != place_of(request.viewer, "/".join(steps[:3])).project_id:
            raise JobNotFound(steps[3])
        return job_cost(request, steps[3])
    place = place_of(request.viewer, path)
    span = span_of(request.GET.dict(), now_ms=now_ms())
    state = state_of(request, place, span)
    question = Question(By(state["by"]), span.from_ms, span.to_ms, place.team_id, place.project_id, limit=20)
    answer = with_sparks(request.viewer, breakdown(request.viewer, question))
    currency = answer.currency or request.project.currency
    lines, total = lines_of(place, answer, state["charge"], currency)
    context = {
        "place": place,
        "state": state,
        "span": span,
        "compared": compared(span),
        "answer": answer,
        "lines": lines,
        "rest": lines[-1] if answer.rest else None,
        "total": total,
        "total_nano": charged(answer.total, state["charge"]),
        "currency": currency,
        "chart": _chart(request, question, state["idle"] != "hide"),
        "capacity": _capacity(request, place, answer),
        "held": held_of(answer.total, currency),
        "png_note": note_of(answer),
        **choices(place, state),
        **exports(place, question, answer),
    }
    return render(request, "costing/level.html", context)


def charged(amounts: Amounts, mode: str) -> int:
    """What the mode charges of it; without a mode, what was charged."""
    used, idle, blind = amounts.used_nano, amounts.idle_nano, amounts.unmetered_nano
    return {"consumption": used, "allocation": used + idle, "max": used + idle + blind}.get(mode, amounts.charged_nano)


def lines_of(place: Place, answer: Answer, mode: str, currency: str) -> tuple[list[Line], str]:
    """Rows and what the limit left out, written so that they add up to the total as written."""
    held = [row for row in answer.rows if _belongs(answer, row)]
    rows = [*held, *([answer.rest] if answer.rest else [])]
    nanos = [charged(row.amounts, mode) for row in rows]
    texts, total = money_parts(nanos, currency)
    whole = sum(nanos)
    table = WORDS.get(answer.question.by, "")
    found = []
    for row, nano, shown in zip(rows, nanos, texts, strict=True):
        share = row.share_permille if not mode else (1000 * nano + whole // 2) // whole if whole else 0
        found.append(Line(row.key, row.label, table, _deeper(place, answer, row.key, row.label), nano, shown, share,
                          row.amounts, row.spark))  # fmt: skip
    return found, total


def _belongs(answer: Answer, row: Row) -> bool:
    """Capacity that nobody held is shown where it went, not as a row without money."""
    whole = answer.question.by in (By.BUCKET, By.DEVICE)
    return whole or bool(row.amounts.charged_nano) or row.amounts.coverage is not None


def _deeper(place: Place, answer: Answer, key: str, label: str) -> str:
    by = answer.question.by
    if by is By.JOB and label.startswith("J-"):
        return place.url + label.split()[0] + "/" if place.level == "project" else f"/cost/jobs/{label.split()[0]}/"
    if (by is By.TEAM and place.level == "organisation") or (by is By.PROJECT and place.level == "team"):
        return place.below(key)
    return ""


def _chart(request: PageRequest, question: Question, with_idle: bool) -> Chart | None:
    """Each day: what was used, what was held and not used, what nobody metered."""
    asked = Question(By.DAY, question.from_ms, question.to_ms, question.team_id, question.project_id, limit=MOST_DAYS)
    days = {int(row.key): row.amounts for row in breakdown(request.viewer, asked).rows}
    first, last = asked.days
    every = range(first, last, DAY_MS) if last - first <= MOST_DAYS * DAY_MS else sorted(days)
    piles = [_pile(day, days.get(day, Amounts()), with_idle) for day in every]
    return chart_of(piles) if days else None


def _pile(day: int, amounts: Amounts, with_idle: bool) -> Pile:
    parts = [("used", amounts.used_nano)]
    if with_idle:
        parts += [("held", amounts.idle_nano), ("unmetered", amounts.unmetered_nano)]
    return Pile(f"{local(day):%m-%d}", tuple(parts), amounts != Amounts() and is_provisional(day + DAY_MS))


def note_of(answer: Answer) -> str:
    """What a picture that leaves the page must say about itself."""
    parts = [f"{exact(answer.from_ms)} – {exact(answer.to_ms)}", *answer.price_versions]
    return " · ".join([*parts, words.word("provisional", "status")] if answer.provisional else parts)


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
