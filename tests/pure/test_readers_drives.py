"""Drives as nvme-cli of several ages and lsblk print them, and what registers say of queues."""

import json

from tests.pure.reading import host, reading

FLAT = {"DevicePath": "/dev/nvme0n1", "ModelNumber": "M", "PhysicalSize": 4096, "SectorSize": 512}
GHOST = {"DevicePath": "/dev/nvme0c0n1", "ModelNumber": "M", "SectorSize": 1}
NESTED = {
    "Subsystems": [
        {
            "Controllers": [
                {
                    "Controller": "nvme0",
                    "ModelNumber": "SAMSUNG MZQL21T9HCJR-00A07",
                    "Address": "0000:01:00.0",
                    "Namespaces": [{"NameSpace": "nvme0n1", "NSID": 1, "PhysicalSize": 4096}],
                }
            ],
            "Namespaces": [],
        }
    ]
}


def devices(*entries: object) -> str:
    return json.dumps({"Devices": list(entries)})


def test_flat_and_nested_lists_give_the_same_drive() -> None:
    flat, nested = host(devices(FLAT)).drives, host(devices(NESTED)).drives
    assert [(drive.name, drive.size_bytes) for drive in (*flat, *nested)] == [("nvme0n1", 4096)] * 2
    assert nested[0].bus == "0000:01:00.0"


def test_paths_of_a_multipath_drive_are_not_drives() -> None:
    facts = reading(devices(GHOST, FLAT)).facts
    assert (facts["devices"], facts["skip"]) == (1, ["nvme0c0n1"])


def test_a_size_that_wrapped_round_is_unknown() -> None:
    assert reading(devices(FLAT | {"PhysicalSize": -2147483648})).facts["size_bytes"] is None


def test_entry_sizes_are_powers_of_two_and_no_depth() -> None:
    for text in (
        json.dumps({"sqes": 0x66, "cqes": 0x44, "mdts": 5}),
        "sqes      : 0x66\ncqes      : 0x44\nmdts      : 5\n",
    ):
        facts = reading(text).facts
        assert (facts["sq_entry_bytes"], facts["cq_entry_bytes"], facts["queue_depth"]) == ([64, 64], [16, 16], None)
        assert facts["max_transfer_bytes_if_4k_page"] == 4096 << 5


def test_the_capability_register_tells_the_greatest_depth() -> None:
    facts = reading("cap     : 140103ff\n").facts
    assert (facts["max_queue_entries"], facts["contiguous_queues_required"], facts["timeout_s"]) == (1024, True, 10.0)


def test_a_disk_that_several_parents_show_counts_once() -> None:
    disk = {"name": "nvme0n1", "type": "disk", "size": 4096, "children": [{"name": "x", "type": "lvm"}]}
    text = json.dumps({"blockdevices": [disk, disk, {"name": "loop0", "type": "loop"}]})
    assert reading(text).facts == {"disks": 1, "nvme_disks": 1}


def test_json_that_breaks_off_is_reported_by_line() -> None:
    found = reading('{"Devices": [\n {"DevicePath":\n')
    assert (found.complaints[0].line, found.hosts) == (3, ())
