"""How is a trained model served, and does it answer?

`triton_workload` builds the attempt: a model repository, our own backend model and a starter
that becomes the server. `probe` is the only proof of readiness we accept: an answered inference
with the right label (the server's own /ready stays 200 when its backend has died).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from scheduling.serving.report import ModelReport
from scheduling.serving.workload import WorkFile, Workload, asset

DOORS = ("http", "grpc", "metrics")
PROBE_TIMEOUT_S = 2.0
MODEL_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")

CONFIG = """\
name: "{name}"
backend: "python"
max_batch_size: 64
input [{{ name: "FEATURES" data_type: TYPE_FP32 dims: [{features}] }}]
output [
  {{ name: "LABEL" data_type: TYPE_INT64 dims: [1] }},
  {{ name: "SCORES" data_type: TYPE_FP32 dims: [{classes}] }}
]
dynamic_batching {{ max_queue_delay_microseconds: 500 }}
instance_group [{{ count: 1 kind: KIND_CPU }}]
"""


@dataclass(frozen=True, slots=True)
class Ready:
    """It answered a known sample with the right label."""

    answer_ms: float


@dataclass(frozen=True, slots=True)
class NotYet:
    """It did not, and why: no_port, no_answer, status, wrong_answer, not_understood."""

    reason: str
    detail: str = ""


def model_name(text: str) -> str:
    """A name that Triton accepts as a folder, made from any text."""
    plain = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:60]
    return plain if MODEL_NAME.fullmatch(plain) else f"m_{plain}"


def triton_workload(*, name: str, model_sha256: str, report: ModelReport) -> Workload:
    """Serve one ONNX classifier; `name` comes from `model_name`. Its endpoint is port "http"."""
    version = f"repository/{name}/1"
    samples = {"rows": report.samples.rows, "labels": report.samples.labels}
    config = CONFIG.format(name=name, features=report.features, classes=report.classes)
    return Workload(
        command=("python", "start_triton.py", name, *(f"{{port:{door}}}" for door in DOORS)),
        files=(
            WorkFile("start_triton.py", text=asset("start_triton.py")),
            WorkFile(f"repository/{name}/config.pbtxt", text=config),
            WorkFile(f"{version}/model.py", text=asset("model.py")),
            WorkFile(f"{version}/samples.json", text=json.dumps(samples)),
            WorkFile(f"{version}/model.onnx", sha256=model_sha256),
        ),
        ports=DOORS,
    )


def infer_path(name: str) -> str:
    return f"/v2/models/{name}/infer"


def infer_body(row: tuple[float, ...]) -> dict[str, object]:
    """One question; only the label is asked back, so answers stay small."""
    return {
        "inputs": [{"name": "FEATURES", "shape": [1, len(row)], "datatype": "FP32", "data": list(row)}],
        "outputs": [{"name": "LABEL"}],
    }


def probe(endpoint: Mapping[str, int], *, name: str, report: ModelReport) -> Ready | NotYet:
    """Ask one known sample. Never raises for what the server does or fails to do."""
    if "http" not in endpoint:
        return NotYet("no_port")
    url = f"http://127.0.0.1:{endpoint['http']}{infer_path(name)}"
    try:
        with httpx.Client(timeout=PROBE_TIMEOUT_S, trust_env=False) as client:
            answer = client.post(url, json=infer_body(report.samples.rows[0]))
    except httpx.HTTPError as fault:
        return NotYet("no_answer", type(fault).__name__)
    if answer.status_code != httpx.codes.OK:
        return NotYet("status", f"{answer.status_code} {answer.text[:200]}")
    try:
        label = answer.json()["outputs"][0]["data"][0]
    except (ValueError, LookupError, TypeError):
        return NotYet("not_understood", answer.text[:200])
    if label != report.samples.labels[0]:
        return NotYet("wrong_answer", f"{label} instead of {report.samples.labels[0]}")
    return Ready(answer_ms=answer.elapsed.total_seconds() * 1000)
