"""What is running (model.py's Running), who outranks whom, and how much do the teams hold?

`ends_ms` is when a running job will have ended at the latest: its own limit where it has one, else
its 90 % quantile. Only a limit makes the promises of backfill.py unconditional; they say so.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scheduling.crater.model import Amounts, Node, Policy, Request, Running

__all__ = ["Running", "Teams", "capacity_of", "held_by", "rank", "teams_of"]


@dataclass(frozen=True, slots=True)
class Teams:
    """What each team holds of a cluster. Amounts are in the base units of profiles.dimensions."""

    capacity: Amounts = field(default_factory=dict)
    held: Mapping[str, Amounts] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)  # team -> weight, 1 when absent


def rank(request: Request) -> tuple[int, int]:
    """Who may displace whom: only a strictly greater rank. It never changes while a job lives."""
    urgent = request.deadline_ms is not None and request.policy is Policy.DEADLINE_AWARE
    return request.priority, int(urgent)


def held_by(running: Sequence[Running]) -> dict[str, dict[str, int]]:
    """Team -> dimension -> amount in use."""
    held: dict[str, dict[str, int]] = {}
    for job in running:
        mine = held.setdefault(job.request.team, {})
        for pick in job.picks:
            for name, amount in pick.amounts.items():
                mine[name] = mine.get(name, 0) + amount
    return held


def capacity_of(nodes: Iterable[Node]) -> dict[str, int]:
    """What a set of nodes offers in all, usable or not: shares must not jump when a node is repaired."""
    total: dict[str, int] = {}
    for node in nodes:
        for device in node.devices:
            for name, amount in device.capacity.items():
                total[name] = total.get(name, 0) + amount
    return total


def teams_of(nodes: Iterable[Node], running: Sequence[Running], weights: Mapping[str, int]) -> Teams:
    """Who holds how much of a cluster."""
    return Teams(capacity_of(nodes), held_by(running), weights)
