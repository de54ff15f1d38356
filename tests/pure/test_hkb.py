"""What is known of hardware: every value says where it is from, and the well-known slips are right here."""

import pytest

from profiles.dimensions import BY_NAME
from profiles.hkb.lookup import Part, link_facts, normal, published
from profiles.hkb.parts import GRADES, Fact

KNOWN = published()


def part(kind: str, model: str) -> Part:
    found = KNOWN.find(kind, model)
    assert found is not None
    return found


def test_every_fact_has_value_source_date_and_grade() -> None:
    facts = [f for p in KNOWN.parts for f in (*p.facts.values(), *p.details.values())]
    facts += [fact for link in link_facts().values() for fact in link.values()]
    assert len(facts) > 700
    assert all(f.origin and f.checked and f.grade in GRADES for f in facts)
    assert all((f.value is None) == (f.grade == "unknown") for f in facts)


def test_every_fact_is_a_dimension_and_every_name_leads_to_one_part() -> None:
    assert {name for p in KNOWN.parts for name in p.facts} <= set(BY_NAME)
    names = [(p.type, name) for p in KNOWN.parts for name in {normal(name) for name in (p.model, *p.names)}]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("kind", "model", "dimension", "value"),
    [
        ("gpu", "NVIDIA A100-SXM4-40GB", "hbm_bandwidth", 1_555 * 10**9),
        ("gpu", "NVIDIA A100-SXM4-80GB", "hbm_bandwidth", 2_039 * 10**9),
        ("gpu", "NVIDIA A100 80GB PCIe", "hbm_bandwidth", 1_935 * 10**9),
        ("gpu", "Tesla V100-SXM2-16GB", "sm_count", 80),
        ("gpu", "Tesla V100-SXM2-16GB", "compute_capability", "7.0"),
        ("gpu", "NVIDIA A100-SXM4-40GB", "mig_max", 7),
        ("cpu", "Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz", "memory_bandwidth", 140_800_000_000),
        ("cpu", "AMD EPYC 7502 32-Core Processor", "memory_bandwidth", 204_800_000_000),
        ("cpu", "AMD EPYC 7742 64-Core Processor", "memory_bandwidth", 204_800_000_000),
        ("cpu", "AMD EPYC 9654 96-Core Processor", "memory_bandwidth", 460_800_000_000),
        ("storage", "SAMSUNG MZVL21T0HCLR-00B00", "queue_depth", None),
    ],
)
def test_the_well_known_slips_are_right(kind: str, model: str, dimension: str, value: object) -> None:
    assert part(kind, model).facts[dimension].value == value


@pytest.mark.parametrize(("model", "floor"), [("a100-sxm4-40gb", "510.47.03"), ("v100-pcie-32gb", "470.82.01")])
def test_cards_name_the_driver_they_need(model: str, floor: str) -> None:
    assert part("gpu", model).detail("driver_floor") == floor


def test_parts_are_found_by_pci_id_unless_several_share_it() -> None:
    found = KNOWN.find("gpu", None, "10DE:20B0")
    assert found is not None and found.model == "a100-sxm4-40gb"
    assert KNOWN.find("storage", None, "144d:a80a") is None
    assert KNOWN.find("gpu", "NVIDIA A100") is None


def test_links_of_a_generation_carry_what_the_standard_says() -> None:
    assert link_facts()["pcie", "gen3"]["x16"].value == 15.75
    assert link_facts()["nvlink", "gen3"]["both_ways_all_links"].value == 600
    assert link_facts()["dram", "ddr4-2933"]["per_channel"].value == 23.46
    assert link_facts()["ib", "ndr"]["per_port"].value == 50


def test_later_facts_are_laid_over_earlier_ones() -> None:
    later = Part("gpu", "nvidia", "t4", ("T4 again",), {"sm_count": Fact(41, "published", "lab")})
    found = KNOWN.with_parts("next", [later]).find("gpu", "T4 again")
    assert found is not None and found.facts["sm_count"].value == 41
    assert found.facts["hbm_bandwidth"].value == 320 * 10**9
