"""Documents are read as the language says."""

from pathlib import Path

import pytest

import profiles
from profiles.dimensions import ADDITIVE
from profiles.errors import UnknownMode
from profiles.rcdl.document import Document, Rule, Supply, resolve
from profiles.rcdl.parse import load, parse
from tests.pure.rcdl_documents import ARTICLE_PCIE, ARTICLE_PROFILE, ARTICLE_SUPPLY

SHIPPED = Path(profiles.__file__).parent / "data" / "ocr-train-infer-1.0.yaml"


def document(text: str) -> Document:
    return load(text)


@pytest.mark.parametrize("text", [ARTICLE_SUPPLY, ARTICLE_PCIE, ARTICLE_PROFILE])
def test_the_documents_of_the_article_are_valid(text: str) -> None:
    assert parse(text).errors == ()


def test_supply_is_read_in_base_units_and_addresses_stay_text() -> None:
    supply, tree = parse(ARTICLE_SUPPLY).document, parse(ARTICLE_PCIE).document
    assert isinstance(supply, Supply) and isinstance(tree, Supply)
    assert supply.parts[0].attributes["hbm_bandwidth"] == 2_039 * 10**9
    assert tree.parts[0].attributes["pci_bus_id"] == "0000:00:01.0"


def test_a_profile_becomes_shares_rules_and_rates() -> None:
    body = document(ARTICLE_PROFILE).body
    assert body.resources[0].shares == {"gpu_sm": 850_000, "hbm_bandwidth": 900_000}
    assert Rule("sm_count", "min", 108) in body.resources[0].rules
    assert Rule("latency_us", "max", 80) in body.resources[2].rules
    assert body.rates_nano["gpu_hour"] == 12_500_000_000


def test_the_shipped_profile_fits_two_cores_in_both_modes() -> None:
    shipped = document(SHIPPED.read_text(encoding="utf-8"))
    training, inference = resolve(shipped, "training"), resolve(shipped, "inference")
    assert (shipped.name, shipped.version, set(shipped.modes)) == ("ocr-train-infer", "1.0", {"training", "inference"})
    assert (inference.grace_ms, training.grace_ms) == (5_000, 2_000)
    assert inference.resources[1].amounts == {"memory_bytes": 768 * 2**20}
    assert inference.serving.qps == 200 and inference.serving.p99_ms_max == 50


def test_an_overlay_keeps_what_it_does_not_name() -> None:
    more = "modes: {inference: {resources: [{type: gpu, capabilities: [{name: sm_utilization, target: 0.3}]}]}}\n"
    mode = resolve(document(ARTICLE_PROFILE + more), "inference")
    assert mode.resources[0].shares == {"gpu_sm": 300_000, "hbm_bandwidth": 900_000}
    assert len(mode.resources) == 3


def test_an_alternative_is_the_body_with_one_thing_changed() -> None:
    more = "alternatives: [{resources: [{type: gpu, constraints: {model: v100-sxm2-16gb}}]}]\n"
    rung = document(ARTICLE_PROFILE + more).alternatives[0]
    assert Rule("model", "eq", "v100-sxm2-16gb") in rung.resources[0].rules


def test_an_unknown_mode_names_the_known_ones() -> None:
    with pytest.raises(UnknownMode, match="has no mode 'serve'"):
        resolve(document(ARTICLE_PROFILE), "serve")


def test_components_are_placed_copy_by_copy() -> None:
    more = "components: [{name: d, count: 2, alignment: {same: node}, resources: [{type: gpu}]}]\n"
    body = document("name: x\nversion: '1.0'\n" + more).body
    assert [r.component for r in body.resources] == ["d.0", "d.1"]
    assert body.needs_json()["components"] == {
        name: {"same": "node", "allow_cross_numa": False} for name in ("d.0", "d.1")
    }


def test_needs_are_plain_data_for_the_scheduler() -> None:
    needs = resolve(document(SHIPPED.read_text(encoding="utf-8")), "training").needs_json()
    assert needs["same"] == "numa" and isinstance(needs["needs"], list)
    assert {name for need in needs["needs"] for name in need["amounts"]} <= set(ADDITIVE)
