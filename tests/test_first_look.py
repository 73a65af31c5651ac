"""The table that the two commands print."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mcsvm_gui
from mcsvm_gui import app, cli
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.check.table import OF_DATA, OF_RESULTS
from mcsvm_gui.core.compare import first_look
from mcsvm_gui.core.machine import names


def test_the_data_are_scaled_by_the_training_part() -> None:
    data = first_look.load()
    assert data.train.shape == (528, 10)
    assert data.test.shape == (462, 10)
    assert np.all(data.train.min(axis=0) == -1)
    assert np.allclose(data.train.max(axis=0), 1)
    assert len(set(data.train_labels)) == 11


def test_every_example_data_set_ends_in_a_label() -> None:
    for path in (resources.folder() / "datasets").glob("*.csv"):
        header = path.read_text("utf-8").splitlines()[0]
        assert header.endswith(",label"), path.name


def test_an_unknown_data_set_names_those_that_are_there() -> None:
    with pytest.raises(FileNotFoundError, match=r"no example data set moon; there are: .*iris"):
        resources.dataset("moon")


def test_the_table_has_a_line_for_each_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["first-look"]) == 0
    table = capsys.readouterr().out.split(first_look.HEADER)[1].strip().splitlines()
    assert [line.split()[0] for line in table] == list(names.MACHINES)
    assert all(line.endswith("converged") for line in table)
    assert all(re.search(r"\d%\s+\d+\.\d%\s+\d+\s+\d+\.\d{3}\s+\d\.\de[+-]\d\d", line) for line in table)


def test_ctrl_c_ends_with_its_own_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    without_screen(monkeypatch)
    monkeypatch.setattr(first_look, "show", interrupted)
    assert cli.main(["first-look"]) == 130
    assert app.main([]) == 130


def without_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.slow
def test_a_reader_that_goes_early_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    without_screen(monkeypatch)
    code = "import sys; sys.platform = 'linux'; from mcsvm_gui.app import main; sys.exit(main([]))"
    program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout
    program.stdout.close()
    _, errors = program.communicate(timeout=120)
    assert (program.returncode, errors) == (1, b"")


@pytest.mark.parametrize("given", [["missing.csv"], ["a.csv", "b.csv"], ["--fast"]])
def test_the_program_says_what_it_cannot_open(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(given) == 2
    assert capsys.readouterr().err.startswith(f"error: {given[-1]}: ")


@pytest.mark.parametrize("missing", [("PySide6", "pyqtgraph"), ("PySide6",), ("pyqtgraph",)])
@pytest.mark.parametrize("screen", [True, False])
def test_an_installation_without_the_window_says_in_one_sentence_what_to_install(
    missing: tuple[str, ...], screen: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not screen:
        without_screen(monkeypatch)
    monkeypatch.setattr(app, "find_spec", lambda name: None if name in missing else find_spec(name))
    assert app.main([]) == 2
    said = capsys.readouterr()
    names = " and ".join(missing)
    assert said.err == f"error: the window needs {names}; install what it needs: pip install 'mcsvm[gui]'\n"
    assert said.out == ""
    assert app.main(["--help"]) == 0


def test_missing_resources_are_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", resources.Path(mcsvm_gui.__file__).parent / "core")
    assert cli.main(["first-look"]) == 2
    assert capsys.readouterr().err.startswith("error: there is no example data set")


def test_the_readme_counts_the_checks() -> None:
    readme = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
    assert f"{len(OF_DATA)} checks before training and {len(OF_RESULTS)} of the result" in readme
    assert len(readme) <= 14_000


def test_the_tour_of_the_readme_works(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
    tour = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert tour
    exec(tour[1], {})
    assert "converged" in capsys.readouterr().out
