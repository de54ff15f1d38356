"""What is the whole story, told over REST alone? Discover, publish, submit, follow, serve, judge, price.

Every step is a public call that anybody could make with the token. A step that does not come true names itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from alldata.cli.client import Client, Json, Refused, Unreachable
from alldata.embedded.answers import (
    booked,
    capability_line,
    dimensions_of,
    found_devices,
    is_measured,
    nano_of,
    parts_of,
    reason_line,
)
from alldata.embedded.watching import Follower, StepFailed, wait_for
from alldata.kernel.clock import now_ms

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "examples" / "digits" / "train.py"
PROFILE, VERSION = "ocr-train-infer", "1.0"
DOCUMENT = REPOSITORY / "profiles" / "data" / f"{PROFILE}-{VERSION}.yaml"
DEADLINE_MS = 10 * 60 * 1000
BUDGET = {"amount": "1.00", "currency": "CNY"}
TRAINING_LIMIT_S, PIPELINE_LIMIT_S, DISCOVERY_LIMIT_S, BOOKING_LIMIT_S = 240.0, 240.0, 60.0, 90.0
STEP_WORDS = {
    "package": "the completion event has started the inference pipeline",
    "serve": "Triton is placed and started with the model",
    "test": "ready (a known image was answered rightly); Locust asks at the stated rate",
    "done": "measured and judged",
}


@dataclass(slots=True)
class Story:
    """The steps in order, and what each left for the table."""

    client: Client
    say: Callable[[str], None]
    step: str = ""
    failure: str = ""
    resources: Json = field(default_factory=dict)
    job: Json = field(default_factory=dict)
    pipeline: Json = field(default_factory=dict)
    costs: dict[str, Json] = field(default_factory=dict)
    finished: bool = False

    def tell(self) -> None:
        """Run every step; on the first failure keep its name and reason and stop."""
        steps = (
            ("discover this machine", self.discover),
            (f"publish the profile {PROFILE} {VERSION}", self.publish),
            ("submit the training job", self.submit),
            ("train on real handwritten digits", self.follow_training),
            ("serve and judge the model", self.follow_pipeline),
            ("price both jobs", self.price),
        )
        for number, (name, step) in enumerate(steps, start=2):
            self.step = name
            self.say(f"{number}. {name[0].upper()}{name[1:]}")
            try:
                step()
            except (StepFailed, Refused, Unreachable) as failure:
                self.failure = str(failure)
                return
        self.finished = True

    def discover(self) -> None:
        self.resources = wait_for(
            "the agent's registration with measured bandwidths", DISCOVERY_LIMIT_S, self.measured_devices
        )
        for device in self.resources["resources"]:
            self.say(f"   {device['type']:8} {device['uuid']}")
            for dimension in device["dimensions"]:
                self.say(f"            {capability_line(dimension)}")

    def measured_devices(self) -> Json | None:
        page = found_devices(self.client.resources())
        return page if page and any(map(is_measured, dimensions_of(page))) else None

    def publish(self) -> None:
        version = self.client.publish_profile(DOCUMENT.read_text(), name=PROFILE, version=VERSION)
        self.say(f"   {PROFILE} {VERSION} is {version['status']}, digest {version['digest'][:12]}")

    def submit(self) -> None:
        self.job = self.client.submit(training_request(), request_id=str(uuid4()))
        self.say(f"   {self.job['reference']} queued: done within 10 minutes, for at most 1.00 CNY")

    def follow_training(self) -> None:
        """Show placement, log and progress while they come; the job must succeed."""
        follower = Follower(self.client, self.job["id"], self.say)
        self.job = wait_for("the end of the training job", TRAINING_LIMIT_S, follower.look)
        if self.job["state"] != "succeeded":
            raise StepFailed(f"the training job is {self.job['state']} ({self.job.get('reason')})")

    def follow_pipeline(self) -> None:
        """The completion event alone starts this; we only watch. A verdict of FAIL is a result, and told as one."""
        seen: list[str] = []

        def look() -> Json | None:
            runs = self.client.pipelines(self.job["id"])["pipelines"]
            if not runs:
                return None
            if runs[0]["step"] not in seen:
                seen.append(runs[0]["step"])
                self.say(f"   {runs[0]['reference']}: {STEP_WORDS.get(runs[0]['step'], runs[0]['step'])}")
            return dict(runs[0]) if runs[0]["step"] == "done" else None

        self.pipeline = wait_for("the pipeline's verdict", PIPELINE_LIMIT_S, look)
        if not self.pipeline["load"]:
            raise StepFailed(f"nothing could be measured: {self.pipeline['reasons']}")
        self.say(f"   verdict: {self.pipeline['verdict'].upper()}")
        for reason in self.pipeline["reasons"]:
            self.say(f"     {reason_line(reason)}")

    def price(self) -> None:
        """Both jobs' drilldowns, once booked; their parts must sum to the total to the last nano."""
        for name, job in (("training", self.job["id"]), ("serving", self.pipeline["serve"]["id"])):
            cost = wait_for(f"the {name} job's cost", BOOKING_LIMIT_S, self.booked_cost_of(job))
            total, parts = nano_of(cost["total"]), parts_of(cost)
            if sum(parts.values()) != total:
                raise StepFailed(f"the parts of the {name} job sum to {sum(parts.values())}, not to {total}")
            if total == 0:
                raise StepFailed(f"the {name} job ran and was charged nothing: its usage did not reach the ledger")
            self.costs[name] = cost
            self.say(f"   {name}: {cost['total']['amount']} {cost['total']['currency']} = sum of {len(parts)} parts")

    def booked_cost_of(self, job: str) -> Callable[[], Json | None]:
        return lambda: booked(self.client.cost(job))


def training_request() -> Json:
    """The job as anybody would post it."""
    deadline = datetime.fromtimestamp((now_ms() + DEADLINE_MS) / 1000, UTC).isoformat(timespec="seconds")
    return {
        "name": "Digits OCR",
        "resource_profile": f"{PROFILE}@{VERSION}",
        "mode": "training",
        "sla_deadline": deadline,
        "cost_budget": BUDGET,
        "entry": {
            "command": ["python", "train.py"],
            "files": [{"name": "train.py", "text": SCRIPT.read_text()}],
            "outputs": ["model.onnx", "report.json"],
        },
    }
