"""Why a row is decided so, in the window as by the command: values, the smallest change, all rows, files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from journeys.hand import Hand
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QSlider, QTableView, QTabWidget, QWidget

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow

HOSTILE = "=cmd()<b>{x}"


def files(folder: Path) -> tuple[Path, Path]:
    """Wine, every third row to test on; a column and a class of hostile names."""
    table = pd.read_csv(resources.dataset("wine"))
    table = table.rename(columns={"alcohol": HOSTILE})
    table["label"] = table["label"].map({1: "=1+1", 2: "<b>two", 3: "three {x}"})
    tested = np.arange(len(table)) % 3 == 0
    table[~tested].to_csv(folder / "train.csv", index=False)
    table[tested].to_csv(folder / "test.csv", index=False)
    return folder / "train.csv", folder / "test.csv"


def trained(hand: Hand, folder: Path, *machines: str) -> tuple[Path, Path]:
    train, test = files(folder)
    hand.work.open_data(str(train))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.open_test(str(test))
    hand.wait(lambda: hand.work.test is not None)
    runs = hand.work.train([hand.work.base_request(machine=name, C=4.0, gamma=0.1) for name in machines])
    hand.wait(lambda: not hand.active)
    hand.select_runs(*runs)
    return train, test


def plot(hand: Hand, name: str) -> Any:
    return hand.find(QWidget, name)


def settled(hand: Hand) -> None:
    hand.wait(lambda: not hand.work.tasks.busy and not hand.text("explainProgress"))


def cells(view: QTableView) -> list[list[str]]:
    model = view.model()
    rows, columns = model.rowCount(QModelIndex()), model.columnCount(QModelIndex())
    return [[str(model.index(row, column).data()) for column in range(columns)] for row in range(rows)]


def test_a_row_is_explained_as_the_command_explains_it(
    open_window: Callable[[], Hand], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = open_window()
    train, test = trained(hand, tmp_path, "ww", "ovo")
    hand.go("Explain")
    hand.wait(lambda: bool(plot(hand, "shapleyPlot").bars))
    settled(hand)
    rows = hand.find(QTableView, "explainRowTable")
    assert rows.model().rowCount() == len(pd.read_csv(test))
    row = int(cells(rows)[0][0])
    bars = {bar.label.rpartition(" = ")[0]: bar.value for bar in plot(hand, "shapleyPlot").bars}
    model = tmp_path / "ww.mcsvm"
    save_model(hand, model)
    first, second = (hand.find(QComboBox, name).currentData() for name in ("explainForCombo", "explainAgainstCombo"))
    document = explained(capsys, model, test, row, "--training", train)
    assert document["rows"][0]["class"] == first
    ends = [document["outputs"].index(name) for name in (first, second)]
    values = np.array(document["rows"][0]["values"])
    told = dict(zip(document["columns"], values[:, ends[0]] - values[:, ends[1]], strict=True))
    assert len(bars) > 10
    for name, value in bars.items():
        if name:  # not that of all other columns
            assert value == pytest.approx(told[name], abs=1e-10)
    decision = document["rows"][0]["decision"]
    assert f"{decision[ends[0]] - decision[ends[1]]:.3g}" in hand.text("explainSentence")
    assert HOSTILE in bars or any("other column" in bar.label for bar in plot(hand, "shapleyPlot").bars)
    assert len(cells(hand.find(QTableView, "neighbourTable"))) > 3
    machines = hand.find(QTableView, "explainMachineTable")
    assert len(cells(machines)[0]) == 3
    hand.close()


def save_model(hand: Hand, path: Path) -> None:
    from mcsvm_gui.core.machine import model_file

    model_file.save(str(path), hand.runs.model(hand.runs.selected[0]))


def explained(capsys: pytest.CaptureFixture[str], model: Path, data: Path, row: int, *more: object) -> dict[str, Any]:
    capsys.readouterr()
    assert cli.main(["explain", str(model), str(data), "--rows", str(row), "--json", *map(str, more)]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_smallest_change_is_shown_and_is_what_the_model_says(
    open_window: Callable[[], Hand], tmp_path: Path
) -> None:
    hand = open_window()
    trained(hand, tmp_path, "cs")
    hand.go("Explain")
    settled(hand)
    hand.click("flipButton")
    hand.wait(lambda: bool(hand.text("flipWords")))
    table = hand.find(QTableView, "flipTable")
    changed = [line for line in cells(table) if line[2]]
    assert 0 < len(changed) <= 13
    assert f"{len(changed)} column" in hand.text("flipWords")
    model = table.model()
    model.setData(model.index(0, 0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert hand.text("flipWords") == ""
    fixed = changed[0][0]
    hand.click("flipButton")
    hand.wait(lambda: bool(hand.text("flipWords")))
    assert fixed not in [line[0] for line in cells(table) if line[2]]
    hand.close()


def test_all_rows_files_and_a_report(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    trained(hand, tmp_path, "ww")
    hand.go("Explain")
    settled(hand)
    tabs = hand.find(QTabWidget, "explainTabs")
    tabs.setCurrentIndex(1)
    hand.wait(lambda: bool(plot(hand, "permutationPlot").bars))
    settled(hand)
    assert len(plot(hand, "importancePlot").bars) == 12
    assert all(bar.interval is not None for bar in plot(hand, "permutationPlot").bars)
    assert len(plot(hand, "beeswarmPlot").swarms) == 10
    assert plot(hand, "dependencePlot").partner is not None
    hand.click("explainSaveButton")
    hand.answer_file(tmp_path / "values.csv")
    hand.wait((tmp_path / "values.csv").exists)
    header, *lines = csv.reader((tmp_path / "values.csv").read_text("utf-8").splitlines())
    assert f"'{HOSTILE}" in header
    assert len(lines) == 3 * len(cells(hand.find(QTableView, "explainRowTable")))
    presenter = hand.window.assembly.page("explain")
    presenter.write_report(str(tmp_path / "why.html"))
    hand.wait((tmp_path / "why.html").exists)
    settled(hand)
    text = (tmp_path / "why.html").read_text("utf-8")
    assert "<b>two" not in text
    assert "&lt;b&gt;two" in text
    assert "Shapley" in text
    hand.close()


def test_rows_are_found_by_their_cell_of_the_confusion(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    trained(hand, tmp_path, "ww", "llw")
    hand.go("Explain")
    settled(hand)
    table = hand.find(QTableView, "explainRowTable")
    every = cells(table)
    for true in ("=1+1", "<b>two"):
        hand.choose("explainTrueCombo", true)
        assert cells(table) == [line for line in every if line[2] == true]
    hand.choose("explainTrueCombo", "")
    hand.choose("explainWhichCombo", "wrong")
    assert cells(table) == [line for line in every if line[1] != line[2]]
    hand.choose("explainWhichCombo", "apart")
    settled(hand)
    apart = hand.window.assembly.page("explain")._opened
    assert len(cells(table)) == int((apart[0].decided != apart[1].decided).sum())
    hand.close()


def test_a_cell_of_the_confusion_and_a_disagreement_lead_to_their_rows(
    open_window: Callable[[], Hand], tmp_path: Path
) -> None:
    hand = open_window()
    trained(hand, tmp_path, "ww", "llw")
    hand.go("Compare")
    confusion = plot(hand, "confusionView")
    hand.wait(lambda: len(confusion.panels) == 2 and hand.find(QTableView, "disagreementTable").model() is not None)
    hand.wait(lambda: not hand.work.tasks.busy)
    table = confusion.panels[1].table
    counts = np.array([[int(cell) for cell in line[1:]] for line in cells(table)])
    names = [line[0] for line in cells(table)]
    true, decided = (int(at) for at in np.argwhere(counts > 0)[-1])
    table.doubleClicked.emit(table.model().index(true, decided + 1))
    explained = hand.find(QTableView, "explainRowTable")
    settled(hand)
    assert hand.find(QWidget, "explainPage").isVisible()
    assert len(cells(explained)) == counts[true, decided]
    assert {(line[1], line[2]) for line in cells(explained)} == {(names[decided], names[true])}
    assert hand.find(QComboBox, "explainRunCombo").currentData() == confusion.panels[1]._matrix.run
    hand.go("Compare")
    apart = hand.find(QTableView, "disagreementTable")
    page = plot(hand, "comparePage")
    page.tabs.setCurrentWidget(page.disagreements)
    hand.wait(lambda: apart.model().rowCount() > 0)
    last = apart.model().rowCount() - 1
    wanted = cells(apart)[last][0]
    apart.doubleClicked.emit(apart.model().index(last, 0))
    settled(hand)
    assert len(cells(explained)) == last + 1
    assert cells(explained)[explained.currentIndex().row()][0] == wanted
    hand.close()


@pytest.mark.parametrize("kernel", ["polynomial", "sigmoid"])
def test_kernels_without_a_product_have_values_and_changes(
    open_window: Callable[[], Hand], tmp_path: Path, kernel: str
) -> None:
    hand = open_window()
    train, _ = files(tmp_path)
    hand.work.open_data(str(train))
    hand.wait(lambda: hand.work.dataset is not None)
    more = {"degree": 2, "coef0": 1.0} if kernel == "polynomial" else {"gamma": 0.3}
    hand.work.train([hand.work.base_request(machine="ww", kernel=kernel, **more)])
    hand.wait(lambda: not hand.active)
    hand.go("Explain")
    hand.wait(lambda: "The bars add up" in hand.find(QLabel, "explainSentence").text())
    sampled = kernel == "sigmoid"
    assert ("They are sampled" in hand.text("explainSentence")) == sampled
    assert all((bar.interval is not None) == sampled for bar in plot(hand, "shapleyPlot").bars)
    hand.click("flipButton")
    hand.wait(lambda: "changed" in hand.text("flipWords"))
    hand.close()


def test_without_runs_the_page_says_what_to_do(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.go("Explain")
    assert "Train a machine" in hand.text("explainEmpty")
    hand.close()


def test_a_map_follows_the_sliders_and_clicks(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    trained(hand, tmp_path, "ww")
    hand.go("Explain")
    settled(hand)
    tabs = hand.find(QTabWidget, "explainTabs")
    tabs.setCurrentIndex(2)
    drawn = plot(hand, "mapPlot")
    hand.wait(lambda: drawn._frame is not None and not hand.work.tasks.busy)
    before = drawn._frame.codes.copy()
    slider = next(one for one in hand.find(QWidget, "mapSliders").findChildren(QSlider))
    slider.setValue(slider.maximum() if slider.value() < slider.maximum() // 2 else slider.minimum())
    hand.wait(lambda: not hand.work.tasks.busy)
    assert (drawn._frame.codes != before).any()
    panel = plot(hand, "explainMapPanel")
    panel.place_asked.emit(float(drawn._at[0]), float(drawn.shown.units[1, 1]))
    hand.wait(lambda: not hand.work.tasks.busy)
    assert drawn._at[1] == pytest.approx(drawn.shown.units[1, 1])
    hand.click("mapBackButton")
    hand.wait(lambda: not hand.work.tasks.busy)
    np.testing.assert_array_equal(drawn._frame.codes, before)
    for mode in ("parting", "mean"):
        hand.choose("mapModeCombo", mode)
        hand.wait(lambda mode=mode: drawn.shown.mode == mode and not hand.work.tasks.busy)
        assert drawn._frame is not None
    hand.close()
