"""How well does a small network read handwritten digits? Trains it, exports ONNX, reports what the export scores.

An ordinary script: it knows the platform only by one file, to which it writes its progress (ALLDATA_PROGRESS_FILE,
docs/progress.md). The data are the 1,797 scanned digits of the UCI repository that ship inside scikit-learn.
"""

import json
import os
import time
from pathlib import Path

import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

EPOCHS = int(os.environ.get("EPOCHS", "150"))
BATCH = 64
SEED = 7
SAMPLES = 32
SCALE = np.float32(16.0)


def say_progress(*, epoch: int, images: int) -> None:
    """Tell the platform how far we are: whole file at once, so that no reader sees half of it."""
    place = os.environ.get("ALLDATA_PROGRESS_FILE")
    if place:
        part = Path(place).with_suffix(".part")
        progress = {"step": epoch, "steps": EPOCHS, "epoch": epoch, "units": epoch * images, "unit": "images"}
        part.write_text(json.dumps(progress))
        part.replace(place)


def train(images: np.ndarray, labels: np.ndarray) -> MLPClassifier:
    """Epoch by epoch, so that log and progress can follow."""
    network = MLPClassifier(
        hidden_layer_sizes=(128, 64), batch_size=BATCH, learning_rate_init=0.002, alpha=1e-3, random_state=SEED
    )
    for epoch in range(1, EPOCHS + 1):
        network.partial_fit(images, labels, classes=np.arange(10))
        say_progress(epoch=epoch, images=len(images))
        if epoch % 10 == 0 or epoch == 1:
            right = float(np.mean(network.predict(images) == labels))
            print(f"epoch {epoch:3d}/{EPOCHS}  loss {network.loss_:.4f}  train accuracy {right:.4f}", flush=True)
    return network


def exported_answers(model: bytes, images: np.ndarray) -> np.ndarray:
    """What the exported file, run by another engine, reads."""
    threads = onnxruntime.SessionOptions()
    threads.intra_op_num_threads = threads.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, threads, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(["label"], {"X": images})[0])


def known_samples(images: np.ndarray, labels: np.ndarray, answers: np.ndarray) -> dict[str, object]:
    """Unseen images that the model reads right: whoever serves it must read them the same."""
    chosen = np.flatnonzero(answers == labels)[:SAMPLES]
    return {"rows": images[chosen].tolist(), "labels": labels[chosen].tolist()}


def main() -> None:
    """Leave model.onnx and report.json in the working directory."""
    began = time.monotonic()
    images, labels = load_digits(return_X_y=True)
    images = images.astype(np.float32) / SCALE
    train_x, test_x, train_y, test_y = train_test_split(
        images, labels, test_size=0.25, random_state=SEED, stratify=labels
    )
    print(f"{len(train_x)} images to learn from, {len(test_x)} kept unseen", flush=True)
    network = train(train_x, train_y)
    model = to_onnx(network, train_x[:1], options={"zipmap": False}).SerializeToString()
    answers = exported_answers(model, test_x)
    accuracy = float(np.mean(answers == test_y))
    Path("model.onnx").write_bytes(model)
    report = {
        "accuracy": round(accuracy, 4),
        "onnx_matches": bool(np.array_equal(answers, network.predict(test_x))),
        "features": int(train_x.shape[1]),
        "classes": 10,
        "train_images": len(train_x),
        "test_images": len(test_x),
        "epochs": EPOCHS,
        "model_bytes": len(model),
        "seconds": round(time.monotonic() - began, 2),
        "samples": known_samples(test_x, test_y, answers),
    }
    Path("report.json").write_text(json.dumps(report))
    print(f"accuracy {accuracy:.4f} on {len(test_x)} images it has never seen", flush=True)
    print(f"used {time.process_time():.2f} s of CPU time", flush=True)


if __name__ == "__main__":
    main()
