"""Reading beside the libraries' own readers: ijcnn1 (49 990 rows) and a CSV file of 200 000 rows.

    python -m pytest tests/benchmarks/bench_reading.py -s

Best of five, in turns, in one process. Where the time of a CSV file goes beside pandas: the digest, and finding every
record's fields and line (`records.py`), which pandas does not do: it fills short rows up.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_svmlight_file

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ROWS, COLUMNS = 200_000, 20
pytestmark = pytest.mark.benchmark


def best_of_five(ours: Callable[[], Dataset], theirs: Callable[[], object]) -> tuple[float, float, Dataset]:
    seconds: list[tuple[float, float]] = []
    for _ in range(5):
        start = time.perf_counter()
        theirs()
        middle = time.perf_counter()
        found = ours()
        seconds.append((time.perf_counter() - middle, middle - start))
    mine, other = (min(times) for times in zip(*seconds, strict=True))
    print(f"\n{found.name}: {found.rows} rows in {mine:.3f} s, the library's {other:.3f} s, {mine / other:.2f} times")
    return mine, other, found


@pytest.mark.skipif(not DATA.exists(), reason="needs the measuring data sets")
@pytest.mark.parametrize("packed", [False, True])
def test_ijcnn1_in_under_one_and_a_half_times_scikit_learn(tmp_path: Path, packed: bool) -> None:
    path = DATA / "ijcnn1" / "train.libsvm.gz"
    if not packed:
        plain = tmp_path / "ijcnn1.libsvm"
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        path = plain
    mine, other, found = best_of_five(lambda: open_dataset(path), lambda: load_svmlight_file(str(path)))
    expected, labels = load_svmlight_file(str(path))
    assert (found.matrix != expected).nnz == 0
    np.testing.assert_array_equal(found.labels.astype(np.float64), labels)
    assert mine < 1.5 * other


@pytest.mark.parametrize("kind", ["plain", "missing", "quoted"])
def test_a_large_csv_file_in_under_one_and_a_half_times_pandas_and_a_second(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((ROWS, COLUMNS)), columns=[f"x{j}" for j in range(COLUMNS)])
    if kind == "missing":
        frame = frame.mask(rng.random(frame.shape) < 0.01)
        frame["colour"] = rng.choice(["red", "green", "blue"], ROWS)
    frame["label"] = rng.choice(["a", "b", "c"], ROWS)
    path = tmp_path / f"{kind}.csv"
    frame.to_csv(path, index=False, quoting=int(kind == "quoted"))
    mine, other, found = best_of_five(lambda: open_dataset(path), lambda: pd.read_csv(path))
    np.testing.assert_array_equal(found.table["x3"].to_numpy(), frame["x3"].to_numpy())
    assert found.missing == frame.isna().to_numpy().sum()
    if kind != "quoted":  # marks around every number: twice the work of finding cells, about half a second more
        assert mine < 1.5 * other + 1.0


def test_a_wide_file(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((100, 10_000))).round(4)
    frame["label"] = ["a", "b"] * 50
    frame.to_csv(path, index=False)
    best_of_five(lambda: open_dataset(path), lambda: pd.read_csv(path))
