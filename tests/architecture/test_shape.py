"""Does the code keep the house numbers? Short files, short functions, no hidden imports, no machine's traces."""

import ast
import re
import statistics

from tests.architecture.source import Source, length, shipped_texts, sources

LONGEST_FILE, MEDIAN_FILE = 300, 70
LONGEST_FUNCTION, NINTH_DECILE_FUNCTION = 60, 25
MEDIAN_TEST = 12
MOST_PATCHES = 5
CATCH_ALLS = {"utils.py", "helpers.py", "common.py", "misc.py", "util.py"}
# Written so that this file does not match itself.
TRACES = re.compile(r"/w[o]rk/|/t[m]p/[a-z_]+/|/r[o]ot/|extra-ind[e]x|ind[e]x-url|find-l[i]nks|https?://\S*/simpl[e]/")
PATCHES = re.compile(r"m[o]ck\.patch|m[o]nkeypatch\.setattr|@p[a]tch\(")


def test_no_file_is_longer_than_the_house_allows() -> None:
    assert [source.name for source in sources() if source.lines > LONGEST_FILE] == []


def test_the_median_file_is_short() -> None:
    assert statistics.median(source.lines for source in sources()) <= MEDIAN_FILE


def test_no_function_is_longer_than_the_house_allows() -> None:
    long = [f"{s.name}:{f.name}" for s in sources() for f in s.functions() if length(f) > LONGEST_FUNCTION]
    assert long == []


def test_nine_functions_in_ten_are_short() -> None:
    lengths = [length(f) for s in sources() if not s.name.startswith("tests/") for f in s.functions()]
    assert statistics.quantiles(lengths, n=10)[-1] <= NINTH_DECILE_FUNCTION


def test_the_median_test_is_short() -> None:
    tests = [f for s in sources() if s.name.startswith("tests/") for f in s.functions() if f.name.startswith("test_")]
    assert statistics.median(map(length, tests)) <= MEDIAN_TEST


def test_every_module_states_its_question() -> None:
    mute = [s.name for s in sources() if s.text.strip() and ast.get_docstring(s.tree) is None]
    assert mute == []


def test_no_catch_all_modules() -> None:
    assert [s.name for s in sources() if s.path.name in CATCH_ALLS] == []


def test_imports_stand_at_the_top() -> None:
    lazy = [f"{s.name}:{f.name}" for s in sources() for f in s.functions() if imports_lazily(s, f)]
    assert lazy == []


def imports_lazily(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True for an import inside a function, except where Django asks for it: AppConfig.ready."""
    if source.path.name == "apps.py" and function.name == "ready":
        return False
    return any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function))


def test_tests_hardly_ever_patch() -> None:
    assert sum(len(PATCHES.findall(s.text)) for s in sources() if s.name.startswith("tests/")) <= MOST_PATCHES


def test_no_trace_of_the_machine_it_was_written_on() -> None:
    traces = [f"{name}: {found.group()}" for name, text in shipped_texts() if (found := TRACES.search(text))]
    assert traces == []
