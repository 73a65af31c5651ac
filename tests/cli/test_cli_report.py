"""mcsvm report, and reports of mcsvm compare and mcsvm run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command_line import ROOT, mcsvm
from report_makers import written_project

from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.report import FORMATS

pytest.importorskip("matplotlib")
IRIS = ROOT / "resources" / "datasets" / "iris.csv"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "p.mcsvmproj"
    written_project(path, [Request(machine=name, holdout=0.3, data=str(IRIS)) for name in ("ww", "cs")], ["one", "two"])
    return path


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_project_becomes_a_report(suffix: str, project: Path, tmp_path: Path) -> None:
    out = tmp_path / f"out{suffix}"
    answer = mcsvm("report", project, "-o", out, "--json")
    assert (answer.code, answer.document) == (0, {"schema": 1, "report": str(out), "runs": [1, 2]})
    assert out.stat().st_size > 1000


def test_single_runs_may_be_chosen(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert "Report of 1 run" in mcsvm("report", project, "-o", out, "--run", "2").out
    assert [run["name"] for run in json.loads(out.read_text())["runs"]] == ["two"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--run", "9"), "there is no run 9"),
        (("--run", "x"), "--run"),
        (("-o", "out.docx"), "the ending says the format"),
        (("-o", "/nowhere/out.html"), "there is no folder"),
    ],
)
def test_what_is_wrong_is_one_line(options: tuple[str, ...], sentence: str, project: Path, tmp_path: Path) -> None:
    assert sentence in mcsvm("report", project, "-o", tmp_path / "out.html", *options).complaint
    assert not list(tmp_path.iterdir())


def test_what_is_no_project_is_not_made_one(tmp_path: Path) -> None:
    absent = mcsvm("report", tmp_path / "none.mcsvmproj", "-o", tmp_path / "out.html").complaint
    assert absent.endswith("none.mcsvmproj: there is no such file; check its name")
    assert "no mcsvm project" in mcsvm("report", IRIS, "-o", tmp_path / "out.html").complaint
    assert not list(tmp_path.iterdir())


def test_a_search_writes_its_report_with_the_command_that_redoes_it(tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    options = ("--machine", "ww,ovo", "--C", "2^-1:2^1", "--gamma", "2^-2:2^0", "--folds", "3")
    found = mcsvm("tune", IRIS, *options, "--report", out, "--json").document
    written = json.loads(out.read_text())
    assert written["cells"] == found["cells"]
    text = tmp_path / "r.md"
    assert mcsvm("tune", IRIS, *options, "--report", text, "--quiet").code == 0
    redo = next(line for line in text.read_text().splitlines() if line.startswith("mcsvm tune"))
    again = mcsvm(*shlex.split(redo)[1:], "--json").document
    assert by_cell(again) == by_cell(found)


def by_cell(document: dict) -> dict:
    """In whatever order threads came to them."""
    return {(cell["machine"], cell["C"], cell["gamma"]): cell["fold_accuracy"] for cell in document["cells"]}


def test_a_comparison_writes_its_report(tmp_path: Path) -> None:
    out, saved = tmp_path / "r.json", tmp_path / "e.toml"
    first = mcsvm("compare", IRIS, "--machines", "ww,cs", "--folds", "3", "--report", out, "--save", saved, "--json")
    written = json.loads(out.read_text())
    assert written["tests"] == first.document["tests"]
    again = tmp_path / "again.json"
    assert mcsvm("run", saved, "--report", again, "--quiet").code == 0
    assert json.loads(again.read_text())["tests"] == written["tests"]
    assert "r.docx" in mcsvm("compare", IRIS, "--report", tmp_path / "r.docx").complaint
