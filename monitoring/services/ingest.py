"""Take a frame in: at least once from the wire, exactly once in the table.

(agent, epoch, seq) names a frame for ever. The stream row is locked while one frame of its
epoch is taken in, so the end of what was received without a gap is exact whatever the order
of arrival. Next: costing/handlers.py, which hears of every stored frame.
"""

from django.db import connection, transaction

from alldata.agent.wire import Frame
from alldata.kernel.events import UsageRecorded
from alldata.outbox.publish import publish
from monitoring.errors import BadFrameTime, FrameOverlaps
from monitoring.frames import pack
from monitoring.models import AgentStream, UsageFrame
from monitoring.services.partitions import ensure_partition

MAX_FUTURE_MS = 5 * 60_000
MAX_AGE_MS = 35 * 86_400_000
MAX_WINDOW_MS = 3_600_000
INSERT = """
INSERT INTO usage_frame (agent, epoch, seq, start_ms, end_ms, recv_ms, attempts, body)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING 1
"""


def ingest_frame(frame: Frame, *, agent: str, now_ms: int) -> bool:
    """Store a frame; False when it was stored before. Errors: BadFrameTime, FrameOverlaps."""
    refuse_impossible_time(frame, now_ms=now_ms)
    body = pack(frame)
    with transaction.atomic():
        stream, is_new = _lock_stream(frame, agent=agent, body=body)
        if not is_new and stream.first_seq <= frame.seq <= stream.closed_seq:
            return False
        if not is_new and frame.seq > stream.closed_seq and frame.start_ms < stream.closed_ms:
            raise FrameOverlaps(agent, frame.seq, frame.start_ms, stream.closed_ms)
        if not _insert(frame, agent=agent, body=body, now_ms=now_ms):
            return False
        _advance(stream, frame, body=body, now_ms=now_ms)
        keys = tuple(sorted({usage.key for usage in frame.attempts}))
        publish(UsageRecorded(agent, frame.start_ms, frame.end_ms, keys), now_ms=now_ms)
    return True


def refuse_impossible_time(frame: Frame, *, now_ms: int) -> None:
    """Stop garbage before it reaches a bill. Errors: BadFrameTime."""
    reason = ""
    if frame.end_ms <= frame.start_ms:
        reason = "it has no length"
    elif frame.end_ms > now_ms + MAX_FUTURE_MS:
        reason = "it ends more than 5 minutes in the future"
    elif frame.start_ms < now_ms - MAX_AGE_MS:
        reason = "it is older than 35 days"
    elif frame.end_ms - frame.start_ms > MAX_WINDOW_MS:
        reason = "it is longer than an hour"
    if reason:
        raise BadFrameTime(reason, frame.start_ms, frame.end_ms, now_ms)


def _lock_stream(frame: Frame, *, agent: str, body: bytes) -> tuple[AgentStream, bool]:
    """The locked stream row of the frame's epoch, made by its first frame."""
    return AgentStream.objects.select_for_update().get_or_create(
        agent=agent,
        epoch=frame.epoch,
        defaults={
            "first_seq": frame.seq,
            "first_ms": frame.start_ms,
            "closed_seq": frame.seq,
            "closed_ms": frame.end_ms,
            "newest_seq": frame.seq,
            "newest_ms": frame.end_ms,
            "live_start_ms": frame.start_ms,
            "live": body,
        },
    )


def _insert(frame: Frame, *, agent: str, body: bytes, now_ms: int) -> bool:
    ensure_partition(frame.start_ms)
    keys = sorted({usage.key for usage in frame.attempts})
    row = (agent, frame.epoch, frame.seq, frame.start_ms, frame.end_ms, now_ms, keys, body)
    with connection.cursor() as cursor:
        cursor.execute(INSERT, row)
        return cursor.fetchone() is not None


def _advance(stream: AgentStream, frame: Frame, *, body: bytes, now_ms: int) -> None:
    """Move the stream's ends: newest by arrival, closed by what has no gap before it."""
    stream.first_ms = min(stream.first_ms, frame.start_ms)
    if frame.end_ms >= stream.newest_ms:
        stream.newest_seq, stream.newest_ms = frame.seq, frame.end_ms
        stream.live_start_ms, stream.live = frame.start_ms, body
    if frame.seq == stream.closed_seq + 1:
        stream.closed_seq, stream.closed_ms = frame.seq, frame.end_ms
        if stream.newest_seq > frame.seq:
            _close_gap(stream)
    behind = stream.newest_seq > stream.closed_seq
    stream.gap_since_ms = (stream.gap_since_ms or now_ms) if behind else None
    stream.save()


def _close_gap(stream: AgentStream) -> None:
    """Take up the frames that had arrived early."""
    early = UsageFrame.objects.filter(
        agent=stream.agent, epoch=stream.epoch, seq__gt=stream.closed_seq, start_ms__gte=stream.closed_ms
    )
    for seq, end_ms in early.order_by("seq").values_list("seq", "end_ms"):
        if seq != stream.closed_seq + 1:
            break
        stream.closed_seq, stream.closed_ms = seq, end_ms
