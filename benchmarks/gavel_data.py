"""What do the measured throughputs of the Gavel study say? Read, never judged, here.

Source: traces/gavel (MIT, see the data folder's README): steps per second of 26 job types on V100,
P100 and K80, alone, in pairs on one device, and on 1, 2, 4 or 8 devices.
"""

import ast
import csv
import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scheduling.crater.moves import Floats

CLASSES = ("v100", "p100", "k80")
EACH = 36  # devices of each class in the published protocol


@dataclass(frozen=True)
class Measured:
    """Throughputs: alone (types, classes) and together (classes, types, types), steps/s; 0 does not fit."""

    types: tuple[str, ...]
    alone: Floats
    together: Floats
    scaled: Mapping[tuple[str, int], Floats]  # (type, devices) -> (classes,)


def read(data: Path) -> Measured:
    """The tables; raises FileNotFoundError when the traces are not there."""
    with gzip.open(data / "traces" / "gavel" / "simulation_throughputs.json.gz") as file:
        raw: dict[str, dict[str, Any]] = json.load(file)
    scaled = {ast.literal_eval(key): np.array([raw[c][key]["null"] for c in CLASSES]) for key in raw["v100"]}
    types = tuple(name for name, devices in scaled if devices == 1)
    alone = np.array([scaled[name, 1] for name in types])
    together = np.array([[[_beside(raw[c], a, b) for b in types] for a in types] for c in CLASSES])
    return Measured(types, alone, together, scaled)


def _beside(table: Mapping[str, Any], first: str, second: str) -> float:
    """Steps/s of `first` beside `second`."""
    one, other = str((first, 1)), str((second, 1))
    if other in table[one]:
        return float(table[one][other][0])
    return float(table[other][one][1]) if one in table[other] else 0.0


def published(data: Path, per_hour: str) -> dict[str, float]:
    """Policy -> mean completion time (h) of the single-device trace as published; "5.20" is a rate."""
    with (data / "traces" / "gavel" / "expected_avg_jct_hours.csv").open() as file:
        rows = list(csv.DictReader(file))
    hits = [r for r in rows if r["trace"] == "single-GPU" and r["input_jobs_per_hour"] == per_hour]
    return {row["policy"]: float(row["avg_jct_hours"]) for row in hits}
