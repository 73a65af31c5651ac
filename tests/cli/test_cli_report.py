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


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("models")
    paths = [folder / f"{machine}.mcsvm" for machine in ("ova", "ovo")]
    for path in paths:
        done = mcsvm("train", IRIS, "--machine", path.stem, "--holdout", 0.3, "--model", path, "--json")
        path.with_suffix(".json").write_text(done.out)
    return paths


@pytest.mark.parametrize("suffix", FORMATS)
def test_models_become_a_report(suffix: str, models: list[Path], tmp_path: Path) -> None:
    out = tmp_path / f"out{suffix}"
    answer = mcsvm("report", *models, "-o", out, "--json")
    assert (answer.code, answer.document["files"]) == (0, list(map(str, models)))
    assert out.stat().st_size > 1000


def test_a_report_of_models_has_the_numbers_of_their_trainings(models: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    assert mcsvm("report", *models, "-o", out).code == 0
    told = [json.loads(path.with_suffix(".json").read_text()) for path in models]
    runs = json.loads(out.read_text())["runs"]
    assert [run["name"] for run in runs] == ["ova", "ovo"]
    for run, trained in zip(runs, told, strict=True):
        for name in ("test_accuracy", "train_accuracy", "n_test", "n_support", "certificate", "ending"):
            assert run["result"][name] == pytest.approx(trained[name]), name
    alone = tmp_path / "alone.md"
    assert mcsvm("report", models[0], "-o", alone).code == 0
    text = alone.read_text("utf-8")
    assert text.startswith("# ova\n")
    assert f"mcsvm train {IRIS} --holdout 0.3 --machine ova" in text


def test_a_model_whose_data_are_gone_is_reported_with_the_reason(tmp_path: Path) -> None:
    data, model, out = tmp_path / "d.csv", tmp_path / "m.mcsvm", tmp_path / "r.md"
    data.write_bytes(IRIS.read_bytes())
    assert mcsvm("train", data, "--holdout", 0.3, "--model", model).code == 0
    data.unlink()
    assert mcsvm("report", model, "-o", out).code == 0
    assert "there is no such file" in out.read_text("utf-8").replace("\\", "")


def test_results_that_were_kept_become_the_report_of_their_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another folder, and without training anything."""
    kept, direct, later = tmp_path / "kept", tmp_path / "direct.json", tmp_path / "later.json"
    monkeypatch.chdir(IRIS.parent)
    words = "compare", IRIS.name, "--machines", "ova,ovo", "--folds", 3, "--results", kept, "--report", direct
    assert mcsvm(*words).code == 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mcsvm_gui.core.experiment.running.Session", None)
    assert mcsvm("report", kept, "-o", later).code == 0
    first, second = (json.loads(path.read_text()) for path in (direct, later))
    assert first["tests"] == second["tests"]
    assert [run["test_accuracy"] for run in first["runs"]] == [run["test_accuracy"] for run in second["runs"]]
    assert not second["interrupted"]


def test_the_document_of_a_search_becomes_a_report(tmp_path: Path) -> None:
    found, out = tmp_path / "found.json", tmp_path / "out.json"
    found.write_text(mcsvm("tune", IRIS, "--machine", "ova", "--C", "1:4", "--gamma", "1", "--folds", 2, "--json").out)
    assert mcsvm("report", found, "-o", out).code == 0
    assert json.loads(out.read_text())["cells"] == json.loads(found.read_text())["cells"]


def test_files_that_do_not_go_together_are_refused(models: list[Path], project: Path, tmp_path: Path) -> None:
    out = "-o", tmp_path / "r.md"
    assert "a report takes one file, or several models" in mcsvm("report", project, models[0], *out).complaint
    assert "--run chooses runs of a project" in mcsvm("report", models[0], "--run", 1, *out).complaint
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    assert "this is no mcsvm project, model" in mcsvm("report", other, *out).complaint
    other.write_text('{"cells": [1], "best": 2, "folds": 3}')
    assert "no document of a search, or a damaged one" in mcsvm("report", other, *out).complaint
    other.write_text('{"mcsvm results": 1}\n')
    assert "does not say of which experiment it is" in mcsvm("report", other, *out).complaint
    assert [path.name for path in tmp_path.iterdir()] == ["other.json"]


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
