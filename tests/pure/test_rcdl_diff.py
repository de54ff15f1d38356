"""What changes between two versions is told by its meaning and its effect."""

import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from profiles.rcdl.diff import diff
from profiles.rcdl.document import Document
from profiles.rcdl.parse import load, parse
from tests.pure.rcdl_documents import ARTICLE_PROFILE, demands

MODES = "modes: {training: {}, inference: {grace_period: 5s}}\n"
OLD = load(ARTICLE_PROFILE + MODES)


def effects(before: str, after: str) -> list[tuple[str, str, str]]:
    return [(c.scope, c.path, c.effect) for c in diff(OLD, load((ARTICLE_PROFILE + MODES).replace(before, after)))]


@pytest.mark.parametrize(
    ("before", "after", "path", "effect"),
    [
        ("target: 0.90", "target: 0.95", "gpu[0].hbm_bandwidth share", "takes_more"),
        ("target: 0.75", "amount: 1000", "storage[0].storage_iops", "takes_more"),
        ("min_sm_count: 108", "min_sm_count: 80", "gpu[0].sm_count min", "fits_more"),
        ("latency_us, max: 80", "latency_us, max: 60", "storage[0].latency_us max", "fits_fewer"),
        ("model: pm9a1", "model: pm9a3", "storage[0].model eq", "fits_others"),
        ("priority_class: high", "priority_class: low", "scheduling.priority_class", "queued_otherwise"),
        ("gpu_hour: 12.5", "gpu_hour: 13", "cost_model.gpu_hour", "priced_otherwise"),
        ("training: {}, ", "", "modes", "mode_removed"),
    ],
)
def test_each_change_has_its_effect(before: str, after: str, path: str, effect: str) -> None:
    assert (path, effect) in [(found, what) for _, found, what in effects(before, after)]


def test_what_all_modes_inherit_is_told_once() -> None:
    assert effects("target: 0.85}, {name: hbm", "target: 0.5}, {name: hbm") == [
        ("", "gpu[0].gpu_sm share", "takes_less")
    ]


def test_what_one_mode_changes_names_the_mode() -> None:
    assert effects("grace_period: 5s", "grace_period: 9s") == [("inference", "grace_period", "held_longer")]


def test_other_words_are_no_change() -> None:
    assert effects("min_sm_count: 108", "sm_count: {min: 108}") == []


def test_a_value_is_shown_with_its_unit() -> None:
    change = diff(OLD, load((ARTICLE_PROFILE + MODES).replace("max: 80", "max: 60")))[0]
    assert (change.before, change.after) == ("80 us", "60 us")


@settings(max_examples=60, deadline=None)
@given(demands(), demands(), st.data())
def test_no_change_means_the_same_digest(one: dict[str, Any], other: dict[str, Any], data: st.DataObject) -> None:
    shared = sorted({*one, *other} - {"resources", "components"} | {*one} & {*other})
    taken = data.draw(st.sets(st.sampled_from(shared), max_size=2))
    mixed = {key: value for key, value in one.items() if key not in taken} | {k: other[k] for k in taken if k in other}
    old, new = load(json.dumps(one)), parse(json.dumps(mixed)).document
    assume(isinstance(new, Document))  # overlays of one body may not fit the other
    assert isinstance(new, Document)
    assert diff(old, old) == ()
    assert bool(diff(old, new)) == (old.digest != new.digest)
