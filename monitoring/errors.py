"""Refusals of the agents' doors: what a message lacked, by path and with numbers."""

from collections.abc import Mapping

from alldata.kernel.errors import Conflict, Invalid, TooLarge


class BadMessage(Invalid):
    """A message is not what the protocol promises; `facts.path` names the value."""

    code = "bad_message"

    def __init__(self, path: str, expected: str, found: str) -> None:
        super().__init__(path, expected, found)
        self.path, self.expected, self.found = path, expected, found
        self.field = path or None

    def __str__(self) -> str:
        return f"{self.path or 'message'}: expected {self.expected}, found {self.found}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"path": self.path, "expected": self.expected, "found": self.found}


class BadFrameTime(Invalid):
    """A frame's window lies where no usage can be accepted."""

    code = "bad_frame_time"

    def __init__(self, reason: str, start_ms: int, end_ms: int, now_ms: int) -> None:
        super().__init__(reason, start_ms, end_ms, now_ms)
        self.reason, self.start_ms, self.end_ms, self.now_ms = reason, start_ms, end_ms, now_ms

    def __str__(self) -> str:
        return f"window [{self.start_ms}, {self.end_ms}) is refused: {self.reason} (server time {self.now_ms})"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"reason": self.reason, "start_ms": self.start_ms, "end_ms": self.end_ms, "now_ms": self.now_ms}


class FrameOverlaps(Conflict):
    """A new frame reaches into a window that its own epoch has already closed."""

    code = "frame_overlaps"

    def __init__(self, agent: str, seq: int, start_ms: int, closed_ms: int) -> None:
        super().__init__(agent, seq, start_ms, closed_ms)
        self.agent, self.seq, self.start_ms, self.closed_ms = agent, seq, start_ms, closed_ms

    def __str__(self) -> str:
        return (
            f"frame {self.seq} of {self.agent} starts at {self.start_ms}, "
            f"but its epoch is closed up to {self.closed_ms}; start a new epoch"
        )


class AgentVersionRefused(Conflict):
    """Agent and server differ by more than a patch version."""

    code = "agent_version_refused"

    def __init__(self, agent_version: str, server_version: str) -> None:
        super().__init__(agent_version, server_version)
        self.agent_version, self.server_version = agent_version, server_version

    def __str__(self) -> str:
        return f"agent {self.agent_version} cannot speak to server {self.server_version}; upgrade the older one"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"agent": self.agent_version, "server": self.server_version}


class MessageTooLarge(TooLarge):
    """A message exceeds what the agents' doors accept."""

    code = "message_too_large"

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(size, limit)
        self.size, self.limit = size, limit

    def __str__(self) -> str:
        return f"the message has {self.size} bytes; at most {self.limit} are accepted"
