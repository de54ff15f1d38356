"""What is measured of a real attempt, and what does it say of itself?"""

import json
import subprocess
import sys
import time
from pathlib import Path

from alldata.agent.shim.cgroups import Unconfined
from alldata.agent.shim.meter import Meter
from scheduling.executors.base import Progress
from tests.contract.engines import Local, Play


def test_progress_is_read_and_nonsense_is_missing(local: Local) -> None:
    said = '{"step": 3, "steps": -1, "epoch": "x", "unit": "img", "saved_ms": 5}'
    progress = local.run("a", f"import os; open(os.environ['ALLDATA_PROGRESS_FILE'], 'w').write({said!r})").progress
    assert progress == Progress(step=3, steps=None, epoch=None, units=None, unit="img", saved_ms=5)


def test_usage_covers_the_whole_tree_and_never_falls(local: Local) -> None:
    burn = "import os, time\nos.fork()\nwhile time.process_time() < 0.4: pass"
    seen = local.run("a", burn + "\ntime.sleep(0.7)")
    usage = json.loads((local.runs / "a" / "usage.json").read_text())
    assert usage["cpu_us"] >= 750_000
    assert usage["at_ms"] == seen.ended_ms
    assert usage["memory_byte_ms"] > 0 and usage["memory_peak_bytes"] > 1 << 20
    assert all(value is None or value >= 0 for value in usage.values() if not isinstance(value, str))


def test_launch_returns_at_once(local: Local) -> None:
    began = time.perf_counter()
    local.launch("a", Play())
    assert time.perf_counter() - began < 0.03 * 5  # generous: shared machines


def test_without_a_cgroup_the_tree_is_counted_through_proc(tmp_path: Path) -> None:
    meter = Meter(str(tmp_path / "usage.json"), Unconfined())
    meter.sample(at_ms=0, elapsed_ms=0)
    before = json.loads((tmp_path / "usage.json").read_text())
    burn = "import time\nwhile time.process_time() < 0.2: pass"
    subprocess.run([sys.executable, "-I", "-S", "-c", burn], check=True)
    meter.sample(at_ms=500, elapsed_ms=500)
    after = json.loads((tmp_path / "usage.json").read_text())
    assert after["cpu_us"] - before["cpu_us"] >= 190_000
    assert (after["source"], after["quality"], after["read_ios"]) == ("proc", "estimated", None)
