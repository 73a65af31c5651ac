"""A reader, exporter, report format and plot, each added by one file (tests/toys) and one line, are everywhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import mcsvm
from journeys.hand import Hand
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from toys.plot import ToyPlot

from mcsvm_gui.core.data.form import reading_form
from mcsvm_gui.core.data.formats import READERS, Reader
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.export import EXPORTERS, Exporter
from mcsvm_gui.core.report import FORMATS, ReportFormat
from mcsvm_gui.ui.kit import file_dialogs
from mcsvm_gui.ui.shell import guide
from mcsvm_gui.ui.train import plot_grid

ROWS = 30


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "toy", Reader("toy", "Toy table", (".toy", ".toytable"), "toys.reader"))
    monkeypatch.setitem(EXPORTERS, "toy", Exporter("toy", "Toy model", (".toymodel",), "toys.exporter"))
    monkeypatch.setitem(FORMATS, ".toyreport", ReportFormat("toy", "Toy report", (".toyreport",), "toys.report"))
    monkeypatch.setattr(plot_grid, "LIVE_PLOTS", (*plot_grid.LIVE_PLOTS, ToyPlot))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    lines = [f"{row % 3}.{row % 7},{row % 5},{'abc'[row % 3]}" for row in range(ROWS)]
    path = tmp_path / "a.toy"
    path.write_text("toy\nx,y,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def model(data: Path, tmp_path: Path) -> Path:
    path = tmp_path / "a.mcsvm"
    assert mcsvm("train", data, "--kernel", "linear", "--model", path, "--quiet").code == 0
    return path


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    from mcsvm_gui.cli import main

    with pytest.raises(SystemExit):
        main([command, "--help"])
    return " ".join(capsys.readouterr().out.split())


# -- the command line -----------------------------------------------------------------------------


def test_the_help_of_the_command_line_names_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert "|xlsx|toy" in help_of("train", capsys).replace(" ", "")
    assert "|python|toy" in help_of("export", capsys).replace(" ", "")
    assert ".json, .toyreport" in help_of("report", capsys)


def test_error_sentences_name_them(data: Path, model: Path, tmp_path: Path) -> None:
    assert "xlsx, toy" in mcsvm("inspect", data, "--format", "doc").complaint
    assert "python, toy" in mcsvm("export", model, "--to", "doc", "-o", tmp_path / "a").complaint
    assert ".json, .toyreport" in mcsvm("compare", data, "--report", tmp_path / "a.doc").complaint
    (tmp_path / "a.bin").write_bytes(b"\x01\x02\x03" * 100)
    assert "Toy table" in mcsvm("inspect", tmp_path / "a.bin").complaint


def test_the_command_line_reads_with_the_toy_reader_and_exports_with_the_toy_exporter(
    data: Path, model: Path, tmp_path: Path
) -> None:
    found = json.loads(mcsvm("inspect", data, "--json").out)
    assert (found["format"], found["rows"], found["guesses"]) == ("toy", ROWS, [])
    other = data.rename(tmp_path / "a.csv")
    assert json.loads(mcsvm("inspect", other, "--json").out)["guesses"][0]["value"] == "toy"
    (tmp_path / "b.csv").write_text("x,label\n1,a\n2,b\n", encoding="utf-8")
    assert "this is no toy" in mcsvm("inspect", tmp_path / "b.csv", "--format", "toy").complaint
    assert mcsvm("export", model, "--to", "toy", "-o", tmp_path / "a.toymodel", "--check", other).code == 0
    assert (tmp_path / "a.toymodel").read_text() == "toy of 3 classes"


def test_the_command_line_writes_the_toy_report(data: Path, tmp_path: Path) -> None:
    report = tmp_path / "a.toyreport"
    options = "--machines", "ww,ova", "--kernel", "linear", "--folds", "2", "--report", report, "--quiet"
    assert mcsvm("compare", data, *options).code == 0
    assert report.read_text("utf-8").startswith("a toy of\n")


# -- the window -----------------------------------------------------------------------------------


def test_file_dialogs_forms_and_the_guide_name_them(data: Path) -> None:
    assert "*.toy *.toytable" in file_dialogs.filters("data")[0]
    dataset = open_dataset(data)
    fields = {field.option: field for field in reading_form(ReadOptions(), dataset)}
    assert ("toy", "Toy table") in [(answer.value, answer.text) for answer in fields["format"].answers]
    assert not fields["label"].reason
    assert "Toy table" in fields["separator"].reason
    text, _ = guide.read("en")
    assert all(title in text for title in ("Toy table", "Toy model", "Toy report"))


@pytest.mark.slow
def test_the_window_takes_reads_draws_and_writes_them(
    open_window: Callable[[], Hand],
    data: Path,
    tmp_path: Path,
) -> None:
    hand = open_window()
    hand.window.files_dropped.emit([str(data)])
    hand.wait(lambda: hand.work.dataset is not None)
    assert hand.work.dataset.format == "toy"
    hand.window.show_page("train")
    page = hand.window.pages["train"].page
    page.set_texts({**page.texts(), "kernel": "linear"})
    page.form_changed.emit()
    hand.click("startButton")
    hand.wait(lambda: [hand.runs.record(run).state for run in hand.runs.ids()] == ["done"])
    plot = hand.find(ToyPlot, "toyPlot")
    hand.wait(lambda: bool(plot._data))
    export_and_report(hand, tmp_path)


def export_and_report(hand: Hand, folder: Path) -> None:
    hand.window.show_page("predict")
    predict: Any = hand.window.assembly.page("predict")
    predict.use_selected_run()
    hand.wait(lambda: hand.window.findChild(QAction, "exportToyAction") is not None)
    assert "Toy model" in hand.find(QAction, "exportToyAction").text()
    predict.export("toy", str(folder / "a.toymodel"))
    hand.wait(lambda: (folder / "a.toymodel").is_file())
    hand.window.show_page("compare")
    hand.wait(lambda: any(a.text() == "Toy report" for m in hand.window.findChildren(QMenu) for a in m.actions()))
    hand.window.pages["compare"].page.report_asked.emit(str(folder / "a.toyreport"))
    hand.wait(lambda: (folder / "a.toyreport").is_file())


# -- the bundle -----------------------------------------------------------------------------------


def test_the_bundle_holds_what_the_tables_name(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).resolve().parents[2]
    monkeypatch.syspath_prepend(str(root / "packaging"))
    import bundle_contents

    named = [entry.module for table in (READERS, EXPORTERS, FORMATS) for entry in table.values() if entry.name != "toy"]
    assert set(named) <= set(bundle_contents.hidden(root))
    sys.modules.pop("bundle_contents")
