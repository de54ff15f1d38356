"""The messages between agent and server: what goes out comes in, and nothing else does."""

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alldata.agent import wire

AMOUNT = wire.Usage(10, "measured", "measured", peak=5, coverage_ms=2000)
GAP = wire.Usage(None, "driver", "missing", reason="not supported")
FRAME = wire.Frame(
    epoch="boot:1",
    seq=3,
    start_ms=1000,
    end_ms=3000,
    devices=(wire.DeviceUsage("n1/numa0/cpu", {"cpu_millicores": AMOUNT, "gpu_sm": GAP}),),
    attempts=(wire.AttemptUsage("a-1", "n1/numa0/cpu", {"cpu_millicores": AMOUNT}),),
)
CARD = wire.Device(
    "GPU-1",
    "gpu",
    "gpu0",
    attributes={"mig": False},
    capacities={"gpu_sm": wire.Capacity(1_000_000, "driver", "measured")},
)
REGISTER = wire.Register("n1", "boot", "boot:1", 2, (wire.NumaNode(0, (0, 1), 2**34, {"0": 10}),), (CARD,), 1000, 2000)


def sealed(body: wire.Body) -> wire.Envelope:
    return wire.Envelope("n1", "0.1.0", 5, body)


def changed(path: str, value: object) -> bytes:
    """The frame's JSON with one value replaced."""
    plain: Any = json.loads(wire.to_bytes(sealed(FRAME)))
    *steps, last = path.split(".")
    spot = plain
    for step in steps:
        spot = spot[int(step) if step.isdigit() else step]
    spot[last] = value
    return json.dumps(plain).encode()


@pytest.mark.parametrize("body", [FRAME, REGISTER])
def test_a_message_survives_the_journey(body: wire.Body) -> None:
    assert wire.parse(wire.to_bytes(sealed(body))) == sealed(body)


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_large_integers_survive_exactly(q: int, start: int) -> None:
    use = wire.AttemptUsage("k", "d", {"hbm_bandwidth": wire.Usage(q, "measured", "measured")})
    frame = wire.Frame("e", 1, start % 2**62, start % 2**62 + 1, attempts=(use,))
    assert wire.parse(wire.to_bytes(sealed(frame))).body == frame


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("wire", 2, "wire"),
        ("kind", "other", "kind"),
        ("sent_ms", 1.5, "sent_ms"),
        ("sent_ms", True, "sent_ms"),
        ("body.end_ms", 1000, "body.end_ms"),
        ("body.seq", -1, "body.seq"),
        ("body.extra", 1, "body.extra"),
        ("body.devices.0.dims.cpu_millicores.q", None, "body.devices[0].dims.cpu_millicores.q"),
        ("body.devices.0.dims.gpu_sm.q", 0, "body.devices[0].dims.gpu_sm.q"),
        ("body.devices.0.dims.gpu_sm.quality", "good", "body.devices[0].dims.gpu_sm.quality"),
        ("body.devices", {}, "body.devices"),
    ],
)
def test_a_wrong_value_is_named_by_its_path(path: str, value: object, fault: str) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.parse(changed(path, value))
    assert caught.value.path == fault


def test_another_protocol_version_is_refused_before_the_body_is_read() -> None:
    with pytest.raises(wire.WireVersionRefused):
        wire.parse(b'{"wire": 2, "body": {"unknown": 1}}')


@pytest.mark.parametrize(
    "raw", [os.urandom(1 << 20), b"[" * (1 << 20), b"1" * (1 << 20), b'{"a":' * (1 << 18), b"", b"null", b"[]"]
)
def test_garbage_of_a_megabyte_is_one_clean_error(raw: bytes) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.parse(raw)
    assert len(str(caught.value)) < 400


def test_a_device_listed_twice_is_refused() -> None:
    with pytest.raises(wire.WireError, match="GPU-1 twice"):
        wire.Register("n1", "b", "b:1", 2, (), (CARD, CARD), 1000, 2000)
