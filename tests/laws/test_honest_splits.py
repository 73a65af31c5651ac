"""Rows split by groups, by a column or in order: as scikit-learn splits them, the same everywhere, leaks found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm
from sklearn.model_selection import PredefinedSplit, StratifiedGroupKFold, TimeSeriesSplit

from mcsvm import MultiClassSVC
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.experiment import read_experiment
from mcsvm_gui.core.machine.posing import pose_request
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.cells import conditions
from mcsvm_gui.core.tune.command import tune_arguments
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuning

ROWS, ONE = 90, ("--C", "1", "--gamma", "0.5")
WAYS = {"groups": ("--groups", "patient"), "column": ("--fold-column", "fold"), "order": ("--split", "order")}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three classes, 15 patients of six rows each, three folds; a patient's rows are alike."""
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(15), 6)
    label = np.tile([0, 1, 2], 30)
    x = rng.normal(size=(ROWS, 2)) + label[:, None] + rng.normal(size=(15, 2))[patient]
    frame = pd.DataFrame({"x": x[:, 0], "patient": [f"p{code}" for code in patient], "y2": x[:, 1]})
    frame["fold"], frame["label"] = rng.permutation(np.arange(ROWS) % 3), label
    frame.sample(frac=1.0, random_state=1).to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def theirs(way: str, frame: pd.DataFrame) -> list[tuple[np.ndarray, np.ndarray]]:
    y, groups = frame["label"].to_numpy(), frame["patient"].to_numpy()
    found = {
        "groups": StratifiedGroupKFold(3, shuffle=True, random_state=5).split(y, y, groups),
        "column": PredefinedSplit(frame["fold"].to_numpy()).split(),
        "order": TimeSeriesSplit(3).split(y),
    }
    return list(found[way])


@pytest.mark.parametrize("way", ["groups", "column", "order"])
def test_folds_are_scikit_learns_and_search_comparison_and_experiment_have_the_same(
    data: Path, tmp_path: Path, way: str
) -> None:
    frame = pd.read_csv(data)
    keep = {"groups": ["patient"], "column": ["fold"], "order": []}[way]
    frame[["x", "y2", *keep, "label"]].to_csv(data, index=False)
    words = (*WAYS[way], "--folds", 3, "--seed", 5)
    if way == "column":
        words = (*WAYS[way], "--seed", 5)
    found = mcsvm("tune", data, *ONE, *words, "--json").document
    frame = pd.read_csv(data)
    frame["patient"], frame["fold"] = frame.get("patient", 0), frame.get("fold", 0)
    X, y, by_hand = frame[["x", "y2"]].to_numpy(), frame["label"].to_numpy(), []
    for train, test in theirs(way, frame):
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        scaled = 2.0 * (X - low) / (high - low) - 1.0
        model = MultiClassSVC(machine="ww", C=1.0, gamma=0.5).fit(scaled[train], y[train])
        by_hand.append(model.score(scaled[test], y[test]))
    assert found["cells"][0]["fold_accuracy"] == pytest.approx(by_hand)
    assert (found["split"], found["folds"], found["warnings"]) == (way, 3, [])
    saved = tmp_path / "experiment.toml"
    answer = mcsvm("compare", data, "--machines", "ww", *ONE, *words, "--json", "--save", saved)
    assert answer.document["runs"][0]["fold_accuracy"] == pytest.approx(by_hand)
    assert mcsvm("run", saved, "--json").document["runs"][0]["fold_accuracy"] == pytest.approx(by_hand)
    plan = read_experiment(saved).plan
    assert [part.test.size for part in plan.parts(open_dataset(data, _read(way)))] == [
        test.size for _, test in theirs(way, frame)
    ]


def _read(way: str) -> ReadOptions:
    named = {"groups": {"groups": "patient"}, "column": {"fold_column": "fold"}}.get(way, {})
    return ReadOptions(**named)


@pytest.mark.parametrize("way", ["groups", "order"])
def test_what_is_held_out_keeps_groups_together_or_is_the_last(data: Path, way: str) -> None:
    request = Request(read=_read(way), split="auto" if way == "groups" else "order", holdout=0.3)
    dataset = open_dataset(data, request.read)
    posed = pose_request(request, dataset)
    assert posed.held_out is not None
    assert not [notice for notice in posed.notices if notice.code == "torn groups"]
    if way == "groups":
        assert not set(posed.train.groups) & set(posed.held_out.groups)
    else:
        assert posed.held_out.lines.min() > posed.train.lines.max()
    document = mcsvm("train", data, *WAYS[way], "--holdout", 0.3, "--json").document
    assert document["n_test"] == posed.held_out.rows
    assert "patient" not in [column.name for column in dataset.columns] or way == "order"


def test_nested_searches_split_by_groups_inside_too(data: Path) -> None:
    request = Request(read=_read("groups"))
    wanted = TuneRequest(C=Range(0, 0), gamma=Range(0, 0), folds=3, nested=True)
    tuning = Tuning(request, wanted, open_dataset(data, request.read))
    groups = tuning.rows.groups
    for outer, inner in zip(tuning.parts, tuning.inner, strict=True):
        for part in inner:
            assert not set(groups[part.train]) & set(groups[part.test])
            assert set(part.train) | set(part.test) == set(outer.train)


def test_a_planted_leak_is_found_and_said(data: Path, tmp_path: Path) -> None:
    """A plan that tears named groups; a test file with a patient of the training file; a file whose column moved."""
    warned = mcsvm("tune", data, *ONE, "--groups", "patient", "--split", "stratified", "--json").document["warnings"]
    assert any("15 groups of column patient" in sentence for sentence in warned)
    torn = mcsvm("train", data, "--groups", "patient", "--split", "stratified", "--holdout", 0.5, "--json").document
    assert any("of column patient" in sentence for sentence in torn["warnings"])
    frame = pd.read_csv(data)
    there = frame["patient"].isin(["p1", "p2"])
    frame[~there].to_csv(tmp_path / "train.csv", index=False)
    apart, leak = frame[there], pd.concat([frame[there], frame[~there][:1]])
    for rows, count in ((apart, 0), (leak, 1)):
        rows[["label", "fold", "patient", "y2", "x"]].to_csv(tmp_path / "test.csv", index=False)
        answer = mcsvm(
            "train", tmp_path / "train.csv", "--test", tmp_path / "test.csv", "--groups", "patient", "--json"
        )
        assert len([said for said in answer.document["warnings"] if "1 group of column patient" in said]) == count


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--groups", "same"), "all rows belong to one group"),
        (("--fold-column", "many"), "2 to 100 make sense"),
        (("--split", "groups"), "--groups"),
        (("--split", "column"), "--fold-column"),
        (("--groups", "nobody"), "nobody"),
        (("--groups", "label"), "label"),
        (("--groups", "gaps"), "nothing in column"),
        (("--split", "order", "--repeats", 2), "repeats"),
        (("--split", "sideways"), "--split must be one of"),
        (("--fold-column", "fold", "--holdout", 0.3), "leave the share"),
    ],
)
def test_bad_input_is_a_sentence_and_writes_nothing(data: Path, tmp_path: Path, words: tuple, said: str) -> None:
    frame = pd.read_csv(data)
    frame["same"], frame["many"] = "a", np.arange(ROWS) * 7 + 0.5
    frame = pd.concat([frame] * 2, ignore_index=True)
    frame["many"], frame["gaps"] = np.arange(2 * ROWS), "g"
    frame.loc[3, "gaps"] = None
    frame["label"] = frame.pop("label")
    frame.to_csv(data, index=False)
    out = tmp_path / "cells.csv"
    answer = mcsvm("tune", data, *ONE, *words, "-o", out)
    assert (answer.code, out.exists(), answer.err.count("\n")) == (2, False, 1)
    assert said in answer.err


def test_a_request_keeps_how_rows_are_split_and_the_command_says_it() -> None:
    request = Request(data="a.csv", read=ReadOptions(groups="patient", fold_column=3), split="groups")
    assert Request.from_document(json.loads(json.dumps(request.document()))) == request
    words = tune_arguments(request, TuneRequest())
    assert [words[words.index(name) + 1] for name in ("--groups", "--fold-column", "--split")] == [
        "patient",
        "3",
        "groups",
    ]
    plain = conditions(Request(), TuneRequest())
    changed = (replace(Request(), split="order"), Request(read=_read("groups")), Request(read=_read("column")))
    assert len({plain, *(conditions(other, TuneRequest()) for other in changed)}) == 4


def test_a_sparse_file_has_no_column_of_groups(tmp_path: Path) -> None:
    (tmp_path / "a.libsvm").write_text("1 1:2 2:3\n2 1:1 2:0.5\n", "utf-8")
    with pytest.raises(InputError, match="beside label and features"):
        open_dataset(tmp_path / "a.libsvm", ReadOptions(groups="g"))


def test_parts_are_counted_as_they_are_split(data: Path) -> None:
    dataset = open_dataset(data, _read("column"))
    assert splitting.parts_of(dataset, "auto", 5, 1, None) == 3
    assert splitting.parts_of(dataset, "stratified", 5, 2, None) == 10
    assert splitting.parts_of(dataset, "auto", 5, 1, 0.3) == 1
