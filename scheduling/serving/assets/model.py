# mypy: ignore-errors
"""Answer inference requests for one ONNX classifier, inside Triton's Python backend.

The backend's array bridge is older than numpy 2: there `as_numpy` returns wrong numbers without
an error, while DLPack is right; with numpy 1 it is the other way round. Hence the two branches,
and a self-test on known samples at load: a model that answers wrongly never becomes ready.
"""

import json
from pathlib import Path

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb_utils

BRIDGE = "dlpack" if int(np.__version__.split(".")[0]) >= 2 else "numpy"


def to_array(tensor):
    return np.from_dlpack(tensor) if BRIDGE == "dlpack" else tensor.as_numpy()


def to_tensor(name, array):
    whole = np.ascontiguousarray(array)
    return pb_utils.Tensor.from_dlpack(name, whole) if BRIDGE == "dlpack" else pb_utils.Tensor(name, whole)


class TritonPythonModel:
    """The three methods Triton calls, by its fixed class name."""

    def initialize(self, args):
        folder = Path(args["model_repository"], args["model_version"])
        threads = onnxruntime.SessionOptions()
        threads.intra_op_num_threads = threads.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), threads, providers=["CPUExecutionProvider"]
        )
        self.feature_name = self.session.get_inputs()[0].name
        self.answer_names = [output.name for output in self.session.get_outputs()][:2]
        self.check(json.loads((folder / "samples.json").read_text()))

    def check(self, samples):
        """Refuse to load when the bridge or the model gives another label than training did."""
        if not samples["rows"]:
            return
        rows = to_array(to_tensor("FEATURES", np.asarray(samples["rows"], dtype=np.float32)))
        labels, _ = self.answer(rows)
        wrong = int((labels != np.asarray(samples["labels"], dtype=np.int64)).sum())
        if wrong:
            raise pb_utils.TritonModelException(f"self-test: {wrong} of {len(labels)} known samples answered wrongly")
        print(f"self-test: {len(labels)} known samples answered correctly ({BRIDGE})", flush=True)

    def answer(self, rows):
        labels, scores = self.session.run(self.answer_names, {self.feature_name: rows})
        return labels.astype(np.int64).reshape(-1), scores.astype(np.float32)

    def execute(self, requests):
        """One run of the model for the whole batch, split again by request."""
        batches = [to_array(pb_utils.get_input_tensor_by_name(request, "FEATURES")) for request in requests]
        labels, scores = self.answer(np.concatenate(batches))
        responses, start = [], 0
        for batch in batches:
            end = start + len(batch)
            tensors = [to_tensor("LABEL", labels[start:end].reshape(-1, 1)), to_tensor("SCORES", scores[start:end])]
            responses.append(pb_utils.InferenceResponse(tensors))
            start = end
        return responses
