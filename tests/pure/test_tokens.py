"""Can everybody read it? Every contrast of the design system, recomputed from static/app.css itself."""

import re
from itertools import product

import pytest

from profiles.dimensions import ADDITIVE
from tests.architecture.source import ROOT

CSS = (ROOT / "static" / "app.css").read_text()
GROUNDS = ("canvas", "surface", "sunken")
TEXTS = ("text", "text2", "text3", "accent", "ok", "warn", "danger", "sim")
SOFT = ("accent", "ok", "warn", "danger", "sim")
MARKS = tuple(dict.fromkeys(re.findall(r"--(cap-[a-z]+):", CSS)))

Tokens = dict[str, str]


def block(pattern: str) -> Tokens:
    """The hexadecimal tokens of the first rule whose selector matches."""
    body = re.search(pattern + r"\s*\{(.*?)\}", CSS, re.DOTALL)
    assert body, pattern
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})", body.group(1)))


LIGHT = block(r":root")
DARK = block(r"\n\[data-theme=dark\]")
THEMES = [pytest.param(LIGHT, id="light"), pytest.param(DARK, id="dark")]


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def too_low(theme: Tokens, pairs: list[tuple[str, str]], least: float) -> list[str]:
    """The pairs of token names below the ratio, with what they have."""
    ratios = {(a, b): contrast(theme[a], theme[b]) for a, b in pairs}
    return [f"{a} on {b}: {ratio:.2f}" for (a, b), ratio in ratios.items() if round(ratio, 1) < least]


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_on_every_ground(theme: Tokens) -> None:
    own = [(name, f"{name}-soft") for name in SOFT] + [("on-accent", "accent"), ("on-accent", "accent-hover")]
    soft = [(text, f"{name}-soft") for text in ("text", "text2") for name in SOFT]
    assert too_low(theme, [*product(TEXTS, GROUNDS), *own, *soft], 4.5) == []


@pytest.mark.parametrize("theme", THEMES)
def test_marks_and_control_edges_stand_out(theme: Tokens) -> None:
    edges = [("edge", "canvas"), ("edge", "surface")]
    assert too_low(theme, [*product(MARKS, ("canvas", "surface")), *edges], 3.0) == []


def test_the_system_theme_and_the_chosen_theme_are_one() -> None:
    assert block(r":root:not\(\[data-theme=light\]\)") == DARK


def test_both_themes_have_the_same_tokens() -> None:
    assert LIGHT.keys() == DARK.keys()


def test_every_capability_has_its_colour() -> None:
    coloured = set(re.findall(r"\.c-(\w+)", CSS))
    assert [name for name in ADDITIVE if name not in coloured] == []


def test_no_rule_uses_an_unknown_token() -> None:
    known = set(re.findall(r"--([\w-]+):", CSS))
    assert set(re.findall(r"var\(--([\w-]+)", CSS)) - known - {"tone"} == set()
