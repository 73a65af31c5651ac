"""Chosen runs on their rows, the tables made of them, and the experiment that redoes them."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare import tested_runs as choosing
from mcsvm_gui.core.compare.measures import MEASURES
from mcsvm_gui.core.compare.result_table import Header, ResultTable, TableCell, order_of
from mcsvm_gui.core.compare.tables import ComparisonTables, comparison_tables
from mcsvm_gui.core.compare.tested_runs import RowCache, ScoredRun, decided, groups_of, measured, over_splits
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.machine.trained import TrainedModel
from tests import lab_files

NUMBERS = count(1)


def chosen_run(request: Request, library: RowCache) -> tuple[ScoredRun, Outcome]:
    outcome = train(request, open_dataset(str(request.data)))
    run = decided(
        next(NUMBERS), request, outcome.document, lambda: outcome.trained, lambda: library.rows_of(request, None)
    )
    return (run if run.rows is None else measured(run, outcome.trained)), outcome


def request(machine: str = "ww", **values: object) -> Request:
    path = str(example("glass"))
    return Request(machine=machine, data=path, digest=open_dataset(path).digest, **{"holdout": 0.4, **values})


def test_groups_that_training_and_test_share_are_found(tmp_path: Path) -> None:
    """By a random split, but not if groups are kept together, or if the test file has other patients."""
    lab = lab_files.leaking_groups(groups=20, each=8)
    path = str(lab.write(tmp_path / "lab.csv"))
    alike, new = (
        str(lab.taken(np.flatnonzero(known).tolist()).write(tmp_path / f"{name}.csv"))
        for name, known in (
            ("alike", np.arange(lab.rows) % 5 == 0),
            ("new", np.array([patient > "P015" for patient in lab.columns["patient"]])),
        )
    )
    old = str(
        lab.taken([row for row in range(lab.rows) if lab.columns["patient"][row] <= "P015"]).write(tmp_path / "old.csv")
    )

    def shared(data: str, test: str | None = None, **values: Any) -> tuple[str, ...]:
        rows = open_dataset(data, ReadOptions(**values))
        known = None if test is None else open_dataset(test, ReadOptions(**values))
        wanted = Request(data=data, digest=rows.digest, holdout=None if test else 0.3)
        return choosing.split_rows(wanted, rows, known).shared_groups

    assert shared(path) == ("patient",)
    assert shared(path, alike) == ("patient",)
    assert shared(path, groups="patient") == ()
    assert shared(path, drop=("patient",)) == ()
    assert shared(old, new) == ()


@pytest.fixture(scope="module")
def nine() -> list[tuple[ScoredRun, Outcome]]:
    """Three machines on three splits."""
    library = RowCache()
    return [chosen_run(request(name, seed=seed), library) for seed in (0, 1, 2) for name in ("ww", "llw", "ovo")]


@pytest.fixture(scope="module")
def seen(nine: list[tuple[ScoredRun, Outcome]]) -> ComparisonTables:
    return comparison_tables([run for run, _ in nine], {run.run: f"run {run.run}" for run, _ in nine})


def test_a_run_is_tested_on_the_rows_it_held_out(nine: list[tuple[ScoredRun, Outcome]]) -> None:
    for run, outcome in nine:
        assert run.side.scores is not None
        assert run.side.scores.accuracy == pytest.approx(outcome.document["test_accuracy"], abs=1e-15)
        assert run.side.decisions.size == outcome.document["n_test"]


def test_runs_of_one_split_are_one_group(nine: list[tuple[ScoredRun, Outcome]]) -> None:
    groups = groups_of([run for run, _ in nine])
    assert sorted({run.request.seed for run in group}.pop() for group in groups) == [0, 1, 2]
    assert [len(group) for group in groups] == [3, 3, 3]


def test_the_same_machines_over_several_splits_meet_in_a_corrected_t_test(
    nine: list[tuple[ScoredRun, Outcome]],
) -> None:
    scores = {
        name: np.array([doc.document["test_accuracy"] for run, doc in nine if run.request.machine == name])
        for name in ("ww", "llw", "ovo")
    }
    rows = nine[0][0].rows
    assert rows is not None
    for result in over_splits([run for run, _ in nine]):
        gaps = scores[result.between[0]] - scores[result.between[1]]
        spread = gaps.var(ddof=1) * (1 / 3 + rows.tested.rows / rows.training.rows)
        if spread > 0.0:
            expected = 2 * stats.t.sf(abs(gaps.mean()) / np.sqrt(spread), 2)
            assert result.p == pytest.approx(expected, rel=1e-9)
    assert len(over_splits([run for run, _ in nine])) == 3
    assert over_splits([run for run, _ in nine[:3]]) == ()


def test_rows_trained_on_give_no_scores() -> None:
    run, _ = chosen_run(request(holdout=None), RowCache())
    assert run.rows is not None
    assert run.side.scores is None
    assert run.side.decisions.size == run.rows.training.rows
    assert not run.tested


def test_a_file_that_changed_leaves_the_document_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(example("iris").read_text("utf-8"), "utf-8")
    asked = Request(data=str(path), digest=open_dataset(str(path)).digest, holdout=0.3)
    outcome = train(asked, open_dataset(str(path)))
    path.write_text(path.read_text("utf-8").replace("5.1", "5.2"), "utf-8")
    run = decided(1, asked, outcome.document, lambda: outcome.trained, lambda: RowCache().rows_of(asked, None))
    assert "changed" in run.trouble
    assert run.rows_key is None
    table = comparison_tables([run], {1: "alone"}).measures
    assert table.rows[table.keys.index("iterations")][1].value == outcome.document["iterations"]
    assert "accuracy" not in table.keys


def test_what_the_window_has_open_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = request()
    dataset = open_dataset(str(asked.data))
    monkeypatch.setattr(choosing.sources, "data_of", lambda request: pytest.fail("it was read again"))
    library = RowCache()
    assert library.rows_of(asked, dataset) is library.rows_of(asked, None)


# -- the tables -----------------------------------------------------------------------------------


def test_every_measure_that_is_known_has_a_row_and_its_values(nine: list, seen: ComparisonTables) -> None:
    for key, row in zip(seen.measures.keys, seen.measures.rows, strict=True):
        assert len(row) == 1 + len(nine)
        if key in MEASURES and key != "certificate":
            values = [MEASURES[key].value(run.side) for run, _ in nine]
            assert [cell.value for cell in row[1:]] == values
    assert {
        "accuracy",
        "balanced_accuracy",
        "macro_f1",
        "kappa",
        "seconds",
        "prediction",
        "n_support",
        "n_bounded",
    } <= {*seen.measures.keys}
    assert {key for key in seen.measures.keys if key.startswith("n_support ")} == {
        f"n_support {name}" for name in nine[0][1].document["classes"]
    }


def test_measures_that_are_alike_are_exactly_those_of_one_text(seen: ComparisonTables) -> None:
    alike = {
        key
        for key, row in zip(seen.measures.keys, seen.measures.rows, strict=True)
        if len({cell.text for cell in row[1:]}) == 1
    }
    assert seen.same == alike
    assert {"C", "kernel"} <= alike
    assert "machine" not in alike


def test_confusion_and_class_scores_are_scikit_learns(nine: list, seen: ComparisonTables) -> None:
    for number, (run, _) in enumerate(nine):
        assert run.rows is not None
        true, names = run.rows.tested.labels, list(run.side.document["classes"])
        matrix = seen.matrices[number]
        counts = [[cell.value for cell in row[1:]] for row in matrix.counts.rows]
        assert counts == confusion_matrix(true, run.side.decisions, labels=names).tolist()
        shares = np.array([[cell.value for cell in row[1:]] for row in matrix.shares.rows])
        tested = np.array(counts).sum(axis=1) > 0
        assert shares[tested].astype(float).sum(axis=1) == pytest.approx(1.0)
        assert all(value is None for value in shares[~tested].ravel())
        mine = [row for row in seen.per_class.rows if row[1].value == f"run {run.run}"]
        expected = precision_recall_fscore_support(true, run.side.decisions, labels=names, zero_division=0.0)
        marks = [mark for mark in seen.class_marks if mark.label == f"run {run.run}"]
        assert [(mark.name, mark.machine) for mark in marks] == [(name, run.request.machine) for name in names]
        assert [mark.f1 for mark in marks] == pytest.approx(
            [score if rows else None for score, rows in zip(expected[2], expected[3], strict=True)]
        )
        *mine, mean = mine
        for column in range(4):
            assert [row[2 + column].value for row in mine] == pytest.approx(list(expected[column]))
        macro = precision_recall_fscore_support(
            true, run.side.decisions, labels=names, average="macro", zero_division=0.0
        )
        assert [cell.value for cell in mean[2:5]] == pytest.approx(macro[:3])
        assert mean[0].text == f"Mean of {len(names)} classes"


def test_margins_of_pairs_add_up_to_the_total(nine: list, seen: ComparisonTables) -> None:
    for number, (run, _) in enumerate(nine):
        total = sum(row[2 + number].value for row in seen.margins.rows)
        assert total == pytest.approx(run.side.violations.total)


def test_rows_on_which_runs_disagree_are_listed_with_their_number_in_the_file(
    nine: list, seen: ComparisonTables
) -> None:
    group = groups_of([run for run, _ in nine])[0]
    _header, *data = example("glass").read_text("utf-8").splitlines()
    for row, place in zip(seen.disagreements.rows, map(int, seen.disagreements.keys), strict=True):
        assert [cell.value for cell in row[2:]] == [run.side.decisions[place] for run in group]
        assert len({cell.value for cell in row[2:]}) > 1
        cells = data[row[0].value - 1].split(",")
        assert cells[-1].strip() == row[1].value
        assert float(cells[0]) == group[0].rows.tested.table.iloc[place, 0]
        assert all((cell.sign == "wrong") == (cell.value != row[1].value) for cell in row[2:])
    expected = sum(len({run.side.decisions[row] for run in group}) > 1 for row in range(group[0].side.decisions.size))
    assert len(seen.disagreements.rows) == expected


def test_rows_that_one_run_dropped_do_not_tell_it_from_another(tmp_path: Path) -> None:
    lines = [line.split(",") for line in example("iris").read_text("utf-8").splitlines()]
    for number, cells in enumerate(lines[1:]):
        cells[0] = "" if number % 3 == 0 else cells[0]
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(map(",".join, lines)), "utf-8")
    library, asked = RowCache(), Request(data=str(path), holdout=0.4)
    runs = [chosen_run(replace(asked, rules=Rules(missing=way)), library)[0] for way in ("drop", "mean")]
    shown = comparison_tables(runs, {run.run: run.request.rules.missing for run in runs})
    decided_by_both = int(sum(label is not None for label in runs[0].side.decisions))
    assert 0 < decided_by_both < runs[1].side.decisions.size
    assert len(shown.disagreements.rows) < 5
    assert f"of {decided_by_both}. Rows left out" in shown.disagreement_words
    assert f"that both runs predicted, at least {decided_by_both}." in shown.test_words
    assert all(row[-1].value > 0.05 for row in shown.tests.rows)


def test_every_pair_on_the_same_rows_is_tested(seen: ComparisonTables) -> None:
    names = [row[2].text for row in seen.tests.rows]
    assert names.count("McNemar, exact") == 9
    assert names.count("Corrected resampled t") == 3
    assert len({row[3].text for row in seen.tests.rows}) > 1  # runs on several files: each test names its own
    titles = [str(header.title) for header in seen.tests.headings]
    conclusion, p, adjusted = (titles.index(title) for title in ("In words", "p", "p (Holm)"))
    for row in seen.tests.rows:
        assert row[p].value <= row[adjusted].value <= 1.0
        assert (row[conclusion].sign == "best") == (row[adjusted].value < 0.05)


VALUES = st.one_of(st.none(), st.integers(-9, 9), st.floats(-9, 9), st.text("abAB", max_size=3))


@given(st.lists(VALUES), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_column_sorts_and_what_is_not_known_comes_last(values: list, falling: bool) -> None:
    table = ResultTable((Header("x"),), tuple((TableCell(value, str(value)),) for value in values))
    order = order_of(table, 0, falling)
    assert sorted(order) == list(range(len(values)))
    ordered = [values[row] for row in order]
    known = [value for value in ordered if value is not None]
    assert ordered[len(known) :] == [None] * (len(values) - len(known))
    numbers = [value for value in known if not isinstance(value, str)]
    assert numbers == sorted(numbers, reverse=falling)
    texts = [value.casefold() for value in known if isinstance(value, str)]
    assert texts == sorted(texts, reverse=falling)


def test_a_model_that_cannot_be_read_is_said() -> None:
    def broken() -> TrainedModel:
        raise KeyError("there is no model")

    asked = request()
    run = decided(1, asked, {"classes": []}, broken, lambda: RowCache().rows_of(asked, None))
    assert "no model" in run.trouble
