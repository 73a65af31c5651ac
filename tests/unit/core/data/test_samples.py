"""The gallery says of each file what is in it; scikit-learn's own copies are the judges of the values."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from sklearn import datasets

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.samples import SampleDataset, samples

every_sample = pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)


def lines_of(path: object) -> list[list[str]]:
    with open(str(path), newline="") as file:
        return list(csv.reader(file))


@every_sample
def test_what_the_card_says_is_what_the_file_holds(sample: SampleDataset) -> None:
    header, *rows = lines_of(sample.path)
    assert (len(rows), len(header) - 1, len({row[-1] for row in rows})) == (
        sample.rows,
        sample.features,
        sample.classes,
    )
    if sample.test_path is None:
        assert sample.test_rows == 0
    else:
        test_header, *test_rows = lines_of(sample.test_path)
        assert test_header == header
        assert len(test_rows) == sample.test_rows
        assert {row[-1] for row in test_rows} == {row[-1] for row in rows}


@every_sample
def test_each_is_attributed_and_read_without_a_missing_cell(sample: SampleDataset) -> None:
    attribution = (resources.folder() / "datasets" / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for path in filter(None, (sample.path, sample.test_path)):
        assert path.name in attribution
        assert open_dataset(path).missing == 0


def test_every_file_that_comes_along_is_in_the_gallery() -> None:
    shown = {path for sample in samples() for path in (sample.path, sample.test_path) if path}
    assert shown == set((resources.folder() / "datasets").glob("*.csv"))


@pytest.mark.parametrize(("file", "reference"), [("wine", "load_wine"), ("optdigits_test", "load_digits")])
def test_the_values_are_those_that_others_have(file: str, reference: str) -> None:
    expected = getattr(datasets, reference)()
    _, *rows = lines_of(resources.dataset(file))
    assert np.array_equal(np.array([row[:-1] for row in rows], dtype=float), expected.data)
    ours, theirs = [row[-1] for row in rows], expected.target.tolist()
    assert len(set(zip(ours, theirs, strict=True))) == len(set(ours)) == len(set(theirs))


def test_iris_is_fishers_but_for_the_two_rows_that_the_attribution_names() -> None:
    expected = datasets.load_iris()
    _, *rows = lines_of(resources.dataset("iris"))
    equal = (np.array([row[:-1] for row in rows], dtype=float) == expected.data).all(axis=1)
    assert set(np.flatnonzero(~equal) + 1) <= {35, 38}
    assert [row[-1] for row in rows] == expected.target_names[expected.target].tolist()
