"""Projects of an earlier version: models, searches and reports open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from mcsvm_gui.cli import main
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.machine import sources
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.tune.cells import conditions
from mcsvm_gui.core.tune.form import DEFAULTS, read_form
from mcsvm_gui.ui.runs.cells import CellCollection
from mcsvm_gui.ui.runs.collection import RunCollection
from mcsvm_gui.ui.threads.queue import JobQueue

FOLDER = Path(__file__).parent
MACHINES = "ww", "cs", "llw", "ova", "ovo", "dag", "adm", "atm", "ats", "mmr"
SEARCHED = {"folds": "3", "C_from": "1", "C_to": "2^4", "gamma_from": "2^-4", "gamma_to": "1"}
SEARCHES = {  # what was entered, and how many cells were kept of it
    "nested": ({"machines": "ww,ovo", "nested": "1"}, 18),
    "per pair": ({"machines": "ovo", "search": "per-pair"}, 9),
    "linear": ({"machines": "llw", "kernel": "linear"}, 3),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files keep the data's name as it was given: from where the samples lie."""
    monkeypatch.chdir(resources.dataset("iris").parent)
    return Path(shutil.copy(FOLDER / "project_schema_1.mcsvmproj", tmp_path))


def test_runs_are_read_as_they_were_kept(project: Path) -> None:
    store = ProjectStore(project)
    records = store.records()
    store.close()
    assert [record.request.machine for record in records[:10]] == list(MACHINES)
    assert [record.state for record in records].count("failed") == 1
    assert "nobody" in str(records[15].error)
    assert [record.ending for record in records if record.ending != "converged"] == ["stalled", None, "step limit"]
    assert {record.request.kernel for record in records} == {"rbf", "linear", "polynomial", "sigmoid"}
    assert records[14].request.class_weight == (("setosa", 2.0),)


def test_models_are_verified_predict_and_are_exported(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ProjectStore(project)
    models = {record.id: store.part(record.id, "model") for record in store.records() if record.state == "done"}
    store.close()
    assert len(models) == 16
    model, scores = tmp_path / "old.mcsvm", tmp_path / "scores.csv"
    for content in models.values():
        assert content is not None
        model.write_bytes(content)
        assert main(["predict", str(model), "iris.csv", "--quiet", "--output", str(scores)]) == 0
        assert scores.read_text("utf-8").count("\n") >= 151
        assert main(["export", str(model), "--to", "json", "--quiet", "--output", str(tmp_path / "old.json")]) == 0
    model.write_bytes(models[1] or b"")
    assert main(["verify", str(model), "iris.csv", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", SEARCHES)
def test_cells_of_searches_are_known(name: str, project: Path, qtbot: QtBot) -> None:
    texts, kept = SEARCHES[name]
    entered = read_form({**DEFAULTS, **SEARCHED, **texts})
    assert entered.wanted is not None
    dataset = sources.open_dataset("iris.csv")
    asked = conditions(Request(data="iris.csv", digest=dataset.digest, **entered.values), entered.wanted)
    runs = RunCollection(JobQueue(), ProjectStore(project))
    cells = CellCollection(runs)
    qtbot.waitUntil(lambda: runs.loaded, timeout=20_000)
    qtbot.waitUntil(lambda: cells.ready(asked), timeout=20_000)
    assert len(cells.of(asked)) == kept
    assert all(len(result.by_fold) == 3 for result in cells.of(asked).values())
    assert runs.close()


@pytest.mark.slow
def test_a_report_of_it_is_written(project: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.md"
    assert main(["report", str(project), "--output", str(page), "--quiet"]) == 0
    text = page.read_text("utf-8")
    assert all(f"{machine} {number}" in text for number, machine in enumerate(MACHINES, 1))
