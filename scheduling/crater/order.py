"""Whose turn is it?

Least slack first (deadline minus now minus the 90 % duration), then priority, then age. Jobs
without a deadline, and `fifo` jobs, have endless slack. The job name breaks ties, so the
order of the input never matters.
"""

from collections.abc import Iterable
from math import inf

from scheduling.crater.model import Policy, Request


def slack_ms(request: Request, now_ms: int) -> float:
    """How long the job could still wait and probably meet its deadline."""
    if request.deadline_ms is None or request.policy is Policy.FIFO:
        return inf
    duration = request.runtime.p90_ms if request.runtime else 0
    return request.deadline_ms - now_ms - duration


def ordered(queue: Iterable[Request], now_ms: int) -> list[Request]:
    """The queue in the order of decision."""
    return sorted(queue, key=lambda r: (slack_ms(r, now_ms), -r.priority, r.submitted_ms, r.job))
