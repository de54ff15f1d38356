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
        env={**entry.get("env", {}), **_gang_env(attempt)},
        files=tuple(_file(file, blobs) for file in entry.get("files", [])),
        ports=tuple(entry.get("ports", [])),
        outputs=tuple(entry.get("outputs", [])),
        cpus=tuple(sorted(cpu for pick in picks for cpu in pick["cpus"])),
        numa_nodes=tuple(sorted({p["numa_node"] for p in picks if p["type"] in ("cpu", "memory")} - {None})),
        gpu_uuids=tuple(dict.fromkeys(pick["device"] for pick in picks if pick["type"] == "gpu")),
        memory_limit_bytes=memory or None,
        timeout_ms=attempt.job.timeout_ms,
    )


def _gang_env(attempt: Attempt) -> Mapping[str, str]:
    """What a member of a gang is told of the others; nodes in the order of the members, the first to meet at."""
    if attempt.members == 1:
        return {}
    members = Attempt.objects.filter(job_id=attempt.job_id, ordinal=attempt.ordinal).order_by("member")
    hosts = list(members.values_list("node__name", flat=True))
    return {
        "ALLDATA_MEMBER": str(attempt.member),
        "ALLDATA_MEMBERS": str(attempt.members),
        "ALLDATA_COMPONENT": attempt.component,
        "ALLDATA_HOSTS": ",".join(hosts),
        "ALLDATA_FIRST_HOST": hosts[0],
    }


def _file(file: Mapping[str, Any], blobs: BlobStore) -> FileSource:
    if "sha256" in file:
        return FileSource(file["name"], path=str(blobs.path(file["sha256"])))
    return FileSource(file["name"], text=file["text"])
