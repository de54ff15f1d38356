"""Turn a placed attempt into the engine's launch spec: exact cores, limits, files, environment."""

from collections.abc import Mapping
from typing import Any

from alldata.kernel.blobs import BlobStore
from scheduling.executors.base import FileSource, LaunchSpec
from scheduling.models import Attempt
from scheduling.selectors.placements import placement_of


def launch_spec(attempt: Attempt, *, blobs: BlobStore) -> LaunchSpec:
    """The spec is a function of rows alone, so launching again after a crash is the same launch."""
    entry: Mapping[str, Any] = attempt.job.entry
    picks: list[Mapping[str, Any]] = placement_of(attempt)["picks"]
    memory = sum(pick["amounts"].get("memory_bytes", 0) for pick in picks)
    return LaunchSpec(
        command=tuple(entry["command"]),
        node=attempt.node.name,
        env=dict(entry.get("env", {})),
        files=tuple(_file(file, blobs) for file in entry.get("files", [])),
        ports=tuple(entry.get("ports", [])),
        outputs=tuple(entry.get("outputs", [])),
        cpus=tuple(sorted(cpu for pick in picks for cpu in pick["cpus"])),
        numa_nodes=tuple(sorted({p["numa_node"] for p in picks if p["type"] in ("cpu", "memory")} - {None})),
        gpu_uuids=tuple(dict.fromkeys(pick["device"] for pick in picks if pick["type"] == "gpu")),
        memory_limit_bytes=memory or None,
        timeout_ms=attempt.job.timeout_ms,
    )


def _file(file: Mapping[str, Any], blobs: BlobStore) -> FileSource:
    if "sha256" in file:
        return FileSource(file["name"], path=str(blobs.path(file["sha256"])))
    return FileSource(file["name"], text=file["text"])
