"""`alldata rcdl` judges a file without server, network library or Django."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from alldata.cli.__main__ import main
from tests.pure.rcdl_documents import ARTICLE_PROFILE

BROKEN = ARTICLE_PROFILE.replace("0.90", "1.90").replace("iops", "ipos")


def file(at: Path, text: str, name: str = "profile.yaml") -> str:
    (at / name).write_text(text, encoding="utf-8")
    return str(at / name)


def test_a_valid_file_is_called_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rcdl", "check", file(tmp_path, ARTICLE_PROFILE), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["valid"], answer["kind"], answer["errors"]) == (True, "demand", [])


def test_faults_come_with_place_code_and_suggestion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rcdl", "check", file(tmp_path, BROKEN), "--json"]) == 1
    fault = json.loads(capsys.readouterr().out)["errors"][1]
    keys = {"line", "column", "path", "code", "message", "expected", "found", "suggestion"}
    assert set(fault) == keys and fault["suggestion"] == "did you mean iops?"


def test_faults_read_like_a_compilers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = file(tmp_path, BROKEN)
    main(["rcdl", "check", name])
    assert capsys.readouterr().out.startswith(f"{name}:8:80: error[out_of_range] resources[0].capabilities[1].target")


def test_what_is_known_of_products_is_remarked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "resources: [{name: g, type: gpu, model: a100-sxm4-40gb, attributes: {memory_bandwidth_gbps: 2039}}]"
    assert main(["rcdl", "check", file(tmp_path, text)]) == 0
    assert "expected 1555 GB/s for a a100-sxm4-40gb; that is a a100-sxm4-80gb" in capsys.readouterr().out


def test_a_missing_file_is_no_invalid_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rcdl", "check", "nowhere.yaml"]) == 2
    assert "nowhere.yaml" in capsys.readouterr().err


def test_two_versions_are_compared_by_meaning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = file(tmp_path, ARTICLE_PROFILE), file(tmp_path, ARTICLE_PROFILE.replace("0.90", "0.5"), "new.yaml")
    assert main(["rcdl", "diff", old, new, "--json"]) == 1
    assert [c["effect"] for c in json.loads(capsys.readouterr().out)["changes"]] == ["takes_less"]


def test_the_command_loads_neither_django_nor_a_network_library(tmp_path: Path) -> None:
    name = file(tmp_path, ARTICLE_PROFILE)
    code = f"import sys; from alldata.cli.__main__ import main; main(['rcdl', 'check', {name!r}]); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"django", "httpx", "celery", "psycopg2", "asyncio"} & set(loaded)
