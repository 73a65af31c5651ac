"""Foreign programs: which one is meant, and how long it may take."""

from __future__ import annotations

import ast
import os
import stat
import sys
import time
from pathlib import Path

import pytest
from export_models import KERNELS, iris, trained_on

import mcsvm_gui
from mcsvm_gui.core.base import programs
from mcsvm_gui.core.export import EXPORTERS, python

PACKAGE = Path(mcsvm_gui.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="scripts with a shebang")


def started(source: str) -> list[str]:
    """What a module calls to start a process."""
    called = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = [ast.unparse(function) for function in called]
    begun = "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_output", "os.system", "os.popen"
    return [name for name in names if name in begun or name.startswith(("os.spawn", "os.exec"))]


@pytest.mark.slow
def test_one_module_starts_programs() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if started(path.read_text("utf-8"))}
    assert found == {"core/base/programs.py"}


def script(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@posix
def test_a_program_in_the_working_directory_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        script(folder, "some-program", "exit 0")
    monkeypatch.chdir(here)
    monkeypatch.setenv("PATH", ".")
    assert programs.found("some-program") is None
    monkeypatch.setenv("PATH", str(there))
    assert programs.found("no-such-program", "some-program") == str(there / "some-program")


def test_what_a_program_says_comes_back() -> None:
    code = "import sys; print(sys.stdin.read().upper()); print('trouble', file=sys.stderr); sys.exit(3)"
    assert programs.run([sys.executable, "-c", code], "a row") == (3, "A ROW\n", "trouble\n")
    assert programs.run([sys.executable, "-c", "import sys; print(len(sys.stdin.read()))"]).output == "0\n"


@posix
def test_a_program_that_takes_too_long_is_ended_with_all_that_it_began(tmp_path: Path) -> None:
    mark = tmp_path / "late"
    slow = script(tmp_path, "slow", f"(sleep 1; touch {mark}) & sleep 60")
    began = time.monotonic()
    with pytest.raises(programs.TimeLimitError, match=r"slow took longer than 0\.3 seconds"):
        programs.run([str(slow)], seconds=0.3)
    assert time.monotonic() - began < 20.0
    time.sleep(1.2)
    assert not mark.exists(), "a process that it began went on"


@posix
def test_no_program_that_happens_to_be_called_predict_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "predict", f"touch {tmp_path}/it-ran")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    trained = trained_on(iris(), machine="ww", **KERNELS["linear"])
    receipt = EXPORTERS["liblinear"].export(trained, tmp_path / "m.model", iris())
    assert not (tmp_path / "it-ran").exists()
    assert receipt.checks[-1] == "Not checked: liblinear-predict is not installed here."


@posix
def test_a_check_that_takes_too_long_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file was read back before, so it is written all the same."""
    script(tmp_path, "svm-predict", "sleep 60")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(programs, "TIME_LIMIT", 0.5)
    receipt = EXPORTERS["libsvm"].export(trained_on(iris(), machine="ww", **KERNELS["rbf"]), tmp_path / "m", iris())
    assert receipt.checks[0].startswith("Checked with the file read back")
    assert receipt.checks[1] == "Not checked: svm-predict took longer than 0.5 seconds."


def test_an_exported_program_that_never_ends_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = trained_on(iris(), machine="ww", **KERNELS["rbf"])
    endless = {"": b"while True: pass\n"}
    monkeypatch.setattr(python, "written", lambda plain: endless)
    monkeypatch.setattr(programs, "TIME_LIMIT", 0.5)
    receipt = EXPORTERS["python"].export(trained, tmp_path / "m.py", iris())
    assert "took longer than 0.5 seconds" in receipt.sentence
