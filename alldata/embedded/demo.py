"""How does `make demo` run the whole story, measure it and report it?

One thread supervises (the kernel ties children to it) and samples memory; a second one tells the story over REST. The
result is printed as a table and, where asked, written as JSON after everything has been stopped and counted.
"""

import json
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from alldata.cli.client import Client, Json
from alldata.embedded.attempts import ours, shims
from alldata.embedded.home import ADMINISTRATOR, Home
from alldata.embedded.memory import MemoryWatch, megabytes
from alldata.embedded.result import empty_result, result_of
from alldata.embedded.signals import Stopped
from alldata.embedded.story import Story
from alldata.embedded.supervisor import StartFailed, Supervisor
from alldata.embedded.table import table_of

SETTLE_LIMIT_S, SETTLE_S = 45.0, 3.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asked for."""

    once: bool
    result_file: Path | None


def run_demo(home: Home, asked: Asked) -> int:
    """Exit status of the demo: 0 when the whole story came true and nothing of ours is left after the stop."""
    supervisor, watch = Supervisor(home), MemoryWatch(home.data, home.runs)
    result = empty_result("start the platform")
    try:
        result = performed(supervisor, watch)
        write(result, asked)
        if not asked.once and result["ok"]:
            keep_up(supervisor)
    except StartFailed as failure:
        result["failure"] = str(failure)
        print(f"FAILED at: {result['failed_step']}\n  {failure}", file=sys.stderr, flush=True)
    except Stopped:
        say("")
    finally:
        supervisor.stop()
    result["left_running"] = len(ours(home.data, home.runs))
    result["ok"] = result["ok"] and result["left_running"] == 0
    say(f"Stopped. Processes of ours still running: {result['left_running']}")
    write(result, asked)
    return 0 if result["ok"] else 1


def performed(supervisor: Supervisor, watch: MemoryWatch) -> Json:
    """Start, story, measures and table."""
    began, home = time.monotonic(), supervisor.home
    say("1. Start PostgreSQL, Valkey, the web server, the worker with beat, and the node agent")
    supervisor.start()
    say(f"   first page at {home.url} after {time.monotonic() - began:.1f} s")
    story = told(supervisor, watch)
    result = result_of(story, wall_s=time.monotonic() - began)
    if story.finished:
        say("   waiting for the model's server to be released, to measure the platform at rest")
        result["pss_idle_mb"] = idle_memory(supervisor, watch)
    result["pss_peak_mb"] = megabytes(watch.peak_bytes)
    print(table_of(result, story, home.url), flush=True)
    return result


def write(result: Json, asked: Asked) -> None:
    if asked.result_file:
        asked.result_file.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")


def told(supervisor: Supervisor, watch: MemoryWatch) -> Story:
    """The story, told in its own thread while we supervise and measure."""
    home = supervisor.home
    with Client(home.url, home.token) as client:
        story = Story(client, say)
        thread = threading.Thread(target=story.tell, name="story", daemon=True)
        thread.start()
        while thread.is_alive():
            tend(supervisor, watch)
    if story.failure or not story.finished:
        print(f"FAILED at: {story.step}\n  {story.failure or 'see the traceback above'}", file=sys.stderr, flush=True)
    return story


def tend(supervisor: Supervisor, watch: MemoryWatch) -> None:
    """One round of supervision."""
    supervisor.tend()
    watch.look()
    time.sleep(0.2)


def idle_memory(supervisor: Supervisor, watch: MemoryWatch) -> float:
    """Memory once the model's server has been released and everything has been quiet for a moment."""
    give_up = time.monotonic() + SETTLE_LIMIT_S
    while shims(supervisor.home.runs) and time.monotonic() < give_up:
        tend(supervisor, watch)
    quiet_until = time.monotonic() + SETTLE_S
    while time.monotonic() < quiet_until:
        tend(supervisor, watch)
    return megabytes(watch.now_bytes())


def keep_up(supervisor: Supervisor) -> None:
    """Leave the portal open until Ctrl-C."""
    home = supervisor.home
    say(f"The portal stays up at {home.url}; Ctrl-C stops everything.")
    say(f"Sign in as {ADMINISTRATOR} with the password {home.secret('admin_password')}")
    supervisor.tend_for_ever()


def say(line: str) -> None:
    print(line, flush=True)
