"""What goes into an attempt, and what may come out of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from scheduling.executors.base import FileSource, LaunchRefused
from tests.contract.engines import BLANK, Local, Play


def test_files_are_laid_out_and_artifacts_are_copies(local: Local, tmp_path: Path) -> None:
    artifact = tmp_path / "artifact"
    artifact.write_bytes(b"original")
    files = (FileSource("deep/er/a.txt", text="text"), FileSource("model.bin", path=str(artifact)))
    program = "print(open('deep/er/a.txt').read(), open('model.bin').read()); open('model.bin', 'w').write('changed')"
    local.run("a", program, replace(BLANK, files=files))
    assert local.executor.read_log("a", after=0, limit=99).text == "text original\n"
    assert artifact.read_bytes() == b"original"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", ""])
def test_files_outside_the_working_directory_are_refused(local: Local, name: str) -> None:
    with pytest.raises(LaunchRefused):
        local.launch("a", Play(), replace(BLANK, files=(FileSource(name, text=""),)))


@pytest.mark.parametrize("key", ["../x", "a/b", "", ".hidden", "x" * 65])
def test_keys_that_are_paths_are_refused(local: Local, key: str) -> None:
    with pytest.raises(LaunchRefused):
        local.launch(key, Play())


def test_another_nodes_attempt_is_refused(local: Local) -> None:
    with pytest.raises(LaunchRefused):
        local.launch("a", Play(), replace(BLANK, node="elsewhere"))


def test_outputs_outside_are_not_handed_out(local: Local) -> None:
    local.run("a", "import os; os.symlink('/etc/passwd', 'link'); os.mkdir('d')")
    for name in ("link", "d", "../spec.json", "/etc/passwd", "a\x00b"):
        assert local.executor.output_path("a", name) is None


def test_forget_removes_what_the_job_locked(local: Local) -> None:
    local.run("a", "import os; os.mkdir('locked'); open('locked/f', 'w'); os.chmod('locked', 0)")
    local.executor.forget("a")
    assert not (local.runs / "a").exists()
