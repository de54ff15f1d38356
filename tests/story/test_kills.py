"""Does the story end right when worker, web server and supervisor are killed at random points of it?"""

import random
import re
import time
from collections import Counter
from uuid import uuid4

import pytest

from alldata.cli.client import Client, Json, Unreachable
from alldata.embedded.answers import booked, found_devices, nano_of, parts_of
from alldata.embedded.story import DOCUMENT, PROFILE, VERSION, training_request
from tests.story.house import House, eventually

#: Long enough to be hit while it trains.
EPOCHS = "700"


def long_training() -> Json:
    body = training_request()
    body["entry"]["env"] = {"EPOCHS": EPOCHS}
    return body


def patiently(client: Client, call: str, *words: str) -> Json | None:
    """A read that tolerates a server that is just being restarted."""
    try:
        answer: Json = getattr(client, call)(*words)
    except Unreachable:
        return None
    return answer


def finished_pipeline(client: Client, job: str) -> Json | None:
    page = patiently(client, "pipelines", job)
    runs = page["pipelines"] if page else []
    return runs[0] if runs and runs[0]["step"] == "done" else None


@pytest.mark.parametrize("seed", [7])
def test_one_success_whatever_is_killed(house: House, seed: int) -> None:
    dice = random.Random(seed)
    house.start()
    with house.client() as client:
        eventually(lambda: found_devices(client.resources()), "the agent registers")
        client.publish_profile(DOCUMENT.read_text(), name=PROFILE, version=VERSION)
        body, request_id = long_training(), str(uuid4())
        job = client.submit(body, request_id=request_id)["id"]
        victims = ["celery", "gunicorn", "supervisor", "celery", "supervisor"]
        dice.shuffle(victims)
        for victim in victims:
            time.sleep(dice.uniform(0.3, 4.0))
            strike(house, victim)
        same = eventually(lambda: resubmitted(client, body, request_id), "the repeated request is answered", 30)
        assert same["id"] == job
        run = eventually(lambda: finished_pipeline(client, job), "the pipeline ends", 200)
        assert run["load"]["requests"] > 0, run["reasons"]
        assert_told_once(client, job)
        assert_metered_once(client, job)
    assert house.stop() == []


def strike(house: House, victim: str) -> None:
    """kill -9; a killed supervisor is started again, the others it restarts itself."""
    if victim == "supervisor":
        house.kill_supervisor()
        house.start()
    else:
        house.kill_part(victim)


def resubmitted(client: Client, body: Json, request_id: str) -> Json | None:
    try:
        return client.submit(body, request_id=request_id)
    except Unreachable:
        return None


def assert_told_once(client: Client, job: str) -> None:
    """One success, no lost and no doubled step."""
    seen = client.job(job)
    assert seen["state"] == "succeeded"
    assert Counter(attempt["state"] for attempt in seen["attempts"])["succeeded"] == 1
    kinds = Counter(one["kind"] for one in client.jobs()["jobs"])
    assert (kinds["train"], kinds["serve"], kinds["load_test"]) == (1, 1, 1)


def assert_metered_once(client: Client, job: str) -> None:
    """Usage reached the bill once: what the script says it used, give or take its shim and its last moments."""
    bill = eventually(lambda: booked(client.cost(job)), "the job is booked", 90)
    assert sum(parts_of(bill).values()) == nano_of(bill["total"])
    said = re.search(r"used ([0-9.]+) s of CPU time", client.log(job, after=-300)["text"])
    assert said is not None
    own_us = float(said[1]) * 1e6
    used = next(int(part["used"]["q"]) for part in bill["parts"] if part["capability"] == "cpu_millicores")
    assert 0.95 * own_us < used < 1.15 * own_us + 500_000
