"""What a submission must contain, as values; doors build these, services trust them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from uuid import UUID

HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Entry:
    """What to run. `files` are {name, text} or {name, sha256}; `outputs` must exist at the end."""

    command: tuple[str, ...]
    files: tuple[Mapping[str, str], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain JSON values, as stored on the job."""
        return {
            "command": list(self.command),
            "files": [dict(file) for file in self.files],
            "env": dict(self.env),
            "outputs": list(self.outputs),
            "ports": list(self.ports),
        }


@dataclass(frozen=True, slots=True)
class Sla:
    """Until when, how strictly, for how much, and whose turn it is."""

    deadline_ms: int | None = None
    deadline_policy: str = "soft"
    cap_nano: int | None = None
    currency: str | None = None
    policy: str = "deadline_aware"
    priority: int = 0
    preemptible: bool | None = None  # None: only where the priority is below normal


@dataclass(frozen=True, slots=True)
class SubmitCommand:
    """One job as asked for. `profile` is "name" or "name@version"; empty means the default.

    `then` None starts the inference pipeline when the profile says how to serve; an empty
    tuple switches it off. `legacy_gpu` is the count of the article's old form. `demand` is a demand
    vector in RCDL instead of a profile. `reservation` names the place to start on. `kind` HOLD asks
    for a place alone: there is nothing to run yet.
    """

    name: str
    profile: str
    mode: str
    entry: Entry
    request_id: str
    sla: Sla = Sla()
    project: UUID | str | None = None
    then: tuple[str, ...] | None = None
    timeout_ms: int | None = None
    legacy_gpu: int | None = None
    kind: str = ""
    demand: Mapping[str, Any] | None = None
    reservation: str | None = None

    def digest(self) -> str:
        """sha256 of everything but the request id: equal requests are the same job."""
        plain = _parts(self) | {"request_id": "", "project": str(self.project)}
        plain |= {"entry": _parts(self.entry), "sla": _parts(self.sla)}
        if self.sla.preemptible is None:
            del plain["sla"]["preemptible"]  # the digests of jobs older than this field stay what they are
        younger = {name: value for name in ("demand", "reservation") if (value := plain.pop(name)) is not None}
        return digest_of(plain | younger)


def _parts(value: Any) -> dict[str, Any]:
    """The fields of a value by name, without copies of what they hold."""
    return {part.name: getattr(value, part.name) for part in fields(value)}


def digest_of(plain: Any) -> str:
    """sha256 of canonical JSON."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
