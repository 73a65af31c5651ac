"""What the page of a training shows: one time left, curves that stay as they were, and classes without test rows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from journeys.hand import Hand
from PySide6.QtWidgets import QLabel, QTableView, QWidget
from sklearn.metrics import f1_score

from mcsvm_gui.core.data.readers import open_dataset

pytestmark = pytest.mark.slow


def write(path: Path, counts: dict[str, int], seed: int, spread: float = 1.5, apart: float = 1.0) -> Path:
    """Clouds; they overlap unless they are far apart, so that a training with a large C takes a while."""
    random = np.random.default_rng(seed)
    lines = ["x,y,z,label"]
    for place, (name, count) in enumerate(counts.items()):
        points = random.normal(size=(count, 3)) * spread + np.array([apart * place**2, place % 2, 0.0])
        lines += [",".join([*(f"{value:.6f}" for value in point), name]) for point in points.tolist()]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def lines_of(hand: Hand, plot: str, run: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    shown: Any = hand.find(QWidget, plot)
    return {kind: (x.copy(), y.copy()) for (of, kind), (x, y) in shown._data.items() if of == run}


def begin(hand: Hand, path: Path, machine: str) -> int:
    """Start a training of some seconds."""
    hand.work.open_data(str(path))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.choose("machineCombo", machine)
    hand.type("costEdit", "2000")
    hand.type("gammaEdit", "2")
    hand.click("startButton")
    hand.wait(lambda: bool(hand.runs.ids()))
    return int(hand.runs.ids()[-1])


def test_curves_stay_as_they_were_when_the_training_ends(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    """Its violation became another line, which rose, and the lines of classes ended halfway."""
    hand = open_window()
    run = begin(hand, write(tmp_path / "slow.csv", dict.fromkeys("abcd", 1000), 1), "ovo")
    snapshots: list[tuple[np.ndarray, np.ndarray]] = []

    def look() -> bool:
        line = lines_of(hand, "violationPlot", run).get("violation")
        if line is not None and line[0].size and (not snapshots or snapshots[-1][0].size != line[0].size):
            snapshots.append(line)
        return not hand.active

    hand.wait(look, 120_000)
    hand.wait(lambda: hand.runs.record(run).document is not None and not hand.work.tasks.busy)
    assert len(snapshots) > 2, "else nothing was seen of it"

    def never_rises() -> bool:
        """Whether the violation that is still left never rises, in the plot of the training that has ended."""
        return bool((np.diff(lines_of(hand, "violationPlot", run)["violation"][1]) <= 1e-12).all())

    hand.wait(never_rises)  # the plot is drawn again a moment after the end
    x, y = lines_of(hand, "violationPlot", run)["violation"]
    document = hand.runs.record(run).document
    assert document is not None
    compared = 0
    for seen_x, seen_y in snapshots[:-1]:
        above = np.isin(seen_x, x) & (seen_y > document["certificate"]["violation"])  # the largest of all pairs
        above[-1] = False  # the last sample is replaced by the next
        assert np.allclose(np.interp(seen_x[above], x, y), seen_y[above], rtol=1e-9), "what was drawn has not changed"
        compared += int(above.sum())
    assert compared > 0
    lines = lines_of(hand, "supportPlot", run)
    ends = {kind: line[0][-1] for kind, line in lines.items() if line[0].size}
    assert {kind for kind in ends if kind.startswith("class")} == {f"class {number}" for number in range(4)}
    assert set(ends.values()) == {ends["support"]}, "lines of classes reach the end"
    hand.close()


def test_card_and_job_show_the_same_time_left(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    run = begin(hand, write(tmp_path / "slow.csv", dict.fromkeys("abcd", 2000), 1), "ww")
    hand.wait(lambda: hand.window.findChild(QWidget, f"job{run}") is not None)
    card = hand.find(QLabel, "resultLabel")
    pairs: list[list[str]] = []

    def look() -> bool:
        row = hand.window.findChild(QWidget, f"job{run}")  # the list of jobs may be built anew at any time
        if row is None:
            return not hand.active
        texts = card.text(), " ".join(label.text() for label in row.findChildren(QLabel))
        found = [re.findall(r"[^,;.]*\bleft\b", text) for text in texts]
        if all(found) and "not known" not in texts[0]:
            pairs.append([one[0].strip() for one in found])
        return len(pairs) > 5 or not hand.active

    hand.wait(look, 120_000)
    hand.work.queue.stop_all()
    hand.wait(lambda: not hand.active)
    assert len(pairs) > 5
    assert [pair for pair in pairs if not pair[1].endswith(pair[0][-12:])] == []
    hand.close()


def test_a_class_without_test_rows_has_no_scores(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    train = write(tmp_path / "train.csv", {"a": 60, "b": 60, "c": 20}, 2, spread=1.0, apart=3.0)
    test = write(tmp_path / "test.csv", {"a": 25, "b": 25}, 3, spread=1.0, apart=3.0)
    hand = open_window()
    hand.work.open_data(str(train), None, str(test))
    hand.wait(lambda: hand.work.test is not None and not hand.work.tasks.busy)
    hand.go("Train")
    hand.click("startButton")
    hand.wait(lambda: bool(hand.runs.ids()) and not hand.active)
    (run,) = hand.runs.ids()
    hand.select_runs(run)
    hand.go("Compare")
    view = hand.find(QTableView, "perClassTable")
    hand.wait(lambda: view.model() is not None and view.model().rowCount() == 4)
    model = view.model()
    shown = [[str(model.index(row, column).data()) for column in range(5)] for row in range(4)]
    by_class = {line[0]: line[1:] for line in shown}
    assert by_class["c"][:3] == ["–", "–", "–"]  # noqa: RUF001
    assert by_class["c"][3] == "0"
    rows = open_dataset(str(test))
    assert rows.labels is not None
    told = hand.runs.model(run).predictions(rows).labels.tolist()
    expected = f1_score(rows.labels.tolist(), told, labels=["a", "b"], average=None)
    assert [by_class[name][2] for name in "ab"] == [f"{value:.3f}" for value in expected]
    hand.close()
