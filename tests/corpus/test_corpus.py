"""Every fact of the input corpus is read right. Runs where ALLDATA_CORPUS (../shared/data) is."""

import csv
import json
import os
from pathlib import Path

import pytest

from alldata.agent.readers.registry import read_path
from benchmarks.corpus import equal, facts_of, leaves

DATA = Path(os.environ.get("ALLDATA_CORPUS", "../shared/data"))
INDEX = DATA / "inputs" / "index.csv"


def rows() -> list[tuple[str, str]]:
    if not INDEX.exists():
        return []
    with open(INDEX, newline="", encoding="utf-8") as file:
        return [(row["file"], row["expected"]) for row in csv.DictReader(file)]


@pytest.mark.skipif(not INDEX.exists(), reason="the input corpus is not here (ALLDATA_CORPUS)")
@pytest.mark.parametrize(("name", "expected"), rows(), ids=lambda value: value if "{" not in value else "")
def test_every_fact_of_a_file_is_read(name: str, expected: str) -> None:
    found = facts_of(read_path(DATA / "inputs" / name))
    wrong = [(path, want, got) for path, want, got in leaves(json.loads(expected), found) if not equal(want, got)]
    assert wrong == []
