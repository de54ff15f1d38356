"""The node and device pages on odd machines: is what is really there shown, and is it said what is not known?"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from alldata.agent.loop import Probe, Setup
from alldata.agent.wire import Device, NumaNode, Register
from alldata.tenancy.viewer import Viewer
from scheduling.services.inventory import register_node
from tests.pure import agent_trees, eight_gpus
from tests.world import NOW

LANGUAGES = ("en", "zh-hans")


@pytest.fixture
def reader(noon_viewer: Viewer) -> Client:
    client = Client()
    assert noon_viewer.user_id is not None
    client.force_login(User.objects.get(pk=noon_viewer.user_id))
    return client


def known(message: Register, name: str) -> None:
    """The platform hears of a machine."""
    register_node(message, agent=name, agent_version="0.1.0", now_ms=NOW)


def recorded(folder: Path, name: str, root: Path) -> Register:
    """What an agent says of a recorded tree."""
    return Probe(Setup(name, folder / "runs", folder / "state", root=root)).facts("boot:1")


@pytest.fixture
def eight(reader: Client, tmp_path: Path) -> Register:
    message = recorded(tmp_path, "dgx", eight_gpus.build(tmp_path / "tree"))
    known(message, "dgx")
    return message


def test_eight_cards_stand_on_their_sockets(reader: Client, eight: Register) -> None:
    text = reader.get("/fleet/nodes/dgx/").content.decode()
    assert len(re.findall(r'class="dev gpu"', text)) == 8
    assert text.count('<g class="wire nvlink">') == 28
    assert text.count('<g class="port">') == 4
    assert "NUMA 0</text>" in text and "NUMA 1</text>" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_device_has_a_page(reader: Client, eight: Register, language: str) -> None:
    reader.cookies["language"] = language
    answers = {d.uuid: reader.get(f"/fleet/devices/{d.uuid}/").status_code for d in eight.devices}
    assert set(answers.values()) == {200}


def test_a_figure_says_where_it_comes_from(reader: Client, eight: Register) -> None:
    text = reader.get(f"/fleet/devices/{eight_gpus.uuid(0)}/").content.decode()
    assert "3.35\u202fTB/s" in text
    assert "published" in text and "2026-" in text


def changed(message: Register, index: int, **changes: object) -> Register:
    """The same machine with one card changed."""
    devices = tuple(replace(d, **changes) if d.uuid == eight_gpus.uuid(index) else d for d in message.devices)  # type: ignore[arg-type]
    return replace(message, devices=devices)


@pytest.mark.parametrize(
    ("reason", "said", "command"),
    [
        ("xid_79", "fell off the PCIe bus", "nvidia-bug-report.sh"),
        ("xid_48", "Xid 48", "nvidia-smi --gpu-reset -i 0000:1a:00.0"),
        ("driver_below_510.47.03", "older than 510.47.03", "nvidia-driver"),
        ("something_new", "something new", "alldata-agent doctor"),
    ],
)
def test_a_sick_card_comes_with_its_fix(reader: Client, eight: Register, reason: str, said: str, command: str) -> None:
    known(changed(eight, 0, health="degraded", degraded_reason=reason), "dgx")
    text = reader.get("/fleet/nodes/dgx/").content.decode()
    assert said in text
    assert re.search(rf'data-copy="[^"]*{re.escape(command)}', text)
    assert "Degraded" in text


def test_an_imported_machine_is_marked_and_never_called_silent(reader: Client, eight: Register) -> None:
    devices = tuple(replace(d, health="degraded", degraded_reason="imported") for d in eight.devices)
    known(replace(eight, engine="imported", devices=devices, gaps=("imported_from_files",)), "dgx")
    text = reader.get("/fleet/nodes/dgx/").content.decode()
    assert "Nothing is ever placed on it" in text
    assert "is silent" not in text and "Degraded" not in text


def test_a_machine_without_numa_says_so(reader: Client, tmp_path: Path) -> None:
    known(recorded(tmp_path, "vm", agent_trees.small_vm(tmp_path / "tree")), "vm")
    text = reader.get("/fleet/nodes/vm/").content.decode()
    assert "The kernel shows no NUMA nodes" in text
    assert "numactl --hardware" in text


def test_what_is_not_known_comes_with_how_to_learn_it(reader: Client, tmp_path: Path) -> None:
    known(recorded(tmp_path, "two", agent_trees.two_sockets(tmp_path / "tree")), "two")
    text = reader.get("/fleet/nodes/two/").content.decode()
    assert "Not known here" in text
    assert 'data-copy="alldata-agent calibrate"' in text


def test_thirty_four_numa_nodes_fit(reader: Client) -> None:
    numa = tuple(NumaNode(n, tuple(range(72)) if n < 2 else (), None) for n in range(34))
    pools = tuple(Device(f"gh/numa{n}/memory", "memory", f"numa{n} memory", n) for n in range(34))
    known(Register("gh", "b", "b:1", 144, numa, pools, 1000, 2000), "gh")
    text = reader.get("/fleet/nodes/gh/").content.decode()
    assert text.count('<g class="numa">') == 34
    assert int(re.search(r'viewBox="0 0 (\d+)', text)[1]) <= 1300  # type: ignore[index]


def test_an_instance_is_drawn_in_the_card_it_was_cut_from(reader: Client, eight: Register) -> None:
    card = next(d for d in eight.devices if d.type == "gpu")
    part = replace(card, uuid="MIG-1", name="gpu0 mig0", attributes={"mig_parent": card.uuid, "mig_profile": "1g.10gb"})
    known(replace(eight, devices=(*eight.devices, part)), "dgx")
    text = reader.get("/fleet/nodes/dgx/").content.decode()
    assert text.count('<rect class="part"') == 1
    assert len(re.findall(r'class="dev gpu"', text)) == 8


def test_a_silent_agent_leaves_its_last_facts(reader: Client, eight: Register) -> None:
    register_node(eight, agent="dgx", agent_version="0.1.0", now_ms=NOW - 600_000)
    text = reader.get("/fleet/nodes/dgx/").content.decode()
    assert "the agent on dgx is silent" in text
    assert len(re.findall(r'class="dev gpu"', text)) == 8


def test_the_table_lists_every_connection(reader: Client, eight: Register) -> None:
    text = reader.get("/fleet/nodes/dgx/?view=table").content.decode()
    assert text.count('<th scope="row">NVLink</th>') == 28
    assert "between NUMA nodes" in text


def test_the_load_is_a_part_of_its_own(reader: Client, eight: Register) -> None:
    answer = reader.get("/fleet/nodes/dgx/_/load", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    assert answer.content.decode().startswith('<div id="topology"')


def test_the_api_filters_devices(reader: Client, eight: Register) -> None:
    found = json.loads(reader.get("/api/v1/resources?filter=type:gpu,node:dgx,numa_node:1").content)["resources"]
    assert [device["uuid"] for device in found] == [eight_gpus.uuid(index) for index in range(4, 8)]
