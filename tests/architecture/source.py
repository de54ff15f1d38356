"""What do the architecture tests read? Every Python file that we own, parsed once, and every text file that we ship."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("alldata", "profiles", "scheduling", "costing", "monitoring", "benchmarks", "examples", "tests")
TEXTS = ("*.py", "*.html", "*.css", "*.js", "*.yaml", "*.yml", "*.toml", "*.md", "*.po", "*.in", "*.lock", "Makefile")


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its decorators."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


@cache
def sources() -> tuple[Source, ...]:
    """All our Python files except generated migrations."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(_read(path) for path in paths if "migrations" not in path.parts)


def _read(path: Path) -> Source:
    text = path.read_text()
    return Source(path, text, ast.parse(text))


def shipped_texts() -> Iterator[tuple[str, str]]:
    """Name and text of every text file in the repository's own folders."""
    tops = [path for path in ROOT.iterdir() if path.is_file() and any(path.match(kind) for kind in TEXTS)]
    folders = [ROOT / name for name in (*FOLDERS, "templates", "static", "locale", "docs", ".ci")]
    nested = [path for folder in folders for kind in TEXTS for path in folder.rglob(kind)]
    for path in (*tops, *nested):
        yield str(path.relative_to(ROOT)), path.read_text()
