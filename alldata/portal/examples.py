"""What stands in an empty form? An example that runs as it is: digits, trained and exported."""

from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "digits" / "train.py"

DIGITS = {
    "name": "ocr-train",
    "profile": "ocr-train-infer@1.0",
    "mode": "training",
    "command": "python train.py",
    "script_name": "train.py",
    "script": SCRIPT.read_text() if SCRIPT.exists() else "",
    "outputs": "model.onnx, report.json",
    "deadline_policy": "soft",
    "budget": "1.00",
    "then": "on",
}
