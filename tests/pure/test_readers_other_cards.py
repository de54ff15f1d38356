"""Cards of other makers, metrics of the exporter, and the kernel's log."""

from tests.pure.reading import host, reading

NPU = """| NPU   Name   | Health | Power(W) Temp(C) Hugepages-Usage(page)|
| Chip  Phy-ID | Bus-Id | AICore(%) Memory-Usage(MB) HBM-Usage(MB) |
| 3     Ascend910 | OK | 178.5 36 0 / 0 |
| 0     6 | 0000:9D:00.0 | 0 0 / 0 3000 / 65536 |
| 3     Ascend910 | Alarm | - 36 0 / 0 |
| 1     7 | 0000:9F:00.0 | 0 0 / 0 3000 / 65536 |
"""
METRIC = 'DCGM_FI_PROF_DRAM_ACTIVE{{gpu="0",UUID="GPU-1",{more}Hostname="n"}} {value}\n'


def test_two_dies_of_one_card_are_two_chips() -> None:
    facts = reading(NPU).facts
    assert (facts["cards"], facts["chips"], facts["hbm_total_mb"]) == (1, 2, 65536)


def test_a_chip_that_is_not_well_says_so() -> None:
    assert [chip.health for chip in host(NPU).accelerators] == ["ok", "degraded"]


def test_rocm_json_counts_cards_not_the_system() -> None:
    text = (
        '{"card0": {"VRAM Total Memory (B)": "17163091968", "Card series": "X"}, "system": {"Driver version": "6.1"}}'
    )
    facts = reading(text).facts
    assert (facts["cards"], facts["has_system"], facts["vram_total_bytes"]) == (1, True, [17_163_091_968])


def test_a_split_card_and_its_instances_share_one_uuid() -> None:
    rows = METRIC.format(more="", value="0.5") + METRIC.format(more='GPU_I_PROFILE="1g.5gb",GPU_I_ID="7",', value="0.9")
    facts = reading(rows).facts
    assert (facts["gpus"], facts["mig_instances"], facts["dram_active"]) == (1, 1, 0.5)
    assert facts["gpu_util_pct"] is None


def test_a_torn_sample_is_reported_by_line() -> None:
    found = reading(METRIC.format(more="", value="0.5") + 'DCGM_FI_DEV_GPU_UTIL{gpu="0"\n')
    assert [complaint.line for complaint in found.complaints] == [2]


def test_a_fall_off_the_bus_without_a_number_is_xid_79() -> None:
    text = "[1.0] NVRM: The NVIDIA GPU 0000:b3:00.0\n      NVRM: (PCI ID: 10de:1) installed has\n"
    text += "      NVRM: fallen off the bus and is not responding\n"
    found = reading(text)
    assert found.facts == {"xids": [79], "bdf": "0000:b3:00.0"}
    assert found.hosts[0].accelerators[0].health == "lost"


def test_a_jobs_own_fault_does_not_take_a_card_away() -> None:
    found = reading("NVRM: Xid (PCI:0000:44:00): 31, pid=1, MMU Fault\n")
    assert (found.facts["xids"], found.hosts[0].accelerators) == ([31], ())


def test_cards_by_class_and_maker() -> None:
    text = "0001:00:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)\n"
    text += "0005:00:00.0 Bridge [0680]: NVIDIA Corporation Device [10de:22a3] (rev a1)\n\tSubsystem: x\nrubbish\n"
    found = reading(text)
    assert (found.facts["nvidia_3d"], found.facts["nvswitch"]) == (1, 1)
    assert found.hosts[0].accelerators[0].model == "H100 SXM5 80GB"
    assert [complaint.line for complaint in found.complaints] == [4]


def test_infiniband_ports_and_their_rates() -> None:
    text = (
        "CA 'mlx5_0'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: Active\n\t\tRate: 200\n\t\tLink layer: InfiniBand\n"
    )
    assert host(text).adapters[0].bandwidth == 25_000_000_000
