"""Where does the job's output go, and what is dropped when there is too much of it?

The stream is cut into segments `log.000000`, `log.000001`, ... of equal size, so that a byte's
offset is its segment's number times the size plus its place there: offsets stay true whatever
is dropped. Over the limit the oldest segment but the first goes: how a run began and how it
ended are what people look for.
"""

import os


class LogSegments:
    """The writer. It never fails the job: bytes a full disk refuses are counted as lost."""

    def __init__(self, directory: str, *, segment_bytes: int, limit_bytes: int) -> None:
        self.directory = directory
        self.segment_bytes = segment_bytes
        self.keep = max(2, limit_bytes // segment_bytes)
        self.bytes = self.dropped = self.lost = 0
        self._oldest_droppable = 1
        self._file = self._open(0)

    def _open(self, index: int) -> int:
        name = os.path.join(self.directory, f"log.{index:06d}")
        return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            room = self.segment_bytes - self.bytes % self.segment_bytes
            try:
                done = os.write(self._file, view[:room])
            except OSError:
                self.lost += len(view)
                return
            self.bytes += done
            view = view[done:]
            if done == room:
                self._roll()

    def _roll(self) -> None:
        index = self.bytes // self.segment_bytes
        os.close(self._file)
        self._file = self._open(index)
        while index - self._oldest_droppable + 2 > self.keep:
            os.unlink(os.path.join(self.directory, f"log.{self._oldest_droppable:06d}"))
            self._oldest_droppable += 1
            self.dropped += self.segment_bytes

    def facts(self) -> dict[str, object]:
        return {"bytes": self.bytes, "dropped": self.dropped, "lost": self.lost}
