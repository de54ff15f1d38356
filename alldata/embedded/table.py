"""How is the demo's result shown to people? One table: what was promised, what happened, what it cost."""

from typing import Any

from alldata.cli.client import Json
from alldata.embedded.story import Story

NANO = 1_000_000_000


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
