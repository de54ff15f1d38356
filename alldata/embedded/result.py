"""What is the demo's result, as data? Printed by table.py."""

from alldata.cli.client import Json
from alldata.embedded.answers import nano_of, parts_of
from alldata.embedded.story import Story


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
