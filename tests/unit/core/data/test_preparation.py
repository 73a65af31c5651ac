"""What a data set becomes for the kernel, beside scikit-learn's own scaling and encoding."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

from mcsvm import InputError
from mcsvm_gui.core.data import preparation
from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.data.inspection import WIDE, row_keys
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.data.preparation.cells import all_held_cells, held_cells


def table(cells: dict[str, list[Any]], name: str = "d.csv") -> Dataset:
    numbers = {key: not any(isinstance(cell, str) for cell in column) for key, column in cells.items()}
    columns = tuple(Column(key, "number" if number else "category") for key, number in numbers.items())
    frame = pd.DataFrame({k: np.array(v, float) if numbers[k] else np.array(v, object) for k, v in cells.items()})
    rows = len(frame)
    labels = np.array(["a", "b"] * rows, dtype=object)[:rows]
    return Dataset(name, "csv", columns, frame, None, "label", labels, np.arange(2, rows + 2), (), (), "0")


def sparse(rows: Any, first: int = 1) -> Dataset:
    matrix = sp.csr_array(np.array(rows, dtype=float))
    labels = np.array(["a", "b"] * matrix.shape[0], dtype=object)[: matrix.shape[0]]
    columns = NumberedColumns(first, matrix.shape[1])
    lines = np.arange(1, matrix.shape[0] + 1)
    return Dataset("d.libsvm", "libsvm", columns, None, matrix, "label", labels, lines, (), (), "0")


def fitted(dataset: Dataset, **rules: Any) -> preparation.Preparation:
    """Through its document and back."""
    found = preparation.fit(Rules(**rules), dataset)
    return preparation.read(json.loads(json.dumps(found.document(), allow_nan=False)), found.arrays())


X = np.random.default_rng(0).normal(size=(20, 3)) * [1.0, 50.0, 1e-3] + [0.0, 7.0, 1.0]
NUMBERS = table(dict(zip("abc", X.T.tolist(), strict=True)))
ORACLES = {"minmax": MinMaxScaler((-1, 1)), "standard": StandardScaler()}


@pytest.mark.parametrize("scale", ORACLES)
def test_numbers_are_scaled_as_scikit_learn_does(scale: str) -> None:
    found = fitted(NUMBERS, scale=scale).apply(NUMBERS)
    assert found.rows == pytest.approx(ORACLES[scale].fit_transform(X), abs=1e-9)
    assert found.notices == ()


def test_the_training_part_alone_decides() -> None:
    other = table({"a": [100.0], "b": [0.0], "c": [0.0]})
    assert fitted(NUMBERS).apply(other).rows == pytest.approx(MinMaxScaler((-1, 1)).fit(X).transform([[100, 0, 0]]))


def test_categories_become_a_feature_per_level() -> None:
    data = table({"colour": ["red", "blue", "red", "green"], "size": [1.0, 2.0, 3.0, 4.0]})
    expected = OneHotEncoder(sparse_output=False).fit_transform(np.array(["red", "blue", "red", "green"])[:, None])
    rows = fitted(data, scale="none").apply(data).rows
    assert rows[:, :3].tolist() == expected.tolist()
    assert fitted(data).apply(data).rows[:, :3].tolist() == (2 * expected - 1).tolist()


def test_columns_are_matched_by_name() -> None:
    swapped = Dataset(
        **{**vars(NUMBERS), "columns": tuple(reversed(NUMBERS.columns)), "table": NUMBERS.table[["c", "b", "a"]]}  # type: ignore[index]
    )
    one = fitted(NUMBERS)
    assert one.apply(swapped).rows.tolist() == one.apply(NUMBERS).rows.tolist()


def test_missing_and_unknown_columns_are_named() -> None:
    with pytest.raises(InputError, match=r"d\.csv:1: the columns b, c of the training data are missing here"):
        fitted(NUMBERS).apply(table({"a": [1.0]}))
    more = table({"a": [1.0], "b": [1.0], "c": [1.0], "zz": [1.0]})
    assert "ignored: zz" in fitted(NUMBERS).apply(more).notices[0].sentence


def test_text_where_training_had_numbers_is_refused() -> None:
    with pytest.raises(InputError, match=r"d\.csv:3: the column b must be numbers.*'x'"):
        fitted(NUMBERS).apply(table({"a": [1.0, 1.0], "b": [None, "x"], "c": [1.0, 1.0]}))


def test_unknown_levels_count_as_none_or_are_refused() -> None:
    data, other = table({"c": ["u", "v", "u"]}), table({"c": ["w", "u"]})
    found = fitted(data, scale="none").apply(other)
    assert found.rows.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert "'w'" in found.notices[0].sentence
    with pytest.raises(InputError, match="did not know: 'w'"):
        fitted(data, unknown="reject").apply(other)


def test_levels_that_look_like_numbers_elsewhere() -> None:
    data, other = table({"c": ["1", "2.0", "x"]}), table({"c": [2.0, 1.0]})
    assert fitted(data, scale="none").apply(other).rows.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


def test_joined_names_are_not_taken_for_a_level_of_the_same_value() -> None:
    """ "1" is one of the rare names here, and no other spelling of "01"; what "1.0" means nobody knows."""
    data = table({"c": ["01", "01", "2", "2", "1", "7"]})
    one = fitted(data, scale="none", min_frequency=2)
    assert one.apply(data).rows[-2:].tolist() == [[0.0, 0.0, 1.0]] * 2
    assert one.apply(table({"c": ["1.0", "2.0", "7.0"]})).rows.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]


HOLES = table({"a": [1.0, np.nan, 3.0, 3.0], "c": ["u", "v", None, "v"]})


def test_missing_cells_are_counted_and_placed() -> None:
    with pytest.raises(InputError, match=r"^d\.csv:3: 2 cells of 4 rows missing \(line 3 column a, line 4 column c\)"):
        preparation.fit(Rules(), HOLES)


@pytest.mark.parametrize(("rule", "number"), [("mean", 7 / 3), ("most-frequent", 3.0)])
def test_missing_cells_are_filled(rule: str, number: float) -> None:
    one = fitted(HOLES, missing=rule, scale="none")
    assert one.apply(HOLES).rows.tolist() == [[1, 1, 0], [number, 0, 1], [3, 0, 1], [3, 0, 1]]
    assert [notice.code for notice in one.notices] == ["filled", "filled", "categories"]
    later = table({"a": [np.nan], "c": [None]})
    assert one.apply(later).rows.tolist() == [[number, 0, 1]]


def test_many_columns_are_spoken_of_in_one_sentence() -> None:
    many = table({f"n{j}": [1.0, np.nan, 2.0] for j in range(9)} | {f"t{j}": ["u", "v", None] for j in range(9)})
    sentences = [notice.sentence for notice in fitted(many, missing="most-frequent").notices]
    assert sentences[0].startswith("18 missing cells of 18 columns were filled in: n0 = 1, ")
    assert sentences[1:] == ["9 text columns became 18 features, one per level: t0, t1, t2, t3, t4, ... (9 in all)"]


def test_columns_without_holes_in_training_are_filled_later_too() -> None:
    one = fitted(table({"a": [1.0, 2.0, 6.0]}), missing="mean", scale="none")
    assert one.apply(table({"a": [np.nan]})).rows.tolist() == [[3.0]]


def test_dropped_rows_are_said() -> None:
    kept, notices = preparation.complete(Rules(missing="drop"), HOLES)
    assert kept.table is not None
    assert kept.lines.tolist() == [2, 5]  # type: ignore[union-attr]
    assert notices[0].sentence == "2 rows with missing cells left out"
    found = fitted(HOLES, missing="drop").apply(HOLES)
    assert found.kept.tolist() == [0, 3]


def test_columns_of_which_none_holds_a_value_are_refused() -> None:
    with pytest.raises(InputError, match=r"d\.csv: no column holds a single value"):
        fitted(table({"a": [np.nan, np.nan], "t": [None, None]}))


def test_widths_whose_ratio_no_number_holds_are_compared_too() -> None:
    [notice] = fitted(table({"tiny": [0.0, 5e-324], "wide": [0.0, 1e300]}), scale="none").notices
    assert "wide spreads inf times as wide as tiny" in notice.sentence


def test_constant_and_empty_columns_are_left_out_and_said() -> None:
    data = table({"a": [1.0, 2.0], "k": [5.0, 5.0], "n": [np.nan, np.nan], "t": ["x", "x"]})
    one = fitted(data)
    assert [feature.source for feature in one.features] == ["a"]
    sentences = [notice.sentence for notice in one.notices]
    assert "columns without any value are left out: n" in sentences
    assert "constant columns are left out: k, t = x" in sentences
    without = table({"a": [1.0]})
    assert one.apply(without).rows.tolist() == [[-1.0]]


def test_something_is_left_where_all_is_constant() -> None:
    for data in (table({"a": [2.0, 2.0], "b": [3.0, 3.0]}), sparse([[0, 0], [0, 0]])):
        one = fitted(data)
        rows = one.apply(data).rows
        assert (rows.toarray() if sp.issparse(rows) else rows).tolist() == [[0.0], [0.0]]
        assert "most frequent class" in one.notices[-1].sentence


def test_columns_that_cannot_be_computed_with_are_named() -> None:
    with pytest.raises(InputError, match="the column a spreads wider than can be computed with"):
        preparation.fit(Rules(), table({"a": [-1.7e308, 1.7e308]}))
    with pytest.raises(InputError, match="column 1 spreads wider"):
        preparation.fit(Rules(), sparse([[-1.7e308], [1.7e308]]))
    tiny = table({"a": [0.0, 5e-324], "b": [0.0, 1.0]})
    assert [feature.source for feature in fitted(tiny).features] == ["b"]
    with pytest.raises(InputError, match=r"d\.csv:2: the column a"):
        fitted(table({"a": [0.0, 1e-300]})).apply(table({"a": [1e300]}))


def test_wide_columns_without_scaling_are_warned_of() -> None:
    assert "b spreads" in preparation.fit(Rules(scale="none"), NUMBERS).notices[0].sentence
    assert "2 spreads" in preparation.fit(Rules(scale="none"), sparse([[1, 0], [0, 90]])).notices[0].sentence


def test_rules_that_are_not_there_are_refused() -> None:
    with pytest.raises(InputError, match="scale must be one of minmax, standard, none, not 'log'"):
        Rules(scale="log")


# -- sparse ---------------------------------------------------------------------------------------

THIN = np.where(np.random.default_rng(1).random((30, 12)) < 0.15, np.random.default_rng(2).normal(size=(30, 12)), 0.0)


def test_sparse_data_stay_sparse_and_are_scaled_by_magnitude() -> None:
    found = fitted(sparse(THIN)).apply(sparse(THIN)).rows
    assert sp.issparse(found)
    assert found.toarray() == pytest.approx(MaxAbsScaler().fit_transform(THIN))


def test_files_that_are_mostly_filled_are_scaled_like_tables() -> None:
    found = fitted(sparse(X)).apply(sparse(X)).rows
    assert found == pytest.approx(MinMaxScaler((-1, 1)).fit_transform(X), abs=1e-9)


def test_sparse_deviation_is_the_real_one() -> None:
    found = fitted(sparse(THIN), scale="standard").apply(sparse(THIN)).rows
    assert found.toarray().std(axis=0) == pytest.approx(np.ones(12))


def test_more_and_fewer_columns_and_another_first_one() -> None:
    one = fitted(sparse([[1, 2], [3, 1]]), scale="none")
    more = one.apply(sparse([[1, 2, 0, 9]]))
    assert more.rows.tolist() == [[1.0, 2.0]]
    assert "ignored: 4" in more.notices[0].sentence
    assert one.apply(sparse([[5]])).rows.tolist() == [[5.0, 0.0]]
    zero_based = one.apply(sparse([[7, 1, 2]], first=0))  # columns 0, 1, 2
    assert zero_based.rows.tolist() == [[1.0, 2.0]]
    assert "ignored: 0" in zero_based.notices[0].sentence


def test_a_column_number_of_a_million_costs_nothing() -> None:
    matrix = sp.csr_array(([1.0, 2.0, 3.0], ([0, 1, 1], [0, 0, 999_999])), shape=(2, 1_000_000))
    labels = np.array(["a", "b"], dtype=object)
    wide = Dataset("w", "libsvm", NumberedColumns(1, 1_000_000), None, matrix, "label", labels, None, (), (), "0")
    one = fitted(wide)
    assert one.apply(wide).rows.shape == (2, 2)
    assert [feature.source for feature in one.features] == ["1", "1000000"]


def test_named_sparse_columns_are_matched_by_name() -> None:
    named = tuple(Column(name, "number") for name in "xyz")
    thin = Dataset(**{**vars(sparse([[1, 0, 0], [0, 0, 2], [0, 0, 0], [0, 0, 0]])), "columns": named})
    one = fitted(thin, scale="none")
    swapped = Dataset(**{**vars(thin), "columns": named[::-1]})
    assert one.apply(swapped).rows.toarray().tolist() == [[0, 1], [2, 0], [0, 0], [0, 0]]
    assert one.apply(table({"z": [4.0], "x": [3.0], "w": [1.0]})).rows.toarray().tolist() == [[3.0, 4.0]]
    with pytest.raises(InputError, match="missing here: z"):
        one.apply(table({"x": [3.0]}))


def test_numbered_and_named_columns_do_not_meet() -> None:
    with pytest.raises(InputError, match="named columns; this file has only numbered ones"):
        fitted(NUMBERS).apply(sparse(THIN))
    with pytest.raises(InputError, match=r"numbered columns \(LIBSVM\)"):
        fitted(sparse(THIN)).apply(NUMBERS)


def test_many_columns_are_taken_together_and_are_the_same() -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(3, 40))
    values[1, 5] = np.nan
    cells: dict[str, list[Any]] = {f"x{number}": column for number, column in enumerate(values.T.tolist())}
    cells["word"] = ["a", "b", "a"]
    dataset = table(cells)
    places = [7, 40, *range(40)]
    for position, found in zip(places, all_held_cells(dataset, places), strict=True):
        expected = held_cells(dataset, position)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_equal_rows_of_many_columns_have_equal_keys() -> None:
    values = np.random.default_rng(2).normal(size=(4, WIDE + 1))
    values[2], values[3] = values[0], values[1]
    values[0, 3], values[2, 3] = 0.0, -0.0  # equal numbers
    values[3, -1] += 1e-9
    values[:2, 8] = values[2, 8] = np.nan
    keys = row_keys(table(dict(zip(map(str, range(WIDE + 1)), values.T.tolist(), strict=True))))
    assert keys[0] == keys[2]
    assert len(set(keys.tolist())) == 3
