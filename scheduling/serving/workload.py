"""What does an attempt of ours look like before anyone knows where it will run?

The same shape a submitted job has, so Triton and Locust are queued, placed, metered and stopped
like any other job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A file below the working directory: a text, or a stored artifact by its digest."""

    name: str
    text: str | None = None
    sha256: str | None = None

    def as_json(self) -> dict[str, str]:
        if self.sha256 is not None:
            return {"name": self.name, "sha256": self.sha256}
        return {"name": self.name, "text": self.text or ""}


@dataclass(frozen=True, slots=True)
class Workload:
    """Command, files, ports and outputs; `{work}` and `{port:NAME}` are filled in by the engine."""

    command: tuple[str, ...]
    files: tuple[WorkFile, ...] = ()
    ports: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def as_entry(self) -> dict[str, object]:
        """The JSON a job row keeps."""
        return {
            "command": list(self.command),
            "files": [file.as_json() for file in self.files],
            "ports": list(self.ports),
            "outputs": list(self.outputs),
            "env": dict(self.env),
        }


def asset(name: str) -> str:
    """The text of one of our files that run elsewhere (assets/)."""
    return files("scheduling.serving.assets").joinpath(name).read_text(encoding="utf-8")
