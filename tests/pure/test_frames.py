"""What is packed comes out again, and takes little room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from monitoring.frames import FORMAT, QUALITIES, SOURCES, UnknownFormat, pack, unpack

NUMBERS = st.integers(0, 2**63 - 1)
MAYBE = st.none() | NUMBERS
KNOWN = st.builds(Usage, NUMBERS, st.sampled_from(SOURCES), st.sampled_from(QUALITIES[:3]), MAYBE, MAYBE)
MISSING = st.builds(Usage, st.none(), st.sampled_from(SOURCES), st.just("missing"), reason=st.none() | st.text())
DIMS = st.dictionaries(st.text(max_size=20), KNOWN | MISSING, max_size=4)
FRAMES = st.builds(
    Frame,
    epoch=st.text(max_size=8),
    seq=NUMBERS,
    start_ms=st.just(0),
    end_ms=st.just(2000),
    devices=st.lists(st.builds(DeviceUsage, st.text(max_size=20), DIMS), max_size=3).map(tuple),
    attempts=st.lists(
        st.builds(
            AttemptUsage, st.text(max_size=9), st.text(max_size=9), DIMS, st.none() | NUMBERS, st.none() | NUMBERS
        ),
        max_size=3,
    ).map(tuple),
)


@given(FRAMES)
def test_a_frame_survives_being_stored(frame: Frame) -> None:
    assert unpack(pack(frame)) == (frame.devices, frame.attempts)


def test_a_newer_format_is_refused_not_guessed() -> None:
    with pytest.raises(UnknownFormat):
        unpack(bytes([FORMAT + 1]) + b"anything")


def test_an_interval_takes_at_most_thirty_bytes() -> None:
    dims = {name: Usage(10**12 + n, "driver", "measured", 5, 2000) for n, name in enumerate("abcdefgh")}
    devices = tuple(
        DeviceUsage(f"GPU-{n}", {k: Usage((v.q or 0) * n + n, "driver", "measured") for k, v in dims.items()})
        for n in range(8)
    )
    assert len(pack(Frame("e", 1, 0, 2000, devices))) <= 30 * 64
