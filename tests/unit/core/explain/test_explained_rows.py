"""Values, flips, neighbours and importance in the columns of the file, against what the model says of changed files."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.explain.columns import dense
from mcsvm_gui.core.explain.explanation import Explanation, document, explain_rows, prepared_rows, table
from mcsvm_gui.core.explain.flips import flip_row
from mcsvm_gui.core.explain.looked_at import looked_at, one_row
from mcsvm_gui.core.explain.neighbours import neighbours
from mcsvm_gui.core.explain.overview import mean_absolute, partner, permuted
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel

HOSTILE = "=1+1<b>\u202e{x}"


def mixed_file(folder: Path, classes: int = 3) -> Dataset:
    """Numbers, whole numbers, a category, a constant column and one of a hostile name."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(5.0, 2.0, 90).round(3),
            "count": rng.integers(0, 9, 90),
            "colour": rng.choice(["red", "green", "=blue"], 90),
            HOSTILE: rng.normal(0.0, 50.0, 90).round(2),
            "constant": 7,
        }
    )
    score = frame["size"] + 0.5 * frame["count"] + 2.0 * (frame["colour"] == "red") + 0.02 * frame[HOSTILE]
    frame["class"] = pd.qcut(score, classes, labels=["low", "mid", "<high>"][:classes]).astype(str)
    path = folder / "mixed.csv"
    frame.to_csv(path, index=False)
    return open_dataset(str(path), ReadOptions(label="class"))


def model_of(dataset: Dataset, **asked: object) -> TrainedModel:
    request = Request(**{"machine": "ww", "C": 8.0, "gamma": 0.3, "data": dataset.name, **asked})  # type: ignore[arg-type]
    return train(request, dataset).trained


def explained_rows(trained: TrainedModel, dataset: Dataset, places: list[int], background: int = 12) -> Explanation:
    return explain_rows(trained, prepared_rows(trained, dataset, background), places)


def by_files(trained: TrainedModel, dataset: Dataset, place: int, background: Dataset) -> np.ndarray:
    """(columns, classes) from files in which some columns are the row's: all subsets, decided one after the other."""
    assert dataset.table is not None
    assert background.table is not None
    names = ["size", "count", "colour", HOSTILE]
    places = {column.name: number for number, column in enumerate(dataset.columns)}
    game = {}
    for size in range(5):
        for chosen in combinations(range(4), size):
            changed = background.table.copy()
            for column in chosen:
                at = places[names[column]]
                changed.isetitem(at, pd.Series([dataset.table.iloc[place, at]] * len(changed)))
            game[frozenset(chosen)] = trained.predictions(replace(background, table=changed)).scores.mean(axis=0)
    values = np.zeros((4, len(trained.class_names)))
    for members, value in game.items():
        for column in set(range(4)) - members:
            share = factorial(len(members)) * factorial(3 - len(members)) / 24.0
            values[column] += share * (game[members | {column}] - value)
    return values


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_column_of_the_file_is_one_player(tmp_path: Path, kernel: str, scale: str) -> None:
    dataset = mixed_file(tmp_path)
    request = Request(machine="cs", C=8.0, gamma=0.3, kernel=kernel, rules=replace(Request().rules, scale=scale))
    trained = train(request, dataset).trained
    data = prepared_rows(trained, dataset, 12)
    found = explain_rows(trained, data, [5])
    assert found.columns.names == ("size", "count", "colour", HOSTILE)
    drawn = [int(np.flatnonzero((data.rows == row).all(axis=1))[0]) for row in data.background]
    expected = by_files(trained, dataset, 5, dataset.take(drawn))
    np.testing.assert_allclose(found.values[0], expected, atol=1e-10)
    shown = [found.columns.shown(found.features[0], column) for column in range(4)]
    assert dataset.table is not None
    held = dataset.table.iloc[5]
    assert [float(shown[0]), float(shown[1]), shown[2]] == [
        pytest.approx(held["size"], rel=1e-3),
        held["count"],
        held["colour"],
    ]


@pytest.mark.parametrize("machine", ["ww", "ova", "ovo", "dag"])
def test_the_document_adds_up(tmp_path: Path, machine: str) -> None:
    dataset = mixed_file(tmp_path)
    trained = model_of(dataset, machine=machine)
    found = explained_rows(trained, dataset, [0, 7, 30])
    told = document(found)
    assert len(told["outputs"]) == 3
    for row in told["rows"]:
        sums = np.array(row["base"]) + np.array(row["values"]).sum(axis=0)
        np.testing.assert_allclose(sums, row["decision"], atol=1e-10)
        assert row["sum_error"] < 1e-10
        assert row["class"] == trained.decide(dataset)[row["row"] - 1]
    header, lines = table(found)
    assert header[-4:] == ["size", "count", "colour", HOSTILE]
    assert len(lines) == 9
    ends = [
        found.pair_ends(row, int(a), int(b))
        for row, (a, b) in enumerate(zip(found.winners, found.runners_up, strict=True))
    ]
    np.testing.assert_allclose(found.of_winners().sum(axis=1), [value - mean for mean, value in ends], atol=1e-10)


def test_two_classes_are_one_function(tmp_path: Path) -> None:
    dataset = mixed_file(tmp_path, 2)
    for machine in ("ww", "ova", "ovo"):
        told = document(explained_rows(model_of(dataset, machine=machine), dataset, [3]))
        assert told["outputs"] == ["mid / low"]
        decided = told["rows"][0]["decision"][0] > 0.0
        assert told["rows"][0]["class"] == ("mid" if decided else "low")


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_flips_are_rows_of_the_file_that_the_model_decides_so(tmp_path: Path, machine: str) -> None:
    dataset = mixed_file(tmp_path)
    trained = model_of(dataset, machine=machine)
    data, decided = prepared_rows(trained, dataset), trained.decide(dataset)
    assert dataset.table is not None
    for place in range(0, 90, 9):
        found = flip_row(trained, dataset, data, place)
        assert found.before == decided[place]
        changed = dataset.take([place])
        assert changed.table is not None
        moved = changed.table.copy()
        for change in found.changes:
            moved[change.column] = [change.after]
            held = dataset.table[change.column]
            assert change.column != "constant"
            if change.column == "colour":
                assert change.after in set(held)
            else:
                assert held.min() <= change.after <= held.max()
            assert change.column != "count" or change.after == round(float(change.after))
        assert trained.decide(replace(changed, table=moved))[0] == found.after != found.before


def test_fixed_columns_stay_and_a_class_can_be_wished_for(tmp_path: Path) -> None:
    dataset = mixed_file(tmp_path)
    trained = model_of(dataset)
    data = prepared_rows(trained, dataset)
    fixed = {"size", "colour"}
    found = flip_row(trained, dataset, data, 4, fixed)
    assert not fixed & {change.column for change in found.changes}
    none = flip_row(trained, dataset, data, 4, {"size", "count", "colour", HOSTILE})
    assert none.changes == ()
    assert none.why is not None
    wished = flip_row(trained, dataset, data, 4, to="<high>")
    assert wished.after in ("<high>", None)


def test_a_stop_before_the_first_row_is_done_leaves_nothing_to_show(tmp_path: Path) -> None:
    dataset = mixed_file(tmp_path)
    trained = model_of(dataset, kernel="sigmoid", gamma=0.1)
    of = looked_at(1, "ww", trained, dataset, dataset)
    assert one_row([of], 3, lambda share: True) is None
    found = one_row([of, of], 3)
    assert found is not None
    assert [name for name, _ in found.explained] == ["ww", "ww"]


def test_nearest_support_vectors_are_rows_of_the_training_file(tmp_path: Path) -> None:
    dataset = mixed_file(tmp_path)
    trained = model_of(dataset)
    data = prepared_rows(trained, dataset)
    near = neighbours(trained, data.rows[:1], 0, 1)
    assert [one.kernel for one in near] == sorted((one.kernel for one in near), reverse=True)
    assert dataset.table is not None
    assert dataset.labels is not None
    for one in near:
        row = dataset.table.iloc[one.row - 1]
        assert one.class_name == dataset.labels[one.row - 1]
        assert one.cells[2] == row["colour"]
        assert float(one.cells[1]) == row["count"]


def test_importance_is_by_columns_and_can_be_stopped(tmp_path: Path) -> None:
    dataset = mixed_file(tmp_path)
    trained = model_of(dataset)
    found = permuted(trained, dataset)
    assert found is not None
    assert found.columns == ("size", "count", "colour", HOSTILE)
    assert found.means[0] > 0.1
    assert (found.intervals[:, 0] <= found.means).all()
    assert (found.means <= found.intervals[:, 1]).all()
    assert permuted(trained, dataset, lambda: True) is None


def test_the_partner_of_a_column_is_the_one_it_acts_with() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(300, 4))
    values = numbers[:, 0] * numbers[:, 2]
    assert partner(values, numbers, 0) == 2
    assert partner(np.zeros(300), numbers, 0) is None
    assert mean_absolute(np.array([[1.0, -2.0], [-3.0, 0.0]])).tolist() == [2.0, 1.0]


def test_sparse_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40)) * (rng.random((60, 40)) < 0.1)
    X[:, :2] += 1.0
    y = (X[:, 0] + X[:, 1] > 2.0).astype(int)
    path = tmp_path / "sparse.libsvm"
    rows = (f"{c} " + " ".join(f"{j + 1}:{v:.6f}" for j, v in enumerate(row) if v) for c, row in zip(y, X, strict=True))
    path.write_text("\n".join(rows) + "\n")
    dataset = open_dataset(str(path), ReadOptions())
    trained = model_of(dataset)
    found = explained_rows(trained, dataset, [2, 3])
    assert sp.issparse(found.features) == sp.issparse(trained.model.points.rows)
    assert found.found.sum_errors.max() < 1e-10
    flip = flip_row(trained, dataset, prepared_rows(trained, dataset), 2)
    assert flip.after not in (None, flip.before)


def test_dates_texts_and_gaps_are_players_of_their_own(tmp_path: Path) -> None:
    """What there is no way back from is shown as the file has it, and stays as it is in a change."""
    rng = np.random.default_rng(1)
    size = rng.normal(size=80)
    frame = pd.DataFrame(
        {
            "size": size.round(3),
            "when": pd.date_range("2024-01-01", periods=80, freq="9D").strftime("%Y-%m-%d"),
            "note": [" ".join(rng.choice(["red", "green", "blue", "dull"], 3)) for _ in range(80)],
            "label": np.where(size + rng.normal(0.0, 0.5, 80) > 0.0, "yes", "no"),
        }
    )
    path = tmp_path / "mixed.csv"
    frame.to_csv(path, index=False)
    dataset = open_dataset(str(path), ReadOptions(label="label", text=("note",), dates=("when",)))
    trained = model_of(dataset)
    data = prepared_rows(trained, dataset)
    found = explain_rows(trained, data, [3, 4])
    assert set(found.columns.names) == {"size", "when", "note"}
    assert found.found.sum_errors.max() < 1e-10
    assert (np.abs(found.values).max(axis=(0, 2)) > 0.0).all()
    cells = found.columns.cells(dense(found.features[:1])[0], dataset, 3)
    shown = dict(zip(found.columns.names, cells, strict=True))
    assert shown["note"] == frame["note"][3]
    assert "2024" in shown["when"]
    assert float(shown["size"]) == pytest.approx(frame["size"][3], rel=1e-3)
    changed = flip_row(trained, dataset, data, 3)
    assert {change.column for change in changed.changes} <= {"size", "when"}
    assert changed.held == ("note",)


@pytest.mark.parametrize(("freq", "form"), [("9D", "%Y-%m-%d"), ("7h", "%Y-%m-%d %H:%M")])
@pytest.mark.parametrize("parts", [("since", "month-cycle", "weekday-cycle", "hour-cycle"), ("month-cycle", "hour")])
def test_dates_change_by_whole_days_or_hours_within_those_of_the_file(
    tmp_path: Path, freq: str, form: str, parts: tuple[str, ...]
) -> None:
    """Classes that nothing but the date tells apart."""
    when = pd.date_range("2024-01-01", periods=120, freq=freq)
    late = when.month > 6 if freq == "9D" else when.hour >= 12
    noise = np.random.default_rng(0).normal(size=120).round(2)
    frame = pd.DataFrame({"noise": noise, "when": when.strftime(form), "label": np.where(late, "b", "a")})
    path = tmp_path / "dates.csv"
    frame.to_csv(path, index=False)
    dataset = open_dataset(str(path), ReadOptions(label="label", dates=("when",)))
    trained = model_of(dataset, rules=Rules(date_parts=parts))
    data = prepared_rows(trained, dataset)
    found = [flip_row(trained, dataset, data, place, fixed=("noise",)) for place in range(0, 120, 10)]
    for place, flip in zip(range(0, 120, 10), found, strict=True):
        if flip.why is not None:
            continue
        (change,) = flip.changes
        assert change.column == "when"
        moved = pd.concat([frame.loc[[place]].assign(when=change.after), frame])
        assert when.min() <= pd.Timestamp(change.after) <= when.max()
        step = pd.Timestamp(change.after) - pd.Timestamp(change.before)
        assert step.total_seconds() % (86_400 if freq == "9D" else 3_600) == 0
        other = tmp_path / "moved.csv"
        moved.to_csv(other, index=False)
        again = open_dataset(str(other), ReadOptions(label="label", dates=("when",)))
        assert trained.decide(again)[0] == flip.after != flip.before
    assert sum(flip.why is None for flip in found) >= 11
    assert {change.column for change in flip_row(trained, dataset, data, 3, fixed=("when",)).changes} <= {"noise"}
