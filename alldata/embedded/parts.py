"""What are the parts of the embedded platform, and how is each started? Data for supervisor.py."""

import signal
import sys
from dataclasses import dataclass

from alldata.embedded.home import Home
from alldata.embedded.process import Command


@dataclass(frozen=True, slots=True)
class Part:
    """One supervised program. `grace_s` is how long it may take to end after its first signal."""

    name: str
    command: Command
    grace_s: float = 8.0


def programs(home: Home) -> tuple[Part, ...]:
    """Everything beyond the two servers."""
    return (_worker(home), _agent(home), _web(home))


def manage(home: Home, *words: str) -> tuple[list[str], dict[str, str]]:
    """A management command: argument list and environment."""
    return [sys.executable, "manage.py", *words], home.environment()


def _web(home: Home) -> Part:
    flags = ("--worker-class", "gthread", "--workers", "1", "--threads", "8", "--preload", "--no-control-socket")
    quiet = ("--log-level", "warning", "--graceful-timeout", "5", "--worker-tmp-dir", str(home.data / "tmp"))
    where = ("--bind", f"127.0.0.1:{home.ports['web']}", "alldata.wsgi:application")
    return _python(home, "web", "gunicorn", *flags, *quiet, *where)


def _worker(home: Home) -> Part:
    """Worker and beat in one process group: two processes fewer than production, which keeps them apart."""
    pool = ("--pool", "threads", "--concurrency", "4", "--without-gossip", "--without-mingle")
    beat = ("--beat", "--schedule", str(home.data / "beat-schedule"), "--loglevel", "WARNING")
    return _python(home, "worker", "celery", "--app", "alldata", "worker", *pool, *beat)


def _agent(home: Home) -> Part:
    server = ("--server", home.url, "--key-file", str(home.secret_file("agent_key")), "--name", home.node)
    places = ("--runs-dir", str(home.runs), "--spool", str(home.data / "agent"))
    return _python(home, "agent", "alldata.agent", "run", *server, *places)


def _python(home: Home, name: str, module: str, *words: str) -> Part:
    argv = (sys.executable, "-m", module, *words)
    return Part(name, Command(argv, home.log(name), home.environment(), death_signal=signal.SIGTERM))
