"""How cards are joined, whatever the table's columns."""

from tests.pure.reading import host, reading

TABS = (
    "\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV4\tSYS\tPIX\t0-7\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tPXB\tSYS\t8-15\t1\t\tN/A\n"
    "NIC0\tSYS\tPXB\t X \tSYS\t\t\t\t\n"
    "NIC1\tPIX\tSYS\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  NV#  = NVLinks\n\nNIC Legend:\n\n  NIC0: mlx5_7\n  NIC1: mlx5_3\n"
)
SPACES = "        GPU0    GPU1    CPU Affinity    NUMA Affinity\nGPU0     X      PHB     0-11            N/A\n"
SPACES += "GPU1    PHB      X      0-11            N/A\n"


def test_colour_codes_and_double_tabs_do_not_shift_columns() -> None:
    facts = reading(TABS).facts
    assert (facts["gpu_numa"], facts["gpu_numa_id"], facts["cpu_affinity_gpu0"]) == ([0, 1], None, "0-7")


def test_the_nearest_card_is_in_the_table_not_in_the_numbering() -> None:
    facts = reading(TABS).facts
    assert facts["gpu_nearest_nics"] == {"GPU0": ["mlx5_3"], "GPU1": ["mlx5_7"]}
    assert facts["gpu_pix_nic"] == {"GPU0": "mlx5_3"}


def test_links_belong_to_a_pair() -> None:
    (pair,) = host(TABS).pairs
    assert (pair.a, pair.b, pair.links) == (0, 1, 4)


def test_spaces_instead_of_tabs_and_no_numa() -> None:
    facts = reading(SPACES).facts
    assert (facts["gpus"], facts["gpu_numa"], facts["nvlink_per_pair"]) == (2, [None, None], 0)


def test_a_view_that_hides_links_does_not_say_that_there_are_none() -> None:
    hidden = SPACES + "\nLegend:\n\n  PHB  = host bridge\n"
    assert reading(hidden).facts["nvlink_per_pair"] is None


def test_islands_and_uneven_pairs() -> None:
    rows = ["X NV2 SYS SYS", "NV2 X SYS SYS", "SYS SYS X NV2", "SYS SYS NV2 X"]
    text = "\tGPU0\tGPU1\tGPU2\tGPU3\n" + "\n".join(f"GPU{i}\t" + row.replace(" ", "\t") for i, row in enumerate(rows))
    facts = reading(text).facts
    assert (facts["nvlink_islands"], facts["nvlink_per_pair"]) == ([[0, 1], [2, 3]], None)
    assert facts["nvlink_per_pair_in_island"] == 2


def test_a_table_of_peer_access_is_not_taken_for_paths() -> None:
    text = SPACES + "\n \tGPU0\tGPU1\t\n GPU0\tX\tNS\t\n GPU1\tNS\tX\t\n"
    facts = reading(text).facts
    assert (facts["p2p"], facts["nvlink_per_pair"]) == ({"0-1": "NS"}, 0)


def test_a_short_row_is_reported_and_the_rest_stays() -> None:
    found = reading(TABS.replace("NIC1\tPIX\tSYS\tSYS\t X ", "NIC1\tPIX"))
    assert [complaint.cause for complaint in found.complaints] == ["row NIC1 has 1 of 4 cells"]
    assert found.facts["gpus"] == 2


def test_rocm_tables_of_links_and_nodes() -> None:
    title = "=== ROCm System Management Interface ===\n"
    links = reading(title + "       GPU0  GPU1\nGPU0   0     XGMI\nGPU1   XGMI  0\n")
    assert (links.facts["link"], len(links.hosts[0].pairs)) == ("XGMI", 1)
    nodes = title + "GPU[0]\t\t: (Topology) Numa Node: 1\nGPU[1]\t\t: (Topology) Numa Node: -1\n"
    assert reading(nodes).facts["gpu_numa"] == [1, None]
