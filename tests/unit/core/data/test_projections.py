"""Two components, against scikit-learn's PCA; thinning, by what it must keep."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.dataset import Column, Dataset
from mcsvm_gui.core.data.projections import principal
from mcsvm_gui.core.data.projections.principal import principal_components, project, thin
from mcsvm_gui.core.data.readers import open_dataset


def dataset_of(table: dict[str, list[object]], labels: list[str] | None) -> Dataset:
    frame = pd.DataFrame({name: pd.Series(cells, dtype=None) for name, cells in table.items()})
    kinds = {name: "number" if frame[name].dtype == float else "category" for name in table}
    columns = tuple(Column(name, kind) for name, kind in kinds.items())  # type: ignore[arg-type]
    texts = {name: object for name, kind in kinds.items() if kind == "category"}
    values = None if labels is None else np.array(labels, dtype=object)
    return Dataset("made.csv", "csv", columns, frame.astype(texts), None, "label", values, None, (), (), "0" * 64)


def up_to_sign(found: np.ndarray, expected: np.ndarray, tolerance: float) -> bool:
    turned = np.sign((found * expected).sum(axis=0))
    return np.allclose(found, expected * turned, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("count", "width"), [(150, 4), (40, 300), (300, 90), (500, 500)])
@pytest.mark.parametrize("sparse", [False, True])
def test_components_and_shares_are_those_of_scikit_learn(count: int, width: int, sparse: bool) -> None:
    lots = np.random.default_rng(count + width)
    rows = lots.normal(size=(count, width)) * (lots.random((count, width)) < 0.3)
    rows[:, :2] *= 9.0, 6.0
    rows[:, 3] += 5.0
    points, shares = principal_components(sp.csr_array(rows) if sparse else rows)
    judge = PCA(n_components=2, svd_solver="full").fit(rows)
    assert np.allclose(shares, judge.explained_variance_ratio_, rtol=1e-9)
    assert up_to_sign(points, judge.transform(rows), 1e-6)


@pytest.mark.parametrize("name", ["iris", "segment", "optdigits_train"])
def test_a_projection_shows_the_scaled_data(name: str) -> None:
    dataset = open_dataset(resources.dataset(name))
    shown = project(dataset)
    assert dataset.table is not None
    values = dataset.table.to_numpy()
    low, reach = values.min(axis=0), np.ptp(values, axis=0)
    scaled = (2.0 * (values - low) / np.where(reach > 0.0, reach, 1.0) - 1.0)[:, reach > 0.0]
    judge = PCA(n_components=2, svd_solver="full").fit(scaled)
    assert np.allclose(shown.shares, judge.explained_variance_ratio_, rtol=1e-9)
    assert up_to_sign(shown.points, judge.transform(scaled), 1e-6)
    assert [dataset.classes[code] for code in shown.codes] == list(dataset.labels if dataset.labels is not None else [])


def test_categories_are_unfolded_and_gaps_filled() -> None:
    colours = ["red", "blue", None, "red", "green", "red"]
    sizes = [1.0, 2.0, np.nan, 4.0, 5.0, 6.0]
    shown = project(dataset_of({"colour": list(colours), "size": list(sizes)}, list("aabbcc")))
    filled = [colour or "red" for colour in colours]
    unfolded = [[float(colour == level) * 2 - 1 for level in ("blue", "green", "red")] for colour in filled]
    size = np.where(np.isnan(sizes), np.nanmean(sizes), sizes)
    rows = np.column_stack([unfolded, (size - 1.0) / 2.5 - 1.0])
    judge = PCA(n_components=2, svd_solver="full").fit(rows)
    assert np.allclose(shown.shares, judge.explained_variance_ratio_)
    assert up_to_sign(shown.points, judge.transform(rows), 1e-9)


def test_a_column_of_names_is_left_out_and_named() -> None:
    names: list[object] = [f"person {number}" for number in range(300)]
    numbers: list[object] = list(np.random.default_rng(0).normal(size=300))
    with_names = project(dataset_of({"name": names, "x": numbers}, ["a", "b"] * 150))
    without = project(dataset_of({"x": numbers}, ["a", "b"] * 150))
    assert with_names.left_out == ("name",)
    assert np.array_equal(with_names.points, without.points)
    alone = project(dataset_of({"name": names}, None))
    assert not alone.points.any()
    assert alone.shares == (0.0, 0.0)


def test_data_of_one_column_or_one_value_have_no_second_direction() -> None:
    line = project(dataset_of({"x": [1.0, 2.0, 4.0]}, list("aba")))
    assert line.shares == pytest.approx((1.0, 0.0))
    assert not line.points[:, 1].any()
    nothing = project(dataset_of({"x": [7.0, 7.0, 7.0]}, list("aba")))
    assert nothing.shares == (0.0, 0.0)


def test_sparse_data_give_the_picture_of_the_same_dense_data() -> None:
    dataset = open_dataset(resources.dataset("optdigits_test"))
    assert dataset.table is not None
    sparse = replace(dataset, table=None, matrix=sp.csr_array(dataset.table.to_numpy()))
    assert np.allclose(project(sparse).points, project(dataset).points, atol=1e-6)


def test_wide_tables_are_thinned_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(principal, "MOST_CELLS", 4 * 300)
    dataset = open_dataset(resources.dataset("segment"))
    assert project(dataset).rows.size == max(200, 4 * 300 // 19)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=30), st.integers(30, 500))
def test_thinning_keeps_every_class_in_proportion(counts: list[int], most: int) -> None:
    labels = np.repeat([f"c{code}" for code in range(len(counts))], counts).astype(object)
    labels = np.random.default_rng(1).permutation(labels)
    rows = thin(labels, labels.size, most)
    assert np.array_equal(rows, thin(labels, labels.size, most))
    assert rows.size == min(most, labels.size)
    assert (np.diff(rows) > 0).all()
    kept, there = Counter(labels[rows]), Counter(labels)
    assert set(kept) == set(there)
    share = (rows.size - len(there)) / max(1, labels.size - len(there))
    assert all(abs(kept[name] - 1 - (there[name] - 1) * share) < 1.0 + 1e-9 for name in there)


def test_more_classes_than_points_and_no_labels_at_all() -> None:
    many = np.array([f"c{code}" for code in range(900)], dtype=object)
    assert thin(many, 900, 100).size == 100
    assert np.unique(thin(None, 900, 100)).size == 100
