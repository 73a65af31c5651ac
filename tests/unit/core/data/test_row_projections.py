"""Components and discriminants, against scikit-learn's; thinning, by what it must keep; rows far from others."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestNeighbors

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.dataset import Column, Dataset
from mcsvm_gui.core.data.projections import projection, ways
from mcsvm_gui.core.data.projections.discriminants import discriminants
from mcsvm_gui.core.data.projections.outliers import neighbor_distances, outliers
from mcsvm_gui.core.data.projections.principal import principal_components, thin
from mcsvm_gui.core.data.projections.projection import project
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
    monkeypatch.setattr(projection, "MOST_CELLS", 4 * 300)
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


@pytest.mark.parametrize("name", ["iris", "wine", "segment"])
def test_discriminants_are_those_of_scikit_learn(name: str) -> None:
    dataset = open_dataset(resources.dataset(name))
    shown = project(dataset, "none", "lda")
    assert dataset.table is not None
    values = dataset.table.to_numpy()
    values = values[:, np.ptp(values, axis=0) > 0.0]
    judge = LinearDiscriminantAnalysis(solver="svd").fit(values, dataset.labels)
    expected = judge.transform(values)[:, :2]
    assert up_to_sign(shown.points / shown.points.std(), expected / expected.std(), 1e-6)
    assert np.allclose(shown.shares, judge.explained_variance_ratio_[:2], rtol=1e-6)


@pytest.mark.parametrize("sparse", [False, True])
def test_two_classes_have_one_discriminant_and_a_direction_beside_it(sparse: bool) -> None:
    lots = np.random.default_rng(3)
    codes = np.arange(90) % 2
    rows = lots.normal(size=(90, 4)) * (5.0, 1.0, 1.0, 1.0) + np.outer(codes, (0.0, 9.0, 0.0, 0.0))
    points, shares = discriminants(sp.csr_array(rows) if sparse else rows, codes)
    assert shares == pytest.approx((1.0, 0.0))
    assert abs(np.corrcoef(points.T)[0, 1]) < 1e-6
    low, high = sorted((points[codes == code, 0] for code in (0, 1)), key=np.mean)
    assert low.max() < high.min()
    assert points[:, 1].std() > 0.5


def test_discriminants_do_not_part_what_is_noise() -> None:
    """In as many dimensions as rows, any classes could be parted."""
    lots = np.random.default_rng(5)
    codes = np.arange(60) % 2
    points, _ = discriminants(lots.normal(size=(60, 500)), codes)
    gap = abs(points[codes == 0, 0].mean() - points[codes == 1, 0].mean()) / points[:, 0].std()
    assert gap < 1.9  # 2 is two points without spread


def test_a_column_that_tells_the_class_parts_the_picture() -> None:
    codes = np.arange(40) % 2
    rows = np.column_stack([np.random.default_rng(0).normal(size=40), codes])
    points, _ = discriminants(rows, codes)
    assert abs(np.corrcoef(points[:, 0], codes)[0, 1]) > 0.999
    assert not discriminants(np.zeros((40, 3)), codes)[0].any()


def test_one_class_has_no_discriminant() -> None:
    with pytest.raises(InputError, match="two classes"):
        project(dataset_of({"x": [1.0, 2.0, 4.0]}, None), way="lda")


def test_without_its_package_umap_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install umap-learn"):
        project(dataset_of({"x": [1.0, 2.0, 4.0]}, None), way="umap")


_TOY = """
import numpy
class UMAP:
    def __init__(self, n_neighbors, random_state, n_jobs):
        self.neighbors = n_neighbors
    def fit_transform(self, rows):
        {deed}
"""


@pytest.fixture
def toy_umap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of that name in the path of other processes; what it gives is told by `deed`."""
    (tmp_path / "umap.py").write_text(_TOY.format(deed="return numpy.stack([rows[:, 0], rows[:, 0] * 2], axis=1)"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_umap_is_asked_in_a_process_of_its_own(toy_umap: Path) -> None:
    shown = project(dataset_of({"x": [1.0, 2.0, 4.0, 5.0, 9.0]}, None), "none", "umap")
    assert shown.points.tolist() == [[x, 2 * x] for x in (1.0, 2.0, 4.0, 5.0, 9.0)]
    assert "umap" not in sys.modules


def test_what_umap_stops_at_is_a_sentence(toy_umap: Path) -> None:
    (toy_umap / "umap.py").write_text(_TOY.format(deed="raise ValueError('no such rows')"))
    with pytest.raises(InputError, match="umap stops at these data: ValueError: no such rows"):
        project(dataset_of({"x": [1.0, 2.0, 4.0, 5.0, 9.0]}, None), way="umap")


@pytest.mark.skipif(ways.no_umap(), reason="umap-learn is not installed")
def test_umap_keeps_clusters_apart() -> None:
    dataset = open_dataset(resources.dataset("iris"))
    points = project(dataset, way="umap").points
    setosa = np.array([label == dataset.classes[0] for label in dataset.labels])  # type: ignore[union-attr]
    away = np.linalg.norm(points - points[setosa].mean(axis=0), axis=1)
    assert away[setosa].max() < away[~setosa].min()


@pytest.mark.parametrize("sparse", [False, True])
def test_distances_are_those_of_scikit_learn(sparse: bool) -> None:
    rows = np.random.default_rng(1).normal(size=(700, 6)).round(2)
    judge = NearestNeighbors(n_neighbors=6).fit(rows).kneighbors(rows)[0][:, 5]
    assert np.allclose(neighbor_distances(sp.csr_array(rows) if sparse else rows), judge, atol=1e-6)


def test_a_row_far_from_all_is_an_outlier_and_comes_first() -> None:
    values = np.random.default_rng(2).normal(size=200).round(3)
    values[17], values[90] = 40.0, -25.0
    found = outliers(dataset_of({"x": values.tolist(), "y": [0.5, 1.0] * 100}, None), "none")
    assert found.tolist()[:2] == [17, 90]
    assert found.size < 30
    assert outliers(dataset_of({"x": [1.0] * 30}, None)).size == 0
    assert outliers(dataset_of({"x": [1.0]}, None)).size == 0
