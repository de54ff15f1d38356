"""How does the story wait for something to come true? By looking at public answers again and again, up to a limit."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from alldata.cli.client import Client, Json

JOB_ENDS = {"succeeded", "failed", "cancelled", "over_budget"}


class StepFailed(RuntimeError):
    """A step did not come true; the message says what was seen."""


def wait_for(what: str, limit_s: float, look: Callable[[], Json | None]) -> Json:
    """Look a few times a second until there is an answer; StepFailed when the limit passes."""
    give_up = time.monotonic() + limit_s
    while (answer := look()) is None:
        if time.monotonic() > give_up:
            raise StepFailed(f"{what} did not come within {limit_s:.0f} s")
        time.sleep(0.3)
    return answer


@dataclass(slots=True)
class Follower:
    """One job, looked at again and again: says what is new."""

    client: Client
    job: str
    say: Callable[[str], None]
    state: str = ""
    offset: int = 0

    def look(self) -> Json | None:
        job = self.client.job(self.job)
        if job["state"] != self.state:
            self.state = job["state"]
            self.say(f"   state: {self.state}")
        log = self.client.log(self.job, after=self.offset)
        for line in log["text"].splitlines():
            self.say(f"   | {line}")
        self.offset = log["next_offset"]
        return job if self.state in JOB_ENDS and not log["text"] else None
