"""Is the best model any good? The answer on the Train page says it first, in numbers that are counted from the file."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from journeys.hand import Hand
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSpinBox, QTableView

from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.tune import best
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.badge import BadgeLabel
from tests import lab_files

pytestmark = pytest.mark.slow
Rows = list[tuple[list[float], str]]


def write(path: Path, rows: Rows) -> Path:
    width = len(rows[0][0])
    lines = [",".join([*(f"x{column}" for column in range(width)), "label"])]
    lines += [",".join([*map(repr, values), label]) for values, label in rows]
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return path


def labels_in(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [row["label"] for row in csv.DictReader(stream)]


def find_best(hand: Hand, data: Path, test: Path) -> None:
    hand.work.open_data(str(data), None, str(test))
    hand.wait(lambda: hand.work.dataset is not None and hand.work.test is not None and not hand.work.tasks.busy)
    search(hand)


def search(hand: Hand) -> None:
    """Find the best model of the open data, and wait for the answer."""
    hand.go("Train")
    hand.find(QSpinBox, "bestBudgetSpin").setValue(600)
    hand.click("findBestButton")
    hand.wait(lambda: hand.text("conclusionLabel").startswith(("Best model", "No model", "This model")), 120_000)
    hand.wait(lambda: not hand.active and not hand.work.tasks.busy)


def said(hand: Hand) -> str:
    return hand.text("conclusionLabel").replace("\u202f", "").replace(" %", "%")


def predicted(hand: Hand, test: Path) -> list[str]:
    """What the model of the answer says of the test rows."""
    board = hand.find(QTableView, "leaderboard")
    first = board.runs.shown()[0]  # type: ignore[attr-defined]
    assert f"({hand.runs.record(first).name})" in hand.text("conclusionLabel"), "the answer is about the first row"
    labels: list[str] = hand.runs.model(first).predictions(open_dataset(str(test))).labels.tolist()
    return labels


def right(hand: Hand, test: Path) -> int:
    return sum(a == b for a, b in zip(predicted(hand, test), labels_in(test), strict=True))


def table(random: np.random.Generator, counts: dict[str, int], spread: float) -> Rows:
    """Classes on a line, two columns."""
    places = {name: float(2 * number) for number, name in enumerate(counts)}
    return [
        ([places[name] + spread * float(random.normal()), float(random.normal())], name)
        for name, count in counts.items()
        for _ in range(count)
    ]


def test_random_labels_get_no_praise(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(best, "STEP", 7.0)
    random = np.random.default_rng(5)
    rows = [(random.normal(size=3).tolist(), "abc"[number % 3]) for number in range(60)]
    data, test = write(tmp_path / "dice.csv", rows[:39]), write(tmp_path / "dice_test.csv", rows[39:])
    hand = open_window()
    find_best(hand, data, test)
    words = said(hand)
    assert words.startswith("No model is better than guessing.")
    count = Counter(labels_in(test))["a"]
    assert f"gives {100 * count / 21:.1f}%" in words
    assert f"{100 * right(hand, test) / 21:.1f}% test accuracy" in words
    badge = hand.find(BadgeLabel, "qualityLabel")
    assert (badge.kind, badge.text()) == ("useless", "No better than guessing")
    assert not hand.find(QPushButton, "useBestButton").isVisible()
    certificate = hand.find(BadgeLabel, "certificateLabel")
    assert certificate.kind == "solved"
    assert certificate._colour() != theme.current().good, "the optimum says nothing about new rows"
    hand.close()


def test_a_class_that_is_never_recognised_is_named(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rows of c equal rows of b, so that no machine can predict it; the measure is the one for unequal classes."""
    monkeypatch.setattr(best, "STEP", 7.0)
    random = np.random.default_rng(1)

    def draw(a: int, b: int, c: int) -> Rows:
        return [*table(random, {"a": a}, 0.3), *[([2.0, 0.0], "b")] * b, *[([2.0, 0.0], "c")] * c]

    data, test = write(tmp_path / "dead.csv", draw(120, 60, 6)), write(tmp_path / "dead_test.csv", draw(80, 40, 7))
    hand = open_window()
    find_best(hand, data, test)
    assert hand.find(QComboBox, "bestScoreCombo").currentData() == "balanced-accuracy", "20 to 1"
    told, true = predicted(hand, test), labels_in(test)
    recalls = [
        np.mean([a == name for a, b in zip(told, true, strict=True) if b == name]) for name in dict.fromkeys(true)
    ]
    words = said(hand)
    assert f"{100 * np.mean(recalls):.1f}% balanced test accuracy" in words
    assert "guessing gives 33.3%" in words
    assert recalls[2] == 0.0
    assert re.search(r"Class “c” is never predicted.*0 of 7 test rows", ". ".join(words.split(". ")[:2]))
    assert hand.find(BadgeLabel, "qualityLabel").kind == "doubtful"
    hand.close()


def test_a_leak_between_folds_is_told(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every sample is measured ten times; the classes of the samples are random, so that folds know their test rows."""
    monkeypatch.setattr(best, "STEP", 7.0)
    random = np.random.default_rng(2)

    def draw(samples: int) -> Rows:
        found: Rows = []
        for number in range(samples):
            place = 10.0 * random.normal(size=3)
            found += [((place + 0.01 * random.normal(size=3)).tolist(), "ab"[number % 2]) for _ in range(10)]
        return found

    data, test = write(tmp_path / "leak.csv", draw(20)), write(tmp_path / "leak_test.csv", draw(12))
    hand = open_window()
    find_best(hand, data, test)
    words = said(hand)
    share = right(hand, test) / 120
    assert share < 0.75
    assert f"{100 * share:.1f}% test accuracy" in words or f"{100 * share:.0f}% test accuracy" in words
    if words.startswith("Best model"):
        assert "Cross-validation promised" in words.split(". ")[1]
    else:
        assert "Cross-validation promised" in words
    assert "role “group”" in words
    hand.close()


def test_groups_on_both_sides_of_the_split_are_told(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rows of one patient are alike, and all patients are in training and test: 100% says nothing about new ones."""
    monkeypatch.setattr(best, "STEP", 7.0)
    hand = open_window()
    hand.work.open_data(str(lab_files.leaking_groups(groups=20, each=8).write(tmp_path / "patients.csv")))
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy)
    search(hand)
    assert re.search(r"too optimistic: column “patient” looks like groups", said(hand).split(". ")[1])
    badge = hand.find(BadgeLabel, "qualityLabel")
    assert (badge.kind, badge.text()) == ("doubtful", "Check this result")
    hand.close()


def test_the_best_so_far_never_falls(
    open_window: Callable[[], Hand], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(best, "STEP", 4.0)
    random = np.random.default_rng(4)
    data = write(tmp_path / "many.csv", table(random, {"a": 250, "b": 250, "c": 250}, 0.9))
    test = write(tmp_path / "test.csv", table(random, {"a": 20, "b": 20, "c": 20}, 0.9))
    hand = open_window()
    heard: list[str] = []
    label = hand.find(QLabel, "conclusionLabel")
    plain = label.setText

    def listen(text: str) -> None:
        heard.append(text)
        plain(text)

    monkeypatch.setattr(label, "setText", listen)
    monkeypatch.setattr("mcsvm_gui.ui.train.find_best.SAID_EVERY", 0.0)
    find_best(hand, data, test)
    found = [re.search(r"best so far \w+ ([\d.]+)\s*%? \((\d) folds", text.replace("\u202f", "")) for text in heard]
    shares = [float(one.group(1)) for one in found if one]
    assert len(shares) > 3, heard
    assert shares == sorted(shares)
    assert {one.group(2) for one in found if one} == {"5"}
    hand.close()


def test_simple_methods_are_compared_with_the_best_model_on_its_rows(
    open_window: Callable[[], Hand], tmp_path: Path
) -> None:
    """scikit-learn's methods are the oracle; the form asks for another machine than the one that was trained."""
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import MinMaxScaler

    random = np.random.default_rng(9)
    rows, tested = (table(random, {"a": count, "b": count, "c": count // 2}, 1.2) for count in (60, 40))
    data, test = write(tmp_path / "rows.csv", rows), write(tmp_path / "rows_test.csv", tested)
    X, X_test = (np.array([values for values, _ in part]) for part in (rows, tested))
    y, y_test = (np.array([label for _, label in part]) for part in (rows, tested))
    scaler = MinMaxScaler((-1, 1)).fit(X)
    nearest = KNeighborsClassifier(5).fit(scaler.transform(X), y).score(scaler.transform(X_test), y_test)
    hand = open_window()
    hand.work.open_data(str(data), None, str(test))
    hand.wait(lambda: hand.work.dataset is not None and hand.work.test is not None and not hand.work.tasks.busy)
    hand.go("Train")
    hand.click("startButton")
    hand.wait(lambda: bool(hand.text("conclusionLabel")) and not hand.active and not hand.work.tasks.busy)
    hand.choose("machineCombo", "llw")
    hand.type("costEdit", "0.001")
    hand.click("baselinesButton")
    board = hand.find(QTableView, "leaderboard")
    hand.wait(lambda: board.model().rowCount() == 4)
    hand.wait(lambda: not hand.active and not hand.work.tasks.busy)
    names = [column.name for column in board.runs.columns]  # type: ignore[attr-defined]
    model = board.model()

    def cell(row: int, column: str) -> str:
        return str(model.index(row, names.index(column)).data())

    found = {cell(row, "machine"): (cell(row, "test_accuracy"), cell(row, "interval")) for row in range(4)}
    assert found["Majority class"][0] == "40.0%"
    assert found["Nearest neighbours"][0] == f"{100 * nearest:.1f}%"
    assert all("–" in interval for _, interval in found.values())  # noqa: RUF001
    assert len(hand.runs.ids()) == 1, "simple methods are no runs"
    checks = " ".join(label.text() for label in hand.window.pages["train"].page.checks.findChildren(QLabel))
    assert f"Nearest neighbours {100 * nearest:.1f}%" in checks
    hand.close()
    again = open_window()
    again.go("Train")
    again.wait(lambda: again.find(QTableView, "leaderboard").model().rowCount() == 4)
    again.close()
