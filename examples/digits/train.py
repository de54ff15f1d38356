"""How well does a small network read handwritten digits? Trains it, exports ONNX, and reports what the export really scores.

An ordinary script: it knows the platform only by one file, to which it writes its progress (ALLDATA_PROGRESS_FILE).
The data are the 1,797 scanned digits of the UCI repository that ship inside scikit-learn.
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

EPOCHS = int(os.environ.get("EPOCHS", "300"))
BATCH = 64
SCALE = np.float32(16.0)


def say_progress(*, epoch: int, images: int) -> None:
    """Tell the platform how far we are: whole file at once, so that no reader sees half of it."""
    place = os.environ.get("ALLDATA_PROGRESS_FILE")
    if place:
        part = Path(place).with_suffix(".part")
        progress = {"step": epoch, "steps": EPOCHS, "epoch": epoch, "units": epoch * images, "unit": "images"}
        part.write_text(json.dumps(progress))
        part.replace(place)


def exported_accuracy(model: bytes, images: np.ndarray, labels: np.ndarray) -> float:
    """The share of images that the exported file, run by another engine, reads right."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    answers = session.run(["label"], {"X": images})[0]
    return float(np.mean(answers == labels))


def main() -> None:
    """Leave model.onnx and report.json in the working directory."""
    began = time.monotonic()
    images, labels = load_digits(return_X_y=True)
    images = images.astype(np.float32) / SCALE
    train_x, test_x, train_y, test_y = train_test_split(images, labels, test_size=0.25, random_state=7, stratify=labels)
    network = MLPClassifier(hidden_layer_sizes=(64,), batch_size=BATCH, learning_rate_init=0.004, random_state=7)
    for epoch in range(1, EPOCHS + 1):
        network.partial_fit(train_x, train_y, classes=np.arange(10))
        say_progress(epoch=epoch, images=len(train_x))
        if epoch % 50 == 0:
            print(f"epoch {epoch}/{EPOCHS}  loss {network.loss_:.4f}", flush=True)
    model = to_onnx(network, train_x[:1], options={"zipmap": False}).SerializeToString()
    accuracy = exported_accuracy(model, test_x, test_y)
    Path("model.onnx").write_bytes(model)
    report = {
        "accuracy": round(accuracy, 4),
        "test_images": len(test_x),
        "train_images": len(train_x),
        "epochs": EPOCHS,
        "model_bytes": len(model),
        "seconds": round(time.monotonic() - began, 2),
    }
    Path("report.json").write_text(json.dumps(report))
    print(f"accuracy {accuracy:.4f} on {len(test_x)} images it has never seen", flush=True)


if __name__ == "__main__":
    main()
