"""What nvidia-smi's XML, CSV, lists and last words mean."""

from tests.pure.reading import host, reading

CARD = """<gpu id="00000000:{bus}:00.0"><product_name>{name}</product_name><uuid>GPU-{bus}</uuid>
<mig_mode><current_mig>{mig}</current_mig></mig_mode><mig_devices>{parts}</mig_devices>
<pci><pci_bus_id>00000000:{bus}:00.0</pci_bus_id><pci_gpu_link_info>
<pcie_gen><max_link_gen>4</max_link_gen><current_link_gen>1</current_link_gen><max_device_link_gen>5</max_device_link_gen>
</pcie_gen><link_widths><max_link_width>16x</max_link_width></link_widths></pci_gpu_link_info></pci>
<fb_memory_usage><total>{memory}</total></fb_memory_usage><utilization><gpu_util>{util}</gpu_util></utilization>
<gpu_power_readings><current_power_limit>300.00 W</current_power_limit></gpu_power_readings>{more}</gpu>"""
USUAL = {"name": "NVIDIA X", "mig": "N/A", "parts": "None", "memory": "24564 MiB", "util": "7 %", "more": ""}
PART = """<mig_device><device_attributes><shared><multiprocessor_count>14</multiprocessor_count></shared>
</device_attributes><fb_memory_usage><total>4864 MiB</total></fb_memory_usage></mig_device>"""


def log(*cards: str) -> str:
    head = "<driver_version>550.54.15</driver_version><attached_gpus>2</attached_gpus>"
    return f'<?xml version="1.0" ?>\n<nvidia_smi_log>\n{head}\n' + "\n".join(cards) + "\n</nvidia_smi_log>"


def card(bus: str, **changes: str) -> str:
    return CARD.format(bus=bus, **(USUAL | changes))


def test_capacity_is_of_the_link_at_its_best_not_of_the_idle_link_or_the_card() -> None:
    facts = reading(log(card("3B"))).facts
    assert (facts["pcie_gen_max"], facts["pcie_gen_cur"], facts["pcie_width_max"]) == (4, 1, 16)
    assert host(log(card("3B"))).accelerators[0].pcie_bandwidth == 31_507_692_307


def test_an_address_is_written_as_the_kernel_does() -> None:
    assert host(log(card("3B"))).accelerators[0].bus == "0000:3b:00.0"


def test_a_lost_card_does_not_hide_the_others() -> None:
    both = reading(log(card("3B", memory="GPU is lost", util="GPU is lost"), card("3C")))
    assert [found.health for found in both.hosts[0].accelerators] == ["lost", "ok"]
    assert (both.facts["lost_gpus"], both.facts["gpu_util_pct"]) == (1, 7)


def test_load_of_a_split_card_is_unknown_not_zero() -> None:
    found = reading(log(card("3B", mig="Enabled", parts=PART * 2, util="N/A")))
    assert (found.facts["mig_devices"], found.facts["gpu_util_pct"]) == (2, None)
    assert found.hosts[0].accelerators[0].mig == ("14sm.4864mib", "14sm.4864mib")


def test_a_card_off_the_fabric_is_degraded_with_the_reason() -> None:
    ill = "<fabric><health><summary>Unhealthy</summary><route_unhealthy>True</route_unhealthy></health></fabric>"
    assert host(log(card("3B", more=ill))).accelerators[0].reason == "fabric_route_unhealthy"


def test_a_cut_file_gives_what_stands_before_the_cut_and_the_line_of_it() -> None:
    whole = log(card("3B"), card("3C"))
    cut = reading(whole[: whole.index("<gpu", whole.index("<gpu") + 1) + 200])
    assert cut.hosts[0].accelerators[0].uuid == "GPU-3B"
    assert cut.complaints[0].line > 4


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><nvidia_smi_log>&a;</nvidia_smi_log>'
    assert reading(bomb).complaints[0].cause == "XML entities are not read"


def test_cells_lose_their_units_and_gaps_are_none() -> None:
    facts = reading("index, name, memory.total [MiB], power.limit [W], serial\n0, X, 24564 MiB, [N/A], [N/A]\n").facts
    assert (facts["memory_total_mib"], facts["power_limit_w"], facts["serial"]) == (24564, None, [None])


def test_without_a_heading_only_what_shows_itself_is_named() -> None:
    facts = reading("Old Card, [Not Supported], 48, 30 %, P8\n").facts
    assert (facts["name"], facts["temperature_c"], facts["util"]) == ("Old Card", 48, None)


def test_a_row_that_does_not_fit_is_reported_by_line() -> None:
    found = reading("index, name, uuid\n0, A, GPU-1\n1, B\n")
    assert [complaint.line for complaint in found.complaints] == [3]
    assert found.facts["gpus"] == 1


def test_mig_devices_of_old_and_new_drivers_are_counted() -> None:
    text = "GPU 0: X (UUID: GPU-1)\n  MIG 2g.10gb Device 0: (UUID: MIG-GPU-1/3/0)\n"
    text += "  MIG 2g.10gb     Device  1: (UUID: MIG-2)\n"
    assert reading(text).facts["profiles"] == {"2g.10gb": 2}


def test_only_links_that_are_up_count() -> None:
    text = "GPU 0: X (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n\t Link 2: 26.562 GB/s\n"
    facts = reading(text).facts
    assert (facts["links_per_gpu"], facts["gbps_per_link"]) == (2, ["26.562"])


def test_a_lost_card_is_named_even_when_nothing_else_is_said() -> None:
    found = reading("Unable to determine the device handle for GPU0: 0000:5E:00.0: GPU is lost.  Reboot\n")
    assert found.facts == {"error": "gpu_lost", "bdf": "0000:5e:00.0"}
    assert found.hosts[0].accelerators[0].health == "lost"


def test_a_failure_says_whether_trying_again_helps() -> None:
    facts = reading("Failed to initialize NVML: Driver/library version mismatch\n").facts
    assert (facts["error"], facts["retryable"]) == ("driver_library_mismatch", False)


def test_the_field_an_old_driver_does_not_know_is_named() -> None:
    assert reading('Field "new.thing" is not a valid field to query.\n').facts["field"] == "new.thing"
