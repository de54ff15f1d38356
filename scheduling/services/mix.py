"""What do jobs ask for these days, and what is one such job worth? Worked out beside the planner, never within it.

The newest jobs and those under way are grouped by what they need: gaps are filled by what comes
often, but most of a cluster's time belongs to jobs that stay long (docs/benchmarks.md, steady).
Their shadow prices (crater/market.py) take up to seconds, so they are kept in a row that
`snapshot.py` reads. The row is keyed by a digest of the shapes, how common they are (in steps, so
that one more job of a kind changes nothing) and the machines: while that is the same there is
nothing to do. Without GPUs there is nothing to price.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Count

from scheduling.crater.market import shadow_prices
from scheduling.crater.model import Demand, Node
from scheduling.lifecycle import JobState
from scheduling.models import Job, ObservedMix
from scheduling.ports import PriceQuotes
from scheduling.services.commands import digest_of
from scheduling.snapshot import cluster_now, needs_of

#: Jobs looked at, shapes priced, and the steps of their shares.
NEWEST, MOST_SHAPES, STEPS = 1_000, 48, 200
GPU = "gpu"

Need = Mapping[str, Any]


def observe(*, prices: PriceQuotes, now_ms: int) -> bool:
    """Renew the mix if demand or machines have changed; True when it was."""
    nodes = cluster_now(prices=prices, now_ms=now_ms, queue=()).nodes
    shapes = _recent()
    if not shapes or not any(device.type == GPU for node in nodes for device in node.devices):
        return False
    digest = digest_of([[text, weight] for text, weight in shapes] + _machines(nodes))
    if ObservedMix.objects.order_by("-at_ms").values_list("digest", flat=True).first() == digest:
        return False
    needs = [json.loads(text) for text, _ in shapes]
    priced = shadow_prices(nodes, [Demand(needs_of(n), w) for n, (_, w) in zip(needs, shapes, strict=True)])
    body = [{"needs": n, "weight": d.weight, "micro": d.micro} for n, d in zip(needs, priced, strict=True)]
    ObservedMix.objects.create(at_ms=now_ms, digest=digest, body=body)
    ObservedMix.objects.exclude(digest=digest).delete()
    return True


def _recent() -> list[tuple[str, int]]:
    """(needs as canonical JSON, how many of STEPS jobs) of the commonest shapes, newest jobs and jobs under way."""
    newest = Job.objects.order_by("-id").values_list("demand__needs", "demand__spread")[:NEWEST]
    counts = Counter(_canonical(part) for needs, spread in newest for part in _parts(needs, spread))
    under_way = Job.objects.filter(state__in=[JobState.ADMITTED, JobState.ACTIVE], ended_ms=None)
    told = under_way.values("demand__needs", "demand__spread").annotate(jobs=Count("pk"))
    for needs, spread, count in told.values_list("demand__needs", "demand__spread", "jobs"):
        for part in _parts(needs, spread):
            counts[_canonical(part)] += count
    total = sum(counts.values())
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_SHAPES]
    return sorted((text, max(1, round(STEPS * count / total))) for text, count in common)


def _parts(needs: Sequence[Need], spread: str | None) -> list[list[Need]]:
    """What has to fit on one node: all of it, or each member of a gang."""
    if spread != "node":
        return [list(needs)]
    members: dict[str, list[Need]] = {}
    for need in needs:
        members.setdefault(need.get("component", ""), []).append(need)
    return list(members.values())


def _canonical(needs: Iterable[Need]) -> str:
    """Equal for equal needs: the part of a job that a need belongs to says nothing of its size."""
    plain = [{key: value for key, value in need.items() if key != "component"} for need in needs]
    return json.dumps(plain, sort_keys=True, separators=(",", ":"))


def _machines(nodes: Sequence[Node]) -> list[Any]:
    """What there is, whatever is free of it."""
    return [[node.name, node.usable, [[d.uuid, d.usable, dict(d.capacity)] for d in node.devices]] for node in nodes]
