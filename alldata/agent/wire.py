"""What do agent and server say to each other?

One versioned envelope, `{wire, kind, agent, agent_version, sent_ms, body}`, posted to
/api/v1/agents/register (kind "register") and /api/v1/agents/frames (kind "frame", or "frames" for
several of one epoch after an outage); the answer to all is an `Ack`, to "frames" one that also names
what was refused. Both sides use this module, so a shape exists in one place.

Units: the dimension names of profiles/dimensions.py in their base units, integers throughout.
`q` is an integral, value x milliseconds (so CPU microseconds, byte-milliseconds, I/Os x 1000).
What is not known is None with quality "missing" and a reason; it is never 0.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from alldata.agent.decode import WireError, decode, encode, shown

WIRE = 1
MAX_BYTES = 8 * 1024 * 1024

Source = Literal["measured", "published", "driver", "sysfs", "estimated"]
Quality = Literal["measured", "proxy", "estimated", "missing"]
DeviceType = Literal["cpu", "memory", "gpu", "storage", "network", "link"]
Health = Literal["ok", "degraded", "lost"]
AttributeValue = str | int | bool

__all__ = ["WireError", "WireVersionRefused"]


class WireVersionRefused(WireError):
    """The other side speaks another version of this protocol; upgrade the older one."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """How much of one dimension a device has, and how we know."""

    value: int | None
    source: Source
    quality: Quality
    at_ms: int | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        _refuse_silent_gap(self.value, self.quality, "value")


@dataclass(frozen=True, slots=True)
class NumaNode:
    """A NUMA node: `cpus` is empty on memory-only nodes, `distances` maps node id to distance."""

    node: int
    cpus: tuple[int, ...]
    memory_bytes: int | None
    distances: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Device:
    """Something that can be allocated, with its place in the machine and its capacities."""

    uuid: str
    type: DeviceType
    name: str
    numa_node: int | None = None
    parent: str | None = None
    vendor: str | None = None
    model: str | None = None
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    capacities: Mapping[str, Capacity] = field(default_factory=dict)
    health: Health = "ok"
    degraded_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A path between two devices, by uuid."""

    kind: Literal["pcie", "nvlink", "numa"]
    a: str
    b: str
    capacities: Mapping[str, Capacity] = field(default_factory=dict)
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Register:
    """Who an agent is and what its machine has. Sent at start, on change and every 30 s."""

    hostname: str
    boot_id: str
    epoch: str
    cores: int
    numa: tuple[NumaNode, ...]
    devices: tuple[Device, ...]
    sampling_ms: int
    window_ms: int
    links: tuple[Link, ...] = ()
    simulated: bool = False
    engine: str = "local"
    versions: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, AttributeValue] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()

    kind = "register"

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for device in self.devices:
            if device.uuid in seen:
                raise WireError("devices", "each uuid once", f"{device.uuid} twice")
            seen.add(device.uuid)


@dataclass(frozen=True, slots=True)
class Usage:
    """One dimension over one window. `coverage_ms` is the time really observed."""

    q: int | None
    source: Source
    quality: Quality
    peak: int | None = None
    coverage_ms: int | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        _refuse_silent_gap(self.q, self.quality, "q")


@dataclass(frozen=True, slots=True)
class DeviceUsage:
    """What one device did during the window."""

    uuid: str
    dims: Mapping[str, Usage]


@dataclass(frozen=True, slots=True)
class AttemptUsage:
    """What one attempt used of one device since its usage was last reported.

    [start_ms, end_ms) is when: it may lie before the frame's window, for the agent may have been
    away while the attempt ran. None when the engine does not say.
    """

    key: str
    device: str
    dims: Mapping[str, Usage]
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One closed window [start_ms, end_ms) of an agent.

    (agent, epoch, seq) names it for ever: a frame that arrives twice counts once. Windows of one
    epoch never overlap. Attempt usage is the difference since the last frame that named the
    attempt, so summing every frame gives its total whatever was killed in between.
    """

    epoch: str
    seq: int
    start_ms: int
    end_ms: int
    devices: tuple[DeviceUsage, ...] = ()
    attempts: tuple[AttemptUsage, ...] = ()

    kind = "frame"

    def __post_init__(self) -> None:
        if self.end_ms <= self.start_ms:
            raise WireError("end_ms", f"more than start_ms {self.start_ms}", f"{self.end_ms}")


@dataclass(frozen=True, slots=True)
class Frames:
    """Several frames of one epoch, oldest first. Each is taken or refused for itself."""

    frames: tuple[Frame, ...]

    kind = "frames"


@dataclass(frozen=True, slots=True)
class Refused:
    """A frame of a delivery that the server did not take."""

    seq: int
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Ack:
    """The server's answer (2xx). `server_ms` lets the agent notice a wrong clock.

    The last three belong to "frames": how many were new, were here before, or were not taken.
    """

    server_ms: int
    duplicate: bool = False
    stored: int | None = None
    duplicates: int | None = None
    refused: tuple[Refused, ...] = ()


Body = Register | Frame | Frames
_BODIES: Mapping[str, type[Register] | type[Frame] | type[Frames]] = {
    "register": Register,
    "frame": Frame,
    "frames": Frames,
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message with its sender."""

    agent: str
    agent_version: str
    sent_ms: int
    body: Body

    @property
    def kind(self) -> str:
        return self.body.kind


@dataclass(frozen=True, slots=True)
class _Sealed:
    """An envelope whose body has not been read yet."""

    kind: Literal["register", "frame", "frames"]
    agent: str
    agent_version: str
    sent_ms: int


def to_bytes(envelope: Envelope) -> bytes:
    """The envelope as it travels."""
    plain = {"wire": WIRE, "kind": envelope.kind} | encode(envelope)
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode()


def frames_to_bytes(envelope: Envelope, frames: Sequence[Mapping[str, object]]) -> bytes:
    """The envelope with these frames, which are plain already: a spool holds them so."""
    plain = {"wire": WIRE, "kind": Frames.kind} | encode(envelope) | {"body": {"frames": list(frames)}}
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode()


def parse(raw: bytes) -> Envelope:
    """Read an envelope. Errors: WireError; WireVersionRefused before anything else is read."""
    plain = parse_json(raw)
    if type(plain) is not dict:
        raise WireError("", "an object", shown(plain))
    wire = plain.pop("wire", None)
    if type(wire) is not int or wire != WIRE:
        raise WireVersionRefused("wire", f"version {WIRE}", shown(wire))
    body = plain.pop("body", None)
    sealed = decode(_Sealed, plain)
    try:
        read = decode(_BODIES[sealed.kind], body)
    except WireError as fault:
        raise fault.below("body") from None
    return Envelope(sealed.agent, sealed.agent_version, sealed.sent_ms, read)


def parse_ack(raw: bytes) -> Ack:
    """Read the server's answer. Errors: WireError."""
    return decode(Ack, parse_json(raw))


def parse_json(raw: bytes) -> Any:
    """JSON of bounded size, or WireError."""
    if len(raw) > MAX_BYTES:
        raise WireError("", f"at most {MAX_BYTES} bytes", f"{len(raw)}")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as fault:
        raise WireError("", "JSON", f"{shown(raw[:60])} ({shown(str(fault))})") from None


def _refuse_silent_gap(value: int | None, quality: Quality, name: str) -> None:
    """A gap must be called a gap, and a value must not be called one."""
    if (value is None) != (quality == "missing"):
        raise WireError(name, "null exactly when quality is missing", f"{value} as {quality}")
