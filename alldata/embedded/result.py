"""What is the demo's result, as data and as one table?"""

from typing import Any

from alldata.cli.client import Json
from alldata.embedded.story import Story, nano_of, parts_of

NANO = 1_000_000_000


def result_of(story: Story, *, wall_s: float) -> Json:
    """The result's fields; what a failed story never reached is None, not zero."""
    load: Json = story.pipeline.get("load") or {}
    known = {
        "ok": story.finished,
        "failed_step": None if story.finished else story.step,
        "failure": story.failure or None,
        "wall_s": round(wall_s, 1),
        "deadline_met": story.job.get("deadline_met"),
        "accuracy": load.get("accuracy"),
        "verdict": story.pipeline.get("verdict"),
        "qps": load.get("qps"),
        "p50_ms": load.get("p50_ms"),
        "p99_ms": load.get("p99_ms"),
        "errors": (load["failures"] + load["wrong"]) if load else None,
        "cost": cost_of(story),
    }
    return empty_result(story.step) | known


def empty_result(step: str) -> Json:
    """What a demo that has not got past `step` has to say."""
    names = ("wall_s", "deadline_met", "accuracy", "verdict", "qps", "p50_ms", "p99_ms", "errors", "cost")
    unknown = dict.fromkeys((*names, "pss_peak_mb", "pss_idle_mb", "left_running"))
    return {"ok": False, "failed_step": step, "failure": None, **unknown}


def cost_of(story: Story) -> Json | None:
    """Both jobs together, by capability."""
    if not story.costs:
        return None
    parts: dict[str, int] = {}
    for cost in story.costs.values():
        for capability, nano in parts_of(cost).items():
            parts[capability] = parts.get(capability, 0) + nano
    totals = [cost["total"] for cost in story.costs.values()]
    return {
        "currency": totals[0]["currency"],
        "total_nano": sum(nano_of(total) for total in totals),
        "parts_nano": parts,
    }


def table_of(result: Json, story: Story, url: str) -> str:
    """The one table of the issue: what was promised, what happened, what it cost."""
    rows = [
        ("placement", placement_of(story.job)),
        ("duration", duration_of(story.job)),
        ("deadline met", shown(result["deadline_met"])),
        ("accuracy", shown(result["accuracy"])),
        ("verdict", shown(result["verdict"])),
        ("throughput", shown(result["qps"], " requests/s")),
        ("latency", f"P50 {shown(result['p50_ms'], ' ms')}, P99 {shown(result['p99_ms'], ' ms')}"),
        ("errors", shown(result["errors"])),
        *cost_rows(result["cost"]),
        ("memory (PSS)", f"peak {shown(result['pss_peak_mb'], ' MB')}, idle {shown(result['pss_idle_mb'], ' MB')}"),
        ("whole story", f"{result['wall_s']} s"),
        ("portal", url),
    ]
    width = max(len(name) for name, _ in rows)
    rule = "-" * (width + 50)
    return "\n".join((rule, *(f"{name:<{width}}  {value}" for name, value in rows), rule))


def cost_rows(cost: Json | None) -> list[tuple[str, str]]:
    if cost is None:
        return [("cost", "-")]
    parts = sorted(cost["parts_nano"].items(), key=lambda part: -part[1])
    rows = [("cost", money(cost["total_nano"], cost["currency"]))]
    return rows + [(f"  {name}", money(nano, cost["currency"])) for name, nano in parts]


def money(nano: int, currency: str) -> str:
    return f"{nano // NANO}.{nano % NANO:09d} {currency}"


def placement_of(job: Json) -> str:
    attempts = job.get("attempts") or []
    if not attempts:
        return "-"
    picks = attempts[-1]["placement"].get("picks", [])
    devices = ", ".join(sorted({str(pick.get("device", pick)) for pick in picks}))
    return f"{attempts[-1]['node']}: {devices}"


def duration_of(job: Json) -> str:
    """Predicted beside actual, in seconds."""
    promise = job.get("promise") or {}
    started, ended = job.get("started_ms"), job.get("ended_ms")
    actual = None if started is None or ended is None else (ended - started) / 1000
    predicted = promise.get("predicted_ms")
    return f"predicted {shown(predicted and predicted / 1000, ' s')}, actual {shown(actual, ' s')}"


def shown(value: Any, unit: str = "") -> str:
    """A value for people; what is unknown is a dash, never zero."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}{unit}" if isinstance(value, float) else f"{value}{unit}"
