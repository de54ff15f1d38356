"""Pin a submission to one immutable profile version and freeze what it asks for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from alldata.tenancy.viewer import Viewer
from profiles.errors import UnknownMode
from profiles.errors import UnknownProfile as NoSuchProfile
from profiles.hkb.advice import HardwareAdvisor
from profiles.rcdl.document import Demand, Document, Resource, resolve
from profiles.rcdl.parse import parse
from profiles.selectors import knowledge, pinned_version, resolve_version
from scheduling.errors import BadDemand, BadField, UnknownProfile
from scheduling.services.commands import SubmitCommand, digest_of

PRIORITIES = {"low": -10, "normal": 0, "high": 10, "urgent": 20}
VECTOR = "demand-vector"
NOTHING_ASKED = {
    "path": "resources",
    "code": "missing",
    "message": "resources: nothing is asked for",
    "expected": "at least one resource, such as {type: cpu, capabilities: [{name: cores, amount: 1}]}",
}
LEGACY_PROFILE = "legacy-gpu"
MODEL_FILE, REPORT_FILE = "model.onnx", "report.json"


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a job keeps of its profile: the version by digest, and the demand as JSON."""

    name: str
    version: str
    digest: str
    mode: str
    demand: dict[str, Any]
    grace_ms: int
    priority: int
    follow_up: dict[str, Any]
    notices: tuple[str, ...] = ()


def pin(viewer: Viewer, command: SubmitCommand) -> Pinned:
    """Resolve the profile, its version and mode, or a demand vector. Errors: UnknownProfile, BadField, BadDemand."""
    if command.demand is not None:
        return _vector(command.demand)
    legacy = command.legacy_gpu is not None
    name, _, version = (LEGACY_PROFILE if legacy else command.profile).partition("@")
    if not name:
        raise UnknownProfile("profile", "missing", "name a published profile, such as ocr-train-infer@1.0")
    try:
        view = pinned_version(viewer, name, version) if version else resolve_version(viewer, name)
    except NoSuchProfile as failure:
        raise UnknownProfile("profile", str(failure), "name a published version") from None
    mode = command.mode or _only_mode(view.document)
    demand = _demand(view.document, mode)
    if legacy:
        demand = _with_gpus(demand, command.legacy_gpu or 0)
    return Pinned(
        name=view.name,
        version=view.version,
        digest=view.digest,
        mode=mode,
        demand=demand.needs_json(),
        grace_ms=demand.grace_ms,
        priority=PRIORITIES.get(demand.scheduling.priority_class, 0),
        follow_up=_follow_up(view.document, mode, command),
        notices=("legacy_gpu_translated",) if legacy else (),
    )


def _vector(demand: Mapping[str, Any]) -> Pinned:
    """What a body of RCDL asks for. A place without devices is no place."""
    result = parse(json.dumps({"name": VECTOR, "version": "1.0", **demand}), HardwareAdvisor(knowledge()))
    if not isinstance(result.document, Document):
        raise BadDemand(tuple(problem.as_json() for problem in result.errors))
    asked = result.document.body
    if not asked.resources:
        raise BadDemand((NOTHING_ASKED,))
    digest = digest_of(asked.needs_json())
    return Pinned(VECTOR, "", digest, "", asked.needs_json(), asked.grace_ms, 0, {}, ())


def _demand(document: Document, mode: str) -> Demand:
    try:
        return resolve(document, mode or None)
    except UnknownMode as failure:
        known = ", ".join(sorted(document.modes)) or "none"
        raise BadField("mode", str(failure), f"modes of this version: {known}") from None


def _only_mode(document: Document) -> str:
    """Training unless the profile has no such mode: a submission without a mode is a job to run."""
    return "training" if "training" in document.modes else ""


def _with_gpus(demand: Demand, count: int) -> Demand:
    """The legacy form counts cards: that many whole GPUs, or none at all."""
    others = tuple(r for r in demand.resources if r.type != "gpu")
    cards: tuple[Resource, ...] = tuple(replace(r, count=count) for r in demand.resources if r.type == "gpu" and count)
    return replace(demand, resources=others + cards)


def _follow_up(document: Document, mode: str, command: SubmitCommand) -> dict[str, Any]:
    """Train -> serve -> load test, when the profile says how to serve and the job leaves a model."""
    leaves = {MODEL_FILE, REPORT_FILE} <= set(command.entry.outputs)
    if mode != "training" or "inference" not in document.modes or not leaves:
        return {}
    serving = resolve(document, "inference").serving
    return {
        "serve": {"mode": "inference"},
        "load_test": {
            "qps": serving.qps,
            "p99_ms_max": serving.p99_ms_max,
            "min_accuracy": serving.min_accuracy,
        },
    }
