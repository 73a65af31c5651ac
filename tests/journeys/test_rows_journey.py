"""A row is the same row on every page: its number in the file, its name, and whether the model was trained on it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from journeys.hand import Hand
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QCheckBox, QListWidget, QTableView

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.options import ReadOptions
from tests import lab_files
from tests.lab_files import LabFile

pytestmark = pytest.mark.slow


def cells(view: QTableView) -> list[list[str]]:
    model = view.model()
    rows, columns = model.rowCount(QModelIndex()), model.columnCount(QModelIndex())
    return [[str(model.index(row, column).data()) for column in range(columns)] for row in range(rows)]


def headings(view: QTableView) -> list[str]:
    model = view.model()
    across = Qt.Orientation.Horizontal
    return [str(model.headerData(column, across)) for column in range(model.columnCount(QModelIndex()))]


def trained(hand: Hand, path: Path, read: ReadOptions, *machines: str, cost: float = 1.0) -> list[int]:
    hand.work.open_data(str(path), read)
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy)
    requests = [hand.work.base_request(machine=name, C=cost) for name in machines]
    runs = hand.work.train(requests)
    hand.wait(lambda: not hand.active)
    hand.select_runs(*runs)
    return runs


def held_out(hand: Hand, run: int) -> set[str]:
    """Sample ids of the rows that were tested on."""
    from mcsvm_gui.core.compare.tested_runs import RowCache

    rows = RowCache().rows_of(hand.runs.record(run).request, None)
    return set(rows.tested.row_names["sample_id"].tolist())


@pytest.fixture
def lab() -> LabFile:
    return lab_files.spectra(rows=150, points=6, missing=0, seed=3)


READ = ReadOptions(drop=("date",), names=("sample_id",), groups="batch")


def settled(hand: Hand) -> None:
    hand.wait(lambda: not hand.work.tasks.busy and not hand.text("explainProgress"))


def test_explain_names_the_rows_of_the_file(open_window: Callable[[], Hand], tmp_path: Path, lab: LabFile) -> None:
    hand = open_window()
    runs = trained(hand, lab.write(tmp_path / "lab.csv"), READ, "ww", "ova")
    tested = held_out(hand, runs[0])
    hand.go("Explain")
    hand.wait(lambda: bool(cells(hand.find(QTableView, "explainRowTable"))))
    settled(hand)
    view = hand.find(QTableView, "explainRowTable")
    assert headings(view)[:2] == ["Row", "sample_id"]
    shown = cells(view)
    assert {line[1] for line in shown} == tested
    for line in shown:
        number = int(line[0])
        assert line[1] == lab.columns["sample_id"][number - 1]
        assert line[3] == lab.labels[number - 1]
    first = int(shown[0][0])
    assert hand.text("explainSentence").startswith(f"Row {first} (S-{first:04d}): ")
    near = hand.find(QTableView, "neighbourTable")
    assert headings(near)[:2] == ["Training row", "sample_id"]
    for line in cells(near):
        number = int(line[0])
        assert line[1] == f"S-{number:04d}"
        assert line[1] not in tested
        assert line[2] == lab.labels[number - 1]
        value = lab.columns["A_900nm"][number - 1]
        assert float(line[5]) == pytest.approx(value, rel=1e-3)
    report = tmp_path / "row.html"
    hand.window.assembly.page("explain").write_report(str(report))
    hand.wait(report.exists)
    assert f"Row {first} (S-{first:04d}) of" in report.read_text("utf-8")
    values = tmp_path / "values.csv"
    hand.window.assembly.page("explain").save_values(str(values))
    hand.wait(values.exists)
    rows = list(csv.DictReader(values.read_text("utf-8").splitlines()))
    assert {(row["row"], row["sample_id"]) for row in rows} == {(str(first), f"S-{first:04d}")}
    hand.close()


def test_the_example_of_wine_explains_a_wine_of_its_class(open_window: Callable[[], Hand]) -> None:
    """Rows of a file without names go by their number alone."""
    hand = open_window()
    wine = pd.read_csv(resources.dataset("wine"))
    hand.work.open_data(str(resources.dataset("wine")))
    hand.wait(lambda: hand.work.dataset is not None)
    runs = hand.work.train([hand.work.base_request(machine="ww", C=0.05)])
    hand.wait(lambda: not hand.active)
    hand.select_runs(*runs)
    hand.go("Explain")
    hand.wait(lambda: bool(cells(hand.find(QTableView, "explainRowTable"))))
    settled(hand)
    shown = cells(hand.find(QTableView, "explainRowTable"))
    assert all(str(wine["label"][int(line[0]) - 1]) == line[2] for line in shown)
    assert max(int(line[0]) for line in shown) > len(shown), "numbers of the held-out part alone would end there"
    hand.close()


def test_predict_tells_which_rows_were_trained_on(
    open_window: Callable[[], Hand], tmp_path: Path, lab: LabFile
) -> None:
    hand = open_window()
    runs = trained(hand, lab.write(tmp_path / "lab.csv"), READ, "ww", cost=100.0)
    tested = held_out(hand, runs[0])
    hand.go("Predict")
    hand.click("modelOfRunButton")
    hand.click("predictOpenDataButton")
    view = hand.find(QTableView, "predictTable")
    hand.wait(view.isVisible)
    assert headings(view) == ["Row", "sample_id", "Prediction", "True class"]
    shown = cells(view)
    assert [line[:2] + line[3:] for line in shown] == [
        [str(number), f"S-{number:04d}", label] for number, label in enumerate(lab.labels, 1)
    ]
    right = [line[2] == line[3] for line in shown if line[1] in tested]
    accuracy = f"{100 * sum(right) / len(right):.1f}%"
    used = lab.rows - len(tested)
    expected = (
        f"{used} of these {lab.rows} rows were used for training. Accuracy on the other {len(tested)}: {accuracy}."
    )
    assert hand.text("predictResult").replace("\u202f", " ") == expected
    every = 100 * sum(line[2] == line[3] for line in shown) / lab.rows
    words = hand.text("predictScores").replace("\u202f", " ")
    assert f"training rows included: {every:.1f}%" in words
    assert "did not have" not in hand.text("predictNotice")
    hand.find(QCheckBox, "predictScoresCheck").click()
    assert headings(view)[4:] == sorted(set(lab.labels))
    target = tmp_path / "p.csv"
    hand.window.assembly.page("predict").save(str(target))
    hand.wait(target.exists)
    saved = list(csv.DictReader(target.read_text("utf-8").splitlines()))
    assert [[row["row"], row["sample_id"], row["prediction"]] for row in saved] == [line[:3] for line in shown]
    hand.close()


def test_columns_of_the_file_are_chosen_to_be_saved_with_the_predictions(
    open_window: Callable[[], Hand], tmp_path: Path, lab: LabFile
) -> None:
    """For the data of the project and for a file of its own, in the table and in the saved CSV."""
    hand = open_window()
    path = lab.write(tmp_path / "lab.csv")
    trained(hand, path, READ, "ww", cost=100.0)
    hand.go("Predict")
    hand.click("modelOfRunButton")
    hand.click("predictOpenDataButton")
    view = hand.find(QTableView, "predictTable")
    hand.wait(view.isVisible)

    def choose(*names: str) -> list[str]:
        hand.click("predictColumnsButton")
        items = hand.find(QListWidget, "columnsDialogList")
        offered = [items.item(row).text() for row in range(items.count())]
        for row, name in enumerate(offered):
            state = Qt.CheckState.Checked if name in names else Qt.CheckState.Unchecked
            items.item(row).setCheckState(state)
        hand.click("applyChoiceButton")
        hand.wait(lambda: headings(view)[2 : 2 + len(names)] == list(names))
        return offered

    offered = choose("date", "batch")
    assert sorted(offered) == sorted(name for name in lab.columns if name != "sample_id")
    expected = [[str(cell) for cell in line] for line in zip(lab.columns["date"], lab.columns["batch"], strict=True)]
    assert [line[2:4] for line in cells(view)] == expected
    target = tmp_path / "p.csv"
    hand.window.assembly.page("predict").save(str(target))
    hand.wait(target.exists)
    saved = list(csv.DictReader(target.read_text("utf-8").splitlines()))
    assert [[row["date"], row["batch"]] for row in saved] == expected
    assert list(saved[0])[:5] == ["row", "sample_id", "date", "batch", "prediction"]
    other = lab.without("date").taken(range(10)).write(tmp_path / "other.csv")
    hand.window.assembly.page("predict").open_data(str(other))
    hand.wait(lambda: headings(view)[:4] == ["Row", "sample_id", "batch", "Prediction"])
    assert [line[2] for line in cells(view)] == [str(cell) for cell in lab.columns["batch"][:10]]
    hand.close()


def test_disagreements_name_the_rows_of_the_file(open_window: Callable[[], Hand], tmp_path: Path, lab: LabFile) -> None:
    hand = open_window()
    runs = trained(hand, lab.write(tmp_path / "lab.csv"), READ, "ww", "ova", "dag", cost=0.05)
    tested = held_out(hand, runs[0])
    hand.go("Compare")
    view = hand.find(QTableView, "disagreementTable")
    hand.wait(lambda: bool(cells(view)))
    assert headings(view)[:3] == ["Row", "sample_id", "True class"]
    for line in cells(view):
        number = int(line[0])
        assert line[1] == f"S-{number:04d}"
        assert line[1] in tested
        assert line[2] == lab.labels[number - 1]
    hand.close()
