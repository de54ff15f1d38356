"""Up to which moment is usage known? Platform-internal: costing books no further than this.

An agent's watermark is the end of its frames without a gap. A gap or a silence that lasts
longer than LATENESS_MS no longer holds it back; what arrives later corrects the books.
"""

from monitoring.models import AgentStream

LATENESS_MS = 5 * 60_000


def watermarks(*, now_ms: int) -> dict[str, int]:
    """The watermark of every agent that ever sent a frame."""
    found: dict[str, int] = {}
    for stream in AgentStream.objects.order_by("agent", "-newest_ms").distinct("agent").defer("live"):
        found[stream.agent] = _watermark(stream, now_ms=now_ms)
    return found


def watermark(agent: str, *, now_ms: int) -> int | None:
    """The watermark of one agent; None when it never sent a frame."""
    stream = AgentStream.objects.filter(agent=agent).order_by("-newest_ms").defer("live").first()
    return None if stream is None else _watermark(stream, now_ms=now_ms)


def _watermark(stream: AgentStream, *, now_ms: int) -> int:
    given_up = stream.gap_since_ms is not None and now_ms - stream.gap_since_ms > LATENESS_MS
    return max(stream.newest_ms if given_up else stream.closed_ms, now_ms - LATENESS_MS)


def first_frame_ms(agent: str) -> int | None:
    """Start of the agent's first known window."""
    return AgentStream.objects.filter(agent=agent).order_by("first_ms").values_list("first_ms", flat=True).first()


def metered_until(agent: str) -> int | None:
    """How far usage has really been received without a gap: no allowance for silence."""
    streams = AgentStream.objects.filter(agent=agent).order_by("-newest_ms")
    return streams.values_list("closed_ms", flat=True).first()
