"""Cells come back from the project as they were, under what they depend on and nothing else."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.scores import SCORES, WIDTH, Measured
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.cells import NO_CONDITION, conditions, document, read_cells
from mcsvm_gui.core.tune.search import TuneRequest

finite = st.floats(allow_nan=False, allow_infinity=False)
count = st.integers(0, 10**9)
pairs = st.dictionaries(st.tuples(count, count), st.tuples(count, count), max_size=3)
results = st.builds(
    FoldResult,
    accuracy=st.floats(0, 1),
    seconds=st.floats(0, 1e6),
    n_support=count,
    steps=count,
    ending=st.sampled_from(Ending),
    certificate=st.builds(Certificate, finite, finite, finite, finite),
    pairs=pairs,
)
positive = st.floats(2.0**-60, 2.0**60)
cells = st.builds(Cell, st.sampled_from(list(MACHINES)), positive, st.none() | positive)
kept = st.dictionaries(cells, st.dictionaries(st.integers(0, 99), results, min_size=1, max_size=3), max_size=3)
GOOD = document(CellResult({0: FoldResult(0.5, 1.0, 3, 4, Ending.CONVERGED, Certificate(1.0, 0.9, 0.0, 0.0))}))

OTHER: dict[str, Any] = {
    "solver": "smo",
    "kernel": "linear",
    "degree": 2,
    "coef0": 1.0,
    "margin": 2.0,
    "bias": "none",
    "class_weight": "balanced",
    "tol": 1e-5,
    "gap_tol": 0.1,
    "max_iter": 9,
    "time_limit": 1.0,
    "seed": 1,
    "rules": Rules(scale="none"),
    "read": ReadOptions(label="x"),
    "split": "order",
    "digest": "other",
}
SAME: dict[str, Any] = {"machine": "cs", "C": 2.0, "gamma": 3.0, "data": "moved.csv", "test": "t", "holdout": 0.5}
OF_OLD = "b584bc8ca097b66518d4be60a1a0776c1ed57c40ad6a55b5de101a34802e3b55"
SAME |= {"test_digest": "other", "calibrate": "sigmoid", "calibration_folds": 9, "costs": None, "sample": 50}


@given(kept)
def test_cells_come_back(cells: dict[Cell, dict[int, FoldResult]]) -> None:
    known = {cell: CellResult(folds) for cell, folds in cells.items()}
    rows = [(*cell, json.loads(json.dumps(document(result)))) for cell, result in known.items()]
    assert read_cells(rows) == (known, 0)


@given(seed=st.integers(0, 1000))
def test_all_measures_come_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 9, (2, 5))
    tested = Measured(*codes, rng.uniform(0.1, 2.0, 5), rng.uniform(0.0, 9.0, WIDTH), -3)
    fold = FoldResult(0.5, 1.0, 3, 4, Ending.CONVERGED, Certificate(1.0, 0.9, 0.0, 0.0), tested=tested)
    kept = json.loads(json.dumps(document(CellResult({0: fold, 3: fold}))))
    cells, unreadable = read_cells([("ww", 1.0, 1.0, kept)])
    assert unreadable == 0
    for score in SCORES.values():
        (result,) = cells.values()
        assert result.by(score) == CellResult({0: fold, 3: fold}).by(score)


@pytest.mark.parametrize(
    "broken", [{"given": [1, 2]}, {"weight": [0.0]}, {"losses": [1.0]}, {"first": "x"}, {"given": []}]
)
def test_measures_that_make_no_sense_are_no_cell(broken: dict[str, Any]) -> None:
    whole = {"given": [0], "decided": [1], "weight": [2.0], "losses": [1.0] * WIDTH, "first": 0}
    fold = GOOD["folds"]["0"]
    assert read_cells([("ww", 1.0, 1.0, {"folds": {"0": {**fold, "tested": whole}}})])[1] == 0
    assert read_cells([("ww", 1.0, 1.0, {"folds": {"0": {**fold, "tested": whole | broken}}})])[1] == 1


@pytest.mark.parametrize(
    "row",
    [
        ("nobody", 1.0, 1.0, GOOD),
        ("ww", -1.0, 1.0, GOOD),
        ("ww", 1.0, "wide", GOOD),
        ("ww", None, 1.0, GOOD),
        ("ww", 1.0, 1.0, {}),
        ("ww", 1.0, 1.0, {"folds": {"x": GOOD["folds"]["0"]}}),
        ("ww", 1.0, 1.0, {"folds": {"0": {**GOOD["folds"]["0"], "accuracy": 2.0}}}),
        ("ww", 1.0, 1.0, {"folds": {"0": {**GOOD["folds"]["0"], "ending": "luck"}}}),
        ("ww", 1.0, 1.0, {"folds": {"0": {**GOOD["folds"]["0"], "certificate": {}}}}),
        ("ww", 1.0, 1.0, {"folds": [1]}),
    ],
)
def test_what_is_no_cell_is_left_out_and_counted(row: tuple) -> None:
    assert read_cells([row, ("ww", 2.0, None, GOOD)])[0].keys() == {Cell("ww", 2.0, None)}
    assert read_cells([row])[1] == 1


def test_every_part_of_a_request_is_a_condition_or_is_none() -> None:
    names = {item.name for item in fields(Request)}
    assert names == OTHER.keys() | set(NO_CONDITION)
    assert not OTHER.keys() & set(NO_CONDITION)


@pytest.mark.parametrize("name", OTHER)
def test_what_changes_the_numbers_changes_the_conditions(name: str) -> None:
    changed = replace(Request(digest="d"), **{name: OTHER[name]})
    assert conditions(changed, TuneRequest()) != conditions(Request(digest="d"), TuneRequest())


@pytest.mark.parametrize("name", SAME)
def test_what_does_not_change_them_does_not(name: str) -> None:
    changed = replace(Request(), **{name: SAME[name]})
    assert conditions(changed, TuneRequest()) == conditions(Request(), TuneRequest())


def test_cells_of_files_of_old_are_found() -> None:
    """Kept before requests had a digest of the file to test on."""
    assert conditions(Request(digest="d"), TuneRequest()) == OF_OLD


def test_folds_are_a_condition_and_ranges_are_none() -> None:
    plain = conditions(Request(), TuneRequest())
    other = TuneRequest(("ova",), Range(0, 1), Range(2, 3), "halving", jobs=7)
    assert conditions(Request(), other) == plain
    parts = [{"folds": 7}, {"repeats": 2}, {"holdout": 0.3}, {"search": "per-pair"}]
    assert len({plain, *(conditions(Request(), replace(TuneRequest(), **part)) for part in parts)}) == 5
