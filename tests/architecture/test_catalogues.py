"""Is every word of the product there in Chinese, well set, and compiled? Needs no gettext program."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import polib
from babel.messages.extract import extract_python
from django.utils.translation.template import templatize

from tests.architecture.source import ROOT

FOLDER = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES"
PO = polib.pofile(str(FOLDER / "django.po"))
KEYWORDS = {
    "_": None, "gettext": None, "gettext_lazy": None, "gettext_noop": None,
    "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "pgettext_lazy": ((1, "c"), 2), "npgettext": ((1, "c"), 2, 3),
}  # fmt: skip
APPS = ("alldata", "profiles", "scheduling", "costing", "monitoring")
HOLES = re.compile(r"%\(\w+\)[sd]")
TIGHT = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]")
UNWANTED = re.compile(r"您|请(?!求)|抱歉|！")

Entries = dict[tuple[str | None, str], polib.POEntry]
KNOWN: Entries = {(entry.msgctxt, entry.msgid): entry for entry in PO if not entry.obsolete}


def used() -> Iterator[tuple[str | None, str]]:
    """Every (context, text) that code or a template asks for."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            yield from asked_for(path.read_bytes())
    for path in sorted((ROOT / "templates").rglob("*.html")):
        calls = templatize(path.read_text(), origin=path.name).splitlines()
        yield from asked_for("\n".join(line.strip() for line in calls).encode())


def asked_for(code: bytes) -> Iterator[tuple[str | None, str]]:
    for _line, function, text, _comments in extract_python(io.BytesIO(code), KEYWORDS, (), {}):
        texts = [str(part) for part in (text if isinstance(text, tuple) else (text,)) if part]
        if not texts:
            continue
        yield (texts[0], texts[1]) if str(function).startswith(("p", "np")) else (None, texts[0])


def chinese(entry: polib.POEntry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def test_every_text_is_translated() -> None:
    missing = sorted({text for context, text in used() if (context, text) not in KNOWN})
    assert missing == []
    assert [e.msgid for e in KNOWN.values() if not all(chinese(e)) or "fuzzy" in e.flags] == []


def test_no_translation_is_left_over() -> None:
    assert sorted(text for context, text in KNOWN.keys() - set(used())) == []


def test_the_holes_of_a_text_are_kept() -> None:
    def holes(text: str) -> list[str]:
        return sorted(HOLES.findall(text))

    wrong = [e.msgid for e in KNOWN.values() for t in chinese(e) if holes(t) != holes(e.msgid_plural or e.msgid)]
    assert wrong == []


def test_the_compiled_catalogue_is_the_written_one() -> None:
    compiled = polib.mofile(str(FOLDER / "django.mo"))
    assert {(e.msgctxt, e.msgid): chinese(e) for e in compiled} == {key: chinese(e) for key, e in KNOWN.items()}


def test_chinese_is_set_as_the_guide_says() -> None:
    texts = [HOLES.sub("", text).replace("%%", "%") for e in KNOWN.values() for text in chinese(e)]
    assert [text for text in texts if TIGHT.search(text) or HALF_WIDTH.search(text)] == []
    assert [text for text in texts if UNWANTED.search(text)] == []


def test_the_catalogue_is_where_django_looks() -> None:
    assert Path(FOLDER, "django.mo").is_file()
