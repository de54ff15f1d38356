"""How do facts and frames reach the server, whatever the network does?

Level-triggered: register when due, then send waiting frames, oldest first, until the server has
them. After an outage many go in one post: a run of one epoch, settled up to the first frame that the
server did not take; that one, like any run refused as a whole, is sent again alone, so that what
befalls it is decided in one place.

An answer decides: 2xx settles; what is wrong with the frame itself (400, 413, 415, 422) rejects it;
404 and 409 mean that the server does not know us, so we register again; everything else (a wrong
key, a wrong version, a server in trouble) keeps the frame and waits longer each time.
"""

import logging
import random
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from alldata.agent.clock import MAX_SKEW_MS, mono_ms, wall_ms
from alldata.agent.http import Answer, Server, Unreachable
from alldata.agent.skew import least_skew_ms
from alldata.agent.spool import Run, Spool, Waiting
from alldata.agent.version import VERSION
from alldata.agent.wire import (
    WIRE,
    Body,
    Envelope,
    Frames,
    Register,
    WireError,
    frames_to_bytes,
    parse_ack,
    parse_json,
    to_bytes,
)

REGISTER_PATH = "/api/v1/agents/register"
FRAMES_PATH = "/api/v1/agents/frames"
REGISTER_EVERY_MS = 30_000
#: Frames in one post at most.
MOST_TOGETHER = 100
BACK_OFF_MS = (500, 1_000, 2_000, 5_000, 10_000, 30_000)
_FRAME_FAULTS = (400, 413, 415, 422)
_FRAME_CODES = ("frame_overlaps",)
_VERSION_CODES = ("wire_version_refused", "agent_version_refused")
_UNKNOWN_AGENT = (404, 409)

log = logging.getLogger("alldata.agent")


class Outcome(Enum):
    """What one exchange means for the next."""

    TAKEN = auto()
    REFUSED = auto()
    UNKNOWN = auto()
    AGAIN = auto()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, with the cause in words when it is not TAKEN."""

    outcome: Outcome
    cause: str = ""


def judge(answer: Answer) -> Verdict:
    """Read the server's answer."""
    if 200 <= answer.status < 300:
        return Verdict(Outcome.TAKEN)
    problem = _problem(answer)
    said = ": ".join(str(problem[name]) for name in ("code", "detail") if problem.get(name))
    cause = f"HTTP {answer.status} {said[:500]}".strip()
    hint = _hint(answer, problem)
    if hint:
        return Verdict(Outcome.AGAIN, f"{cause}: {hint}")
    if answer.status in _FRAME_FAULTS or problem.get("code") in _FRAME_CODES:
        return Verdict(Outcome.REFUSED, cause)
    return Verdict(Outcome.UNKNOWN if answer.status in _UNKNOWN_AGENT else Outcome.AGAIN, cause)


def _hint(answer: Answer, problem: Mapping[str, Any]) -> str:
    """What the operator can do about it, where the fault is not in the message."""
    found = problem.get("facts")
    facts = found if isinstance(found, dict) else {}
    if 300 <= answer.status < 400:
        target = answer.headers.get("location", "elsewhere")
        return f"redirected to {target}; give that address as --server"
    if answer.status in (401, 403):
        return "the server does not accept our key; check --key-file"
    if answer.status == 426 or problem.get("code") in _VERSION_CODES or facts.get("path") == "wire":
        return f"agent {VERSION} speaks wire version {WIRE}; install the agent that belongs to the server"
    end_ms, now_ms = facts.get("end_ms"), facts.get("now_ms")
    if isinstance(end_ms, int) and isinstance(now_ms, int) and end_ms > now_ms:
        return f"this machine's clock is {end_ms - now_ms} ms ahead; run an NTP client (the frames wait)"
    return ""


def _problem(answer: Answer) -> Mapping[str, Any]:
    """The server's own words (application/problem+json)."""
    try:
        found = parse_json(answer.body)
    except WireError:
        return {}
    return found if isinstance(found, dict) else {}


def _refused_in(answer: Answer, run: Run) -> set[object]:
    """Numbers of the frames that were not taken: all, where the answer does not speak of frames."""
    try:
        ack = parse_ack(answer.body)
    except WireError:
        ack = None
    if ack is None or ack.stored is None:
        return {frame.get("seq") for frame in run.frames}
    return {one.seq for one in ack.refused}


class Reporter:
    """Sends from a thread of its own, so that a slow server never delays a look at the counters."""

    def __init__(self, server: Server, spool: Spool, agent: str, facts: Register) -> None:
        self._server = server
        self._spool = spool
        self._agent = agent
        self._facts = facts
        self._registered: Register | None = None
        self._registered_at = 0
        self._failures = 0
        self._together = MOST_TOGETHER
        self._last_cause = ""
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="report", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def announce(self, facts: Register) -> None:
        """These are the facts from now on."""
        self._facts = facts
        self._wake.set()

    def wake(self) -> None:
        """A frame is waiting."""
        self._wake.set()

    def finish(self, within_ms: int) -> None:
        """Try once more to send everything; what stays is sent after the next start."""
        self._ending.set()
        self._wake.set()
        self._thread.join(within_ms / 1000)

    def _run(self) -> None:
        while True:
            rest_ms = self.step()
            if self._ending.is_set() and (self._failures or self._spool.depth == 0):
                return
            # While the server is away a new frame is no reason to ask it sooner.
            (self._ending if self._failures else self._wake).wait(rest_ms / 1000)
            self._wake.clear()

    def step(self) -> int:
        """Send what is due; how long to rest before the next step."""
        verdict = self._register_if_due()
        while verdict.outcome is Outcome.TAKEN:
            run = self._spool.oldest_run(self._together)
            if len(run.names) > 1:
                verdict = self._send_run(run)
                continue
            waiting = self._spool.oldest()
            if waiting is None:
                return self._after_success()
            verdict = self._send(waiting)
            self._together = min(MOST_TOGETHER, 2 * self._together)
        return self._after_failure(verdict)

    def _register_if_due(self) -> Verdict:
        facts = self._facts
        fresh = mono_ms() - self._registered_at < REGISTER_EVERY_MS
        if facts is self._registered and fresh:
            return Verdict(Outcome.TAKEN)
        verdict, answer = self._exchange(REGISTER_PATH, facts)
        if verdict.outcome is Outcome.TAKEN:
            self._notice_skew(answer)
            self._registered, self._registered_at = facts, mono_ms()
            return verdict
        return Verdict(Outcome.AGAIN, f"registration: {verdict.cause}")

    def _send(self, waiting: Waiting) -> Verdict:
        if waiting.frame is None:
            log.error("spool: %s cannot be read and is set aside", waiting.name)
            self._spool.settle(waiting, rejected=True)
            return Verdict(Outcome.TAKEN)
        verdict, _ = self._exchange(FRAMES_PATH, waiting.frame)
        if verdict.outcome is Outcome.REFUSED:
            log.error("the server refused frame %s for ever (kept in rejected/): %s", waiting.name, verdict.cause)
        if verdict.outcome in (Outcome.TAKEN, Outcome.REFUSED):
            self._spool.settle(waiting, rejected=verdict.outcome is Outcome.REFUSED)
            return Verdict(Outcome.TAKEN)
        if verdict.outcome is Outcome.UNKNOWN:
            self._registered = None
        return verdict

    def _send_run(self, run: Run) -> Verdict:
        """Send frames together and settle those in front of the first refused one."""
        envelope = Envelope(self._agent, VERSION, wall_ms(), Frames(()))
        verdict, answer = self._post(FRAMES_PATH, frames_to_bytes(envelope, run.frames))
        refused = _refused_in(answer, run) if verdict.outcome is Outcome.TAKEN else set()
        if verdict.outcome is Outcome.TAKEN:
            self._spool.settle_run(run.before(refused))
        if refused or verdict.outcome is Outcome.REFUSED:
            self._together = 1
            return Verdict(Outcome.TAKEN)
        if verdict.outcome is Outcome.UNKNOWN:
            self._registered = None
        return verdict

    def _exchange(self, path: str, body: Body) -> tuple[Verdict, Answer]:
        return self._post(path, to_bytes(Envelope(self._agent, VERSION, wall_ms(), body)))

    def _post(self, path: str, raw: bytes) -> tuple[Verdict, Answer]:
        try:
            answer = self._server.post(path, raw)
        except (Unreachable, OSError) as failure:
            return Verdict(Outcome.AGAIN, str(failure)), Answer(0)
        return judge(answer), answer

    def _notice_skew(self, answer: Answer) -> None:
        skew = least_skew_ms(answer)
        if skew is not None and abs(skew) > MAX_SKEW_MS:
            log.warning("this machine's clock differs from the server's by %d ms or more; run an NTP client", skew)

    def _after_success(self) -> int:
        if self._failures:
            log.info("the server answers again")
        self._failures, self._last_cause = 0, ""
        return max(100, self._registered_at + REGISTER_EVERY_MS - mono_ms())

    def _after_failure(self, verdict: Verdict) -> int:
        if verdict.cause != self._last_cause:
            log.warning("nothing is lost, %d frames wait: %s", self._spool.depth, verdict.cause)
        self._last_cause = verdict.cause
        rest = BACK_OFF_MS[min(self._failures, len(BACK_OFF_MS) - 1)]
        self._failures += 1
        return rest * random.randint(80, 120) // 100
