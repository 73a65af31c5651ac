"""`mcsvm.open_dataset`: the commands' reading, from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mcsvm import InputError, open_dataset

IRIS = Path(__file__).resolve().parents[4] / "resources" / "datasets" / "iris.csv"


def test_it_reads_what_pandas_reads() -> None:
    data, table = open_dataset(IRIS), pd.read_csv(IRIS)
    assert data.table is not None
    pd.testing.assert_frame_equal(data.table, table.iloc[:, :-1].astype(float), check_column_type=False)
    np.testing.assert_array_equal(data.labels, table.iloc[:, -1].astype(str))


def test_a_label_and_other_options_are_named_as_in_the_commands(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("kind,a,id,b\nx,1,7,2\ny,2,8,1\nx,1,9,3\n")
    data = open_dataset(path, label="kind", drop=("id",))
    assert (data.label_name, [column.name for column in data.columns]) == ("kind", ["a", "b"])
    assert data.labels is not None
    assert data.labels.tolist() == ["x", "y", "x"]


def test_rows_to_predict_need_no_label(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n2,1\n")
    assert open_dataset(path, needs_label=False).labels is None


def test_wrong_options_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'lable'"):
        open_dataset(IRIS, lable="class")
    with pytest.raises(InputError, match="no column"):
        open_dataset(IRIS, label="nothing")
    with pytest.raises(InputError, match="there is no such file"):
        open_dataset(tmp_path / "missing.csv")
