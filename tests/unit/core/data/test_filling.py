"""Missing cells, joined categories and words, against scikit-learn's imputers, encoder and vectorizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data import preparation
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset

WORDS = ["corn", "wheat", "of", "the", "oil", "gold", "rate", "bank", "straße", "naïve"]
RNG = np.random.default_rng(7)


@pytest.fixture
def gaps(tmp_path: Path) -> Dataset:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(80, 4)) * [1, 10, 100, 0.1], columns=list("wxyz"))
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    frame["c"] = [None if u < 0.2 else "rgbyk"[int(u * 25) % 5] for u in rng.random(80)]
    frame["label"] = ["ab"[j % 2] for j in range(80)]
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    return open_dataset(tmp_path / "gaps.csv")


def rows_of(dataset: Dataset, **rules: Any) -> tuple[np.ndarray, tuple[str, ...]]:
    fitted = preparation.fit(Rules(scale="none", **rules), dataset)
    again = preparation.read(json.loads(json.dumps(fitted.document(), allow_nan=False)), fitted.arrays())
    rows = fitted.apply(dataset).rows
    assert np.array_equal(rows, again.apply(dataset).rows)
    half = dataset.take(np.arange(0, dataset.rows, 2))
    assert np.allclose(rows[::2], fitted.apply(half).rows, rtol=0, atol=1e-12)  # by chunks as well
    return rows, fitted.titles


def numbers(dataset: Dataset) -> np.ndarray:
    assert dataset.table is not None
    return dataset.table[list("wxyz")].to_numpy(dtype=float)


@pytest.mark.parametrize("rule", ["mean", "median", "most-frequent"])
def test_numbers_are_filled_as_scikit_learn_fills_them(gaps: Dataset, rule: str) -> None:
    rows, titles = rows_of(gaps, missing=rule)
    expected = SimpleImputer(strategy=rule.replace("-", "_")).fit_transform(numbers(gaps))
    assert titles[:4] == tuple("wxyz")
    assert np.allclose(rows[:, :4], expected)


@pytest.mark.parametrize("count", [1, 5])
def test_numbers_from_neighbors(gaps: Dataset, count: int) -> None:
    held = numbers(gaps)
    units = np.nanstd(held, axis=0)
    expected = KNNImputer(n_neighbors=count).fit_transform(held / units) * units
    rows, _ = rows_of(gaps, missing="knn", neighbors=count)
    assert np.allclose(rows[:, :4], expected, rtol=1e-9)


def test_indicators_say_what_was_missing(gaps: Dataset) -> None:
    rows, titles = rows_of(gaps, missing="median", missing_indicator=True)
    for name in "wxyzc":
        assert np.array_equal(rows[:, titles.index(f"{name} missing")] == 1.0, gaps.table[name].isna())


def test_a_category_of_its_own(gaps: Dataset) -> None:
    rows, titles = rows_of(gaps, missing="category")
    assert "x missing" not in titles
    levels = [place for place, title in enumerate(titles) if title.startswith("c")]
    assert (rows[:, levels].sum(axis=1) == 1.0).all()


def test_few_rows_make_no_category_alone(gaps: Dataset) -> None:
    count = int(gaps.table["c"].value_counts().sort_values().iloc[1]) + 1
    rows, titles = rows_of(gaps, missing="category", min_frequency=count)
    held = gaps.table[["c"]].fillna("")
    encoder = OneHotEncoder(min_frequency=count, sparse_output=False, handle_unknown="infrequent_if_exist").fit(
        held[held["c"] != ""]
    )
    there = (held["c"] != "").to_numpy()
    found = [place for place, title in enumerate(titles) if title.startswith("c") and title != "c missing"]
    assert titles[found[-1]] == "c others"
    assert np.array_equal(rows[there][:, found], encoder.transform(held[there]))


def test_an_unknown_category_is_one_of_the_others(gaps: Dataset) -> None:
    fitted = preparation.fit(Rules(missing="category", min_frequency=99, scale="none"), gaps)
    strange = gaps.take(np.arange(2))
    strange.table.loc[:, "c"] = "never seen"
    assert fitted.apply(strange).rows[:, fitted.titles.index("c others")].tolist() == [1.0, 1.0]


def texts(tmp_path: Path) -> Dataset:
    rng = np.random.default_rng(5)
    lines = [" ".join(rng.choice(WORDS, size=6)) for _ in range(40)] + ["", "xyzzy"]
    frame = pd.DataFrame({"t": lines, "x": rng.normal(size=42), "label": ["ab"[j % 2] for j in range(42)]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    return open_dataset(tmp_path / "t.csv", ReadOptions(text=("t",)))


@pytest.mark.parametrize(
    ("rules", "theirs"),
    [
        ({}, {}),
        ({"ngrams": "1:2", "min_df": 2}, {"ngram_range": (1, 2), "min_df": 2}),
        ({"analyzer": "char_wb", "ngrams": "2:4"}, {"analyzer": "char_wb", "ngram_range": (2, 4)}),
        ({"stop_words": "english"}, {"stop_words": "english"}),
    ],
)
def test_words_are_those_of_scikit_learn(tmp_path: Path, rules: dict[str, Any], theirs: dict[str, Any]) -> None:
    dataset = texts(tmp_path)
    fitted = preparation.fit(Rules(**rules), dataset)
    again = preparation.read(json.loads(json.dumps(fitted.document(), allow_nan=False)), fitted.arrays())
    expected = TfidfVectorizer(**theirs).fit_transform(dataset.table["t"])
    for one in (fitted, again):
        rows = one.apply(dataset).rows
        assert abs(rows[:, 1:] - expected).max() < 1e-15
        assert rows.shape[1] == one.width == len(one.sources) == len(one.titles)


def test_texts_without_words_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("t,label\n.,a\n!,b\n?!,a\n")
    with pytest.raises(FileError, match="no word that could be learned from"):
        preparation.fit(Rules(), open_dataset(path, ReadOptions(text=("t",))))


def test_neighbors_that_no_model_can_keep(gaps: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcsvm_gui.core.data.preparation.neighbors.MOST_CELLS", 100)
    with pytest.raises(FileError, match=r"would have to keep all 320 cells .* say --missing median"):
        preparation.fit(Rules(missing="knn"), gaps)
