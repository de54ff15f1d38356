"""What has been metered but not yet taken by the server, and up to where is each attempt metered?

One file a frame, in the order of their windows: `<start count>-<seq>.json`. It holds the frame and
the cumulative counters of every attempt after it, so both become durable by one rename. Killed
before the rename, the next start meters the same usage again; killed after it, it does not: no
usage is lost and none is counted twice. A frame that is taken becomes `settled.json`, which keeps
its counters when no newer frame is waiting.

Bounded: with `max_frames` waiting there is no room, and the caller closes its windows far less
often, so the oldest stay as they are and the newest grow coarser. Refused frames are kept, the last few, in
`rejected/`.
"""

import fcntl
import json
import os
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from alldata.agent.decode import WireError, decode, encode
from alldata.agent.files import read_json, sync_directory, write_whole
from alldata.agent.wire import MAX_BYTES, Frame

Counters = Mapping[str, int]
MAX_FRAMES = 20_000
MAX_REJECTED = 50
#: Bytes on disk of the frames that are sent together.
RUN_BYTES = 1 << 20


class SpoolBusy(Exception):
    """Another agent uses this spool; two would both send the same usage."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.directory = directory

    def __str__(self) -> str:
        return f"another agent is running on the spool {self.directory}; stop it or give --spool another directory"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A frame on disk; `frame` is None when the file cannot be read any more."""

    name: str
    frame: Frame | None


@dataclass(frozen=True, slots=True)
class Run:
    """Frames of one epoch that follow one another, as they lie on disk: name and plain frame, oldest first."""

    names: tuple[str, ...]
    frames: tuple[Mapping[str, object], ...]

    def before(self, refused: Collection[object]) -> "Run":
        """The frames in front of the first whose number is among the refused."""
        kept = next((k for k, one in enumerate(self.frames) if one.get("seq") in refused), len(self.frames))
        return Run(self.names[:kept], self.frames[:kept])


class Spool:
    """The directory of one agent. `append` belongs to one thread, all that reads and settles to another."""

    def __init__(self, directory: Path, *, max_frames: int = MAX_FRAMES) -> None:
        self.directory = directory
        self._frames = directory / "frames"
        self._rejected = directory / "rejected"
        self._settled = directory / "settled.json"
        self._max_frames = max_frames
        for needed in (directory, self._frames, self._rejected):
            needed.mkdir(parents=True, exist_ok=True)
        self._lock = self._take_lock()
        self._waiting: deque[str] = deque(sorted(path.name for path in self._frames.glob("[0-9]*.json")))
        last = self._last()
        self.reported: dict[str, Counters] = _counters_of(last)
        self.last_end_ms: int = _end_of(last)
        self.starts = 0

    def _take_lock(self) -> IO[str]:
        lock = open(self.directory / "lock", "a", encoding="ascii")  # noqa: SIM115 - held while the process lives
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise SpoolBusy(self.directory) from None
        return lock

    def close(self) -> None:
        """Let another agent use the directory."""
        self._lock.close()

    def _last(self) -> Mapping[str, object]:
        """The newest entry that can be read: counters only grow, so an older one is safe to start from."""
        for name in reversed(self._waiting):
            found = read_json(self._frames / name, limit=MAX_BYTES)
            if found is not None:
                return found
        return read_json(self._settled, limit=MAX_BYTES) or {}

    def next_start(self, now_ms: int) -> int:
        """A number no earlier epoch had; durable before it is used.

        It is at least the time in seconds, so that it stays unused even when the spool was deleted:
        an epoch that came again would make its frames look like duplicates.
        """
        path = self.directory / "starts.json"
        counted = (read_json(path) or {}).get("starts", 0)
        newest = max((int(name.partition("-")[0]) for name in self._waiting), default=0)
        self.starts = max(counted + 1 if isinstance(counted, int) else 1, newest + 1, now_ms // 1000)
        write_whole(path, json.dumps({"starts": self.starts}).encode())
        return self.starts

    @property
    def depth(self) -> int:
        """How many frames wait for the server."""
        return len(self._waiting)

    @property
    def has_room(self) -> bool:
        return self.depth < self._max_frames

    def append(self, frame: Frame, reported: Mapping[str, Counters]) -> None:
        """Make a frame and the counters after it durable. Errors: OSError (nothing has changed then)."""
        name = f"{self.starts:010d}-{frame.seq:012d}.json"
        entry = {"reported": reported, "frame": encode(frame)}
        write_whole(self._frames / name, json.dumps(entry, separators=(",", ":")).encode())
        self.reported = dict(reported)
        self.last_end_ms = frame.end_ms
        self._waiting.append(name)

    def oldest(self) -> Waiting | None:
        """The frame to send next."""
        if not self._waiting:
            return None
        name = self._waiting[0]
        entry = read_json(self._frames / name, limit=MAX_BYTES)
        try:
            return Waiting(name, decode(Frame, (entry or {}).get("frame")))
        except WireError:
            return Waiting(name, None)

    def oldest_run(self, most: int, *, room: int = RUN_BYTES) -> Run:
        """Up to `most` frames to send next, all of one epoch and together at most `room` bytes; only readable ones."""
        names: list[str] = []
        frames: list[Mapping[str, object]] = []
        size = 0
        for name in islice(self._waiting.copy(), most if most > 1 else 0):
            path = self._frames / name
            entry = read_json(path, limit=room)
            frame = (entry or {}).get("frame")
            if not isinstance(frame, dict) or _epoch_of(name) != _epoch_of(self._waiting[0]):
                break
            size += path.stat().st_size
            if size > room:
                break
            names.append(name)
            frames.append(frame)
        return Run(tuple(names), tuple(frames))

    def settle_run(self, run: Run) -> None:
        """The server has taken the oldest frames.

        The older ones are gone for good before the newest becomes the settled one: were they to come
        back, their counters would count what has been metered once more.
        """
        if not run.names:
            return
        *older, newest = run.names
        for name in older:
            (self._frames / name).unlink(missing_ok=True)
        sync_directory(self._frames)
        os.replace(self._frames / newest, self._settled)
        sync_directory(self._frames)
        for _ in run.names:
            self._waiting.popleft()

    def settle(self, waiting: Waiting, *, rejected: bool = False) -> None:
        """The server has taken the oldest frame, or will never take it."""
        path = self._frames / waiting.name
        if rejected:
            self._keep_rejected(path)
        if waiting.frame is None:
            path.unlink(missing_ok=True)  # its counters are unreadable too: keep those settled before
        else:
            os.replace(path, self._settled)
        sync_directory(self._frames)
        self._waiting.popleft()

    def _keep_rejected(self, path: Path) -> None:
        kept = sorted(self._rejected.iterdir())
        for old in kept[: max(0, len(kept) - MAX_REJECTED + 1)]:
            old.unlink(missing_ok=True)
        (self._rejected / path.name).write_bytes(path.read_bytes())


def _epoch_of(name: str) -> str:
    return name.partition("-")[0]


def _counters_of(entry: Mapping[str, object]) -> dict[str, Counters]:
    found = entry.get("reported")
    if not isinstance(found, dict):
        return {}
    return {
        key: {name: value for name, value in counters.items() if type(value) is int}
        for key, counters in found.items()
        if isinstance(counters, dict)
    }


def _end_of(entry: Mapping[str, object]) -> int:
    frame = entry.get("frame")
    end = frame.get("end_ms") if isinstance(frame, dict) else None
    return end if isinstance(end, int) else 0
