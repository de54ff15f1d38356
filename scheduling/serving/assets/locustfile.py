# mypy: ignore-errors
"""Ask one endpoint at a stated rate and measure every answer; leaves load.json.

Open loop: question i is due at i / rate after the start, whoever is free asks it. When every user
is still waiting for an answer, the question goes out late and its time counts from when it was
due, so a stalled server cannot hide behind a stalled client. When a user was free but woke late,
that is this generator's fault: it is counted apart, and says whether the generator was saturated.
"""

import itertools
import json
import math
import time
from collections import Counter
from pathlib import Path

import gevent
from locust import FastHttpUser, constant, events, task
from locust.exception import StopUser

PLAN = json.loads(Path("plan.json").read_text())
RATE = PLAN["rate_qps"]
WARM_UP = math.ceil(RATE * PLAN["warm_up_ms"] / 1000)
TOTAL = WARM_UP + math.ceil(RATE * PLAN["duration_ms"] / 1000)
BODIES = [json.dumps(body).encode() for body in PLAN["bodies"]]
LABELS = PLAN["labels"]
OVERSLEPT_S = 0.02
BUSY_CPU = 0.9
PATIENCE_S = 5.0


class Tally:
    """What the measured part of the run saw."""

    def __init__(self):
        self.questions = itertools.count()
        self.times_us = Counter()
        self.errors = Counter()
        self.requests = self.wrong = self.overslept = self.in_time = self.finished_users = 0
        self.largest_us = 0
        self.began = None
        self.cpu_before = self.cpu_share = 0.0

    def begin(self):
        self.began = time.perf_counter()

    def due(self, index):
        return self.began + index / RATE

    def give_up_at(self):
        return self.due(TOTAL) + PATIENCE_S

    def note(self, index, started, response):
        """Keep one answer, unless it belongs to the warm-up."""
        if index < WARM_UP:
            return
        now = time.perf_counter()
        taken_us = int((now - started) * 1_000_000)
        self.requests += 1
        self.times_us[bucket(taken_us)] += 1
        self.largest_us = max(self.largest_us, taken_us)
        fault = fault_of(response)
        if fault:
            self.errors[fault] += 1
        elif response.json()["outputs"][0]["data"][0] != LABELS[index % len(LABELS)]:
            self.wrong += 1
        elif now <= self.due(TOTAL) + 0.1:
            self.in_time += 1


def bucket(taken_us):
    """Three significant digits, rounded up: at most one per cent too slow, never too fast."""
    width = 10 ** max(0, len(str(taken_us)) - 3)
    return -(-taken_us // width) * width


def fault_of(response):
    """A short code of what went wrong, or None."""
    if response.status_code == 200:
        return None
    if response.status_code == 0:
        return f"no_answer:{type(response.error).__name__}"
    return f"status_{response.status_code}"


TALLY = Tally()


@events.spawning_complete.add_listener
def on_ready(**_facts):
    TALLY.begin()


class Asker(FastHttpUser):
    """One connection that asks whatever is due next."""

    wait_time = constant(0)
    connection_timeout = network_timeout = PLAN["timeout_ms"] / 1000

    @task
    def ask_next(self):
        while TALLY.began is None:
            gevent.sleep(0.005)
        index = next(TALLY.questions)
        if index >= TOTAL or time.perf_counter() > TALLY.give_up_at():
            self.finish()
        if index == WARM_UP:
            TALLY.cpu_before = time.process_time()
        started = self.wait_until(TALLY.due(index), counted=index >= WARM_UP)
        response = self.client.post(
            PLAN["path"],
            data=BODIES[index % len(BODIES)],
            headers={"Content-Type": "application/json"},
            name="infer",
        )
        TALLY.note(index, started, response)

    def wait_until(self, due, *, counted):
        """The moment the answer's time counts from: when it was due, or when we truly asked."""
        early = due - time.perf_counter()
        if early <= 0:
            return due
        gevent.sleep(early)
        woke = time.perf_counter()
        if counted and woke - due > OVERSLEPT_S:
            TALLY.overslept += 1
        return woke

    def finish(self):
        TALLY.finished_users += 1
        if TALLY.finished_users == PLAN["users"]:
            wall_s = max(0.001, time.perf_counter() - TALLY.due(WARM_UP))
            TALLY.cpu_share = (time.process_time() - TALLY.cpu_before) / wall_s
            gevent.spawn_later(0, self.environment.runner.quit)
        raise StopUser


@events.quitting.add_listener
def on_end(environment, **_facts):
    """Failed answers are a result, not a failure of the test: the exit code says only whether it ran."""
    planned = TOTAL - WARM_UP
    unasked = planned - TALLY.requests
    result = {
        "version": 1,
        "asked_qps": RATE,
        "duration_ms": PLAN["duration_ms"],
        "planned": planned,
        "requests": TALLY.requests,
        "failures": sum(TALLY.errors.values()),
        "errors": dict(TALLY.errors.most_common(10)),
        "wrong": TALLY.wrong,
        "in_time": TALLY.in_time,
        "unasked": unasked,
        "max_us": TALLY.largest_us,
        "times_us": {str(taken): count for taken, count in sorted(TALLY.times_us.items())},
        "generator": {
            "cpu_share": round(TALLY.cpu_share, 3),
            "overslept": TALLY.overslept,
            "saturated": TALLY.cpu_share >= BUSY_CPU or TALLY.overslept > 0.05 * planned,
        },
    }
    Path("load.json").write_text(json.dumps(result))
    environment.process_exit_code = 0
