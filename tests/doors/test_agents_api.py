"""The agents' doors: who may knock, what is understood, and how a refusal reads."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from alldata.agent.version import VERSION
from alldata.agent.wire import Body, Capacity, Device, Envelope, Frame, NumaNode, Register, to_bytes
from monitoring.models import UsageFrame
from scheduling.models import Node

CPU = Device("n1/cpu", "cpu", "cores", 0, capacities={"cpu_millicores": Capacity(2000, "sysfs", "measured")})
REGISTER = Register("n1", "boot", "boot:1", 2, (NumaNode(0, (0, 1), 2**30),), (CPU,), 1000, 2000)


@pytest.fixture
def agent() -> Client:
    return Client(headers={"Authorization": f"Agent {settings.AGENT_KEY}"})


def post(client: Client, door: str, body: Body | bytes, version: str = VERSION) -> Any:
    raw = body if isinstance(body, bytes) else to_bytes(Envelope("n1", version, 1, body))
    return client.post(f"/api/v1/agents/{door}", raw, content_type="application/json")


def frame(now_ms: int) -> Frame:
    return Frame("boot:1", 0, now_ms - 2000, now_ms)


def server_ms(agent: Client) -> int:
    return int(post(agent, "register", REGISTER).json()["server_ms"])


def test_registering_stores_the_machine_and_repeating_is_harmless(agent: Client) -> None:
    assert post(agent, "register", REGISTER).json()["duplicate"] is False
    assert post(agent, "register", REGISTER).json()["duplicate"] is True
    assert Node.objects.get().name == "n1"


def test_a_frame_is_acknowledged_and_a_repetition_is_called_one(agent: Client) -> None:
    one = frame(server_ms(agent))
    assert [post(agent, "frames", one).json()["duplicate"] for _ in range(2)] == [False, True]
    assert UsageFrame.objects.count() == 1


@pytest.mark.parametrize("door", ["register", "frames"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Agent wrong"}, {"Authorization": "Bearer wrong"}])
def test_only_agents_may_knock(door: str, headers: dict[str, str]) -> None:
    answer = post(Client(headers=headers), door, REGISTER)
    assert answer.status_code == 401


def test_another_minor_version_is_refused(agent: Client) -> None:
    answer = post(agent, "register", REGISTER, version="0.99.0")
    assert (answer.status_code, answer.json()["code"]) == (409, "agent_version_refused")


def test_a_patch_version_is_not(agent: Client) -> None:
    assert post(agent, "register", REGISTER, version=f"{VERSION.rsplit('.', 1)[0]}.99").status_code == 200


def test_a_wrong_value_is_named_by_its_path(agent: Client) -> None:
    raw = to_bytes(Envelope("n1", VERSION, 1, REGISTER)).replace(b'"cores":2', b'"cores":"two"')
    problem = post(agent, "register", raw)
    assert problem.status_code == 422
    assert problem.json()["facts"]["path"] == "body.cores"


@pytest.mark.parametrize("raw", [b"", b"null", b"\xff\xfe", b"{" * 10_000])
def test_garbage_is_a_clean_refusal(agent: Client, raw: bytes) -> None:
    assert post(agent, "frames", raw).status_code == 422


def test_a_message_beyond_the_limit_is_not_read(agent: Client) -> None:
    assert post(agent, "frames", b" " * (4 * 1024 * 1024 + 1)).status_code == 413


def test_a_frame_from_the_future_is_refused_with_the_servers_time(agent: Client) -> None:
    now_ms = server_ms(agent)
    future = replace(frame(now_ms), end_ms=now_ms + 600_000)
    problem = post(agent, "frames", future).json()
    assert (problem["code"], problem["facts"]["now_ms"] >= now_ms) == ("bad_frame_time", True)


def test_metrics_need_a_key_and_leave_out_what_is_missing(agent: Client) -> None:
    post(agent, "register", REGISTER)
    assert Client().get("/metrics").status_code == 401
    text = agent.get("/metrics").content.decode()
    assert 'crater_resource_capability_capacity{device="n1/cpu",node="n1",resource="cpu_millicores"} 2000.0' in text
    assert "crater_resource_capability_utilization{" not in text


def batch(*frames: Frame) -> bytes:
    """Several windows in one message, as a spool sends them after an outage."""
    rows = [json.loads(to_bytes(Envelope("n1", VERSION, 1, one)))["body"] for one in frames]
    plain = {"wire": 1, "kind": "frames", "agent": "n1", "agent_version": VERSION, "sent_ms": 1}
    return json.dumps(plain | {"body": {"frames": rows}}).encode()


def test_a_spool_is_taken_in_at_once_and_what_is_wrong_is_named(agent: Client) -> None:
    now_ms = server_ms(agent)
    good = [Frame("boot:1", k, now_ms - 9000 + k * 2000, now_ms - 7000 + k * 2000) for k in range(3)]
    future = Frame("boot:1", 9, now_ms + 600_000, now_ms + 602_000)
    answer = post(agent, "frames", batch(*good, future)).json()
    assert (answer["stored"], answer["duplicates"], answer["duplicate"]) == (3, 0, False)
    assert [(one["seq"], one["code"]) for one in answer["refused"]] == [(9, "bad_frame_time")]
    assert post(agent, "frames", batch(*reversed(good))).json()["duplicates"] == 3
    assert UsageFrame.objects.count() == 3


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"epoch": "e" * 121}, "epoch"),
        ({"epoch": "a\0b"}, "epoch"),
        ({"attempts": [{"key": "k" * 65, "device": "d", "dims": {}}]}, "attempts.key"),
    ],
)
def test_a_name_that_cannot_be_kept_is_refused_for_ever(agent: Client, change: dict[str, Any], path: str) -> None:
    raw = json.loads(batch(frame(server_ms(agent))))
    raw["body"]["frames"][0] |= change
    answer = post(agent, "frames", json.dumps(raw).encode())
    assert (answer.status_code, answer.json()["facts"]["path"]) == (422, f"body.frames[0].{path}")


@pytest.mark.parametrize(
    ("change", "path"),
    [({"q": -1}, "q"), ({"q": 1.5}, "q"), ({"q": None}, "q"), ({"q": True}, "q"), ({"q": 2**63}, "q"), ({"x": 1}, "x")],
)
def test_a_value_that_is_no_quantity_is_refused_by_its_path(agent: Client, change: dict[str, Any], path: str) -> None:
    usage = {"q": 5, "source": "driver", "quality": "measured"} | change
    raw = json.loads(batch(frame(server_ms(agent))))
    raw["body"]["frames"][0]["devices"] = [{"uuid": "GPU-1", "dims": {"gpu_sm": usage}}]
    problem = post(agent, "frames", json.dumps(raw).encode()).json()
    assert problem["facts"]["path"] == f"body.frames[0].devices[0].dims.gpu_sm.{path}"
    assert not UsageFrame.objects.exists()
