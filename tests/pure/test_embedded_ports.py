"""Do the embedded parts keep their ports from start to start, and give way to strangers?"""

import socket
from pathlib import Path

from alldata.embedded.ports import NAMES, settle_ports


def test_the_second_start_has_the_ports_of_the_first(tmp_path: Path) -> None:
    assert settle_ports(tmp_path) == settle_ports(tmp_path)


def test_a_port_that_a_stranger_has_taken_is_replaced(tmp_path: Path) -> None:
    first = settle_ports(tmp_path)
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", first["web"]))
        second = settle_ports(tmp_path)
    assert second["web"] != first["web"]
    assert second["postgres"] == first["postgres"]


def test_a_given_port_is_used_as_given(tmp_path: Path) -> None:
    assert settle_ports(tmp_path, web=18080)["web"] == 18080
    assert set(settle_ports(tmp_path)) == set(NAMES)
