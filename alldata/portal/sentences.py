"""Why does a job wait, why did it end, what happened? Sentences made from codes and their facts."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from alldata.portal.figures import THIN, amount, digits, percent
from alldata.portal.times import clock, duration
from alldata.portal.words import ENDINGS, EVENTS, UNUSABLE, WAITING, word
from profiles.dimensions import BY_NAME

Facts = Mapping[str, Any]
#: Chinese sets a space between its own characters and Latin letters or digits.
TIGHT = re.compile(r"(?<=[\u4e00-\u9fff])(?=[A-Za-z0-9¥])|(?<=[A-Za-z0-9%])(?=[\u4e00-\u9fff])")


def spaced(text: str) -> str:
    """A sentence whose parts were put together, set properly."""
    return TIGHT.sub(" ", text)


def ending(reason: str, facts: Facts) -> str:
    """Why a job or an attempt ended, as one sentence."""
    values: dict[str, object] = defaultdict(lambda: "?", facts)
    values.update(others(facts))
    missing = facts.get("missing")
    if isinstance(missing, list):
        values["missing"] = ", ".join(str(name) for name in missing)
    text = spaced(str(ENDINGS[reason]) % values) if reason in ENDINGS else word(reason, "notice")
    return of_member(facts, text)


def of_member(facts: Facts, text: str) -> str:
    """A sentence about one member of a gang says which."""
    member = facts.get("member")
    return spaced(_("%(member)s: %(text)s") % {"member": member, "text": text}) if member else text


def waiting(reason: str, facts: Facts, *, now_ms: int | None = None) -> str:
    """What a queued job waits for, as one line; with the time, when it or the job before it starts at the latest."""
    start_ms = facts.get("start_ms")
    start = clock(start_ms, now_ms=now_ms) if isinstance(start_ms, int) and now_ms is not None else ""
    nearest = facts.get("nearest") or {}
    figures = {name: digits(nearest[name]) for name in ("need", "have") if isinstance(nearest.get(name), int)}
    values = {"what": subject(nearest), "at": start, "need": "?", "have": "?", **figures, **others(facts)}
    timed = f"{reason}_at" if start else reason
    if timed in WAITING:
        return of_member({} if nearest.get("rule") == "nodes" else facts, spaced(str(WAITING[timed]) % values))
    text = str(WAITING.get(reason, WAITING["waiting"])) % values
    return spaced(_("%(waiting)s, starts by about %(at)s") % {"waiting": text, "at": start} if start else text)


def others(facts: Facts) -> dict[str, str]:
    """The jobs that facts name, and what a stop has cost; a job that the reader may not see stays unnamed."""
    lost_ms = facts.get("lost_ms")
    return {
        "head": str(facts.get("head") or _("an earlier job")),
        "by": str(facts.get("by") or _("a more important job")),
        "lost": duration(lost_ms) if isinstance(lost_ms, int) else "?",
    }


def subject(shortfall: Facts) -> str:
    """What a shortfall is about: a capability, or the type of device."""
    dimension = shortfall.get("dimension")
    return word(dimension, "capability") if dimension else word(shortfall.get("type", ""), "type")


def value(raw: object, dimension: object) -> str:
    """A need or a have with its unit; what is unknown says so."""
    if raw is None:
        return _("unknown")
    if isinstance(raw, bool):
        return _("yes") if raw else _("no")
    if isinstance(raw, int) and dimension == "cpu_millicores":
        return ngettext("%(n)s core", "%(n)s cores", 1 if raw == 1000 else 2) % {"n": amount(raw, str(dimension))}
    if isinstance(raw, int) and dimension in BY_NAME:
        return amount(raw, str(dimension))
    if isinstance(raw, int | float):
        return digits(raw)
    return str(UNUSABLE.get(str(raw), raw))


def shortfall(nearest: Facts) -> dict[str, str]:
    """Need, have and short of a refusal, ready for the reason card."""
    dimension = nearest.get("dimension")
    short = nearest.get("short")
    where = str(nearest.get("device") or nearest.get("node") or "")
    return {
        "what": subject(nearest),
        "rule": word(nearest.get("rule", ""), "rule"),
        "need": value(nearest.get("need"), dimension) if nearest.get("rule") != "unusable" else _("a usable device"),
        "have": value(nearest.get("have"), dimension),
        "short": value(short, dimension) if short is not None else "",
        "where": where,
        "code": str(dimension or ""),
    }


def relaxation(change: Facts) -> str:
    """One proved change, as an instruction."""
    return spaced(_instruction(change))


def _instruction(change: Facts) -> str:
    dimension, rule, to = change.get("dimension"), change.get("rule"), change.get("to")
    values = {
        "what": word(dimension, "capability"),
        "type": word(change.get("type", ""), "type"),
        "to": _share(to) if rule == "share" else value(to, dimension),
        "was": value(change.get("was"), dimension),
    }
    if rule == "alignment":
        return _("Allow devices on different NUMA nodes")
    if rule == "cap":
        return _("Drop the cap") if to is None else _("Raise the cap")
    if rule == "count":
        return _("Ask for %(to)s %(type)s instead of %(was)s") % values
    if rule == "constraint":
        return (_("Drop the requirement on %(what)s") if to is None else _("Also accept %(what)s %(to)s")) % values
    return (_("Do without %(what)s") if to is None else _("Lower %(what)s to %(to)s")) % values


def _share(ppm: object) -> str:
    return value(ppm, "gpu_sm") if isinstance(ppm, int) else ""


def event(name: str, facts: Facts) -> str:
    """One line of a job's history."""
    values: dict[str, object] = defaultdict(lambda: "?", facts)
    values.update({"to": word(facts.get("to", ""), "state"), "node": nodes_of(facts), **others(facts)})
    return spaced(str(EVENTS[name]) % values) if name in EVENTS else name.replace(".", " ").replace("_", " ")


def nodes_of(placed: Facts) -> str:
    """Where something was placed: the node, or those of all members."""
    parts = placed.get("members") or [placed]
    return ", ".join(str(part.get("node") or "?") for part in parts)


def event_detail(name: str, facts: Facts) -> str:
    """The second line: why, when there is a why."""
    reason = str(facts.get("reason") or "")
    if reason.startswith("waiting"):
        return waiting(reason, facts)
    nearest = facts.get("nearest")
    if name == "decision.refused" and isinstance(nearest, Mapping):
        return waiting(f"waiting_{nearest.get('rule')}", {"nearest": nearest})
    return ending(reason, facts) if reason else ""


def verdict(run_verdict: str, load: Facts, reasons: Sequence[Facts]) -> str:
    """The verdict of a pipeline in one sentence with its deciding figure."""
    deciding = next((r for r in reasons if r.get("outcome", run_verdict) == run_verdict), {})
    what = word(deciding.get("code", ""), "judged")
    got, limit = (measure(deciding.get(key), deciding.get("unit")) for key in ("got", "limit"))
    if run_verdict == "pass":
        figures = {"p99": measure(load.get("p99_ms"), "ms"), "qps": digits(load.get("qps") or 0)}
        return _("Pass: P99 %(p99)s at %(qps)s QPS, every threshold is met.") % figures
    if got == "–" or limit == "–":
        return (_("Fail: %(what)s.") if run_verdict == "fail" else _("Not sure: %(what)s.")) % {"what": what}
    failed, unsure = _("Fail: %(what)s, %(got)s, asked %(limit)s."), _("Not sure: %(what)s, %(got)s, asked %(limit)s.")
    return (failed if run_verdict == "fail" else unsure) % {"what": what, "got": got, "limit": limit}


def measure(figure: object, unit: object) -> str:
    """A figure of a load test with its unit."""
    if not isinstance(figure, int | float):
        return "–"
    if unit == "ratio":
        return percent(figure, 1, 1 if figure < 1 else 0)
    return f"{digits(figure)}{THIN}{'QPS' if unit == 'qps' else unit or ''}".rstrip(THIN)
