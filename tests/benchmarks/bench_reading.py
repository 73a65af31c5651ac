"""Reading beside the libraries' own readers: ijcnn1 (49 990 rows) and a CSV file of 200 000 rows.

    python -m pytest tests/benchmarks/bench_reading.py -s

    READ_MB=2000 python -m pytest tests/benchmarks/bench_reading.py -s -k large_file

Best of five, in turns, in one process. Where the time of a CSV file goes beside pandas: the digest, and finding every
record's fields and line (`records.py`), which pandas does not do: it fills short rows up.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from copies import import_path
from sklearn.datasets import load_svmlight_file

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ROWS, COLUMNS = 200_000, 20
pytestmark = pytest.mark.benchmark
LARGE = 1e6 * float(os.environ.get("READ_MB", "200"))  # bytes
SCRIPT = """
import sys, time
from mcsvm_gui.core.data.readers import open_dataset
began, cpu = time.perf_counter(), time.process_time()
found = open_dataset(sys.argv[1])
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
print(found.rows, time.perf_counter() - began, time.process_time() - cpu, peak)
"""


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


def some_rows(kind: str) -> str:
    """20 000 rows of 20 numbers of six digits; LIBSVM: of 500."""
    rng, count = np.random.default_rng(0), 20_000
    rows, labels = rng.standard_normal((count, 20)).tolist(), rng.integers(0, 3, count).tolist()
    if kind == "csv":
        return "".join(
            ",".join(f"{x:.6g}" for x in row) + f",c{label}\n" for row, label in zip(rows, labels, strict=True)
        )
    places = (np.sort(rng.choice(500, 20, replace=False)) + 1 for _ in range(count))
    cells = zip(places, rows, strict=True)
    pairs = (" ".join(f"{j}:{x:.6g}" for j, x in zip(at.tolist(), row, strict=True)) for at, row in cells)
    return "".join(f"{label} {line}\n" for label, line in zip(labels, pairs, strict=True))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is asked of Linux")
@pytest.mark.parametrize("kind", ["csv", "libsvm"])
def test_a_large_file(tmp_path: Path, kind: str) -> None:
    path, rows = tmp_path / f"large.{kind}", some_rows(kind)
    with path.open("w") as file:
        file.write(",".join(f"x{j}" for j in range(20)) + ",label\n" if kind == "csv" else "")
        while file.tell() < LARGE:
            file.write(rows)
    command, size = [sys.executable, "-c", SCRIPT, str(path)], path.stat().st_size / 1e6
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": import_path()}, stdout=subprocess.PIPE, check=True)
    count, wall, cpu, peak = map(float, done.stdout.split())
    print(
        f"\n{kind}, {size:.0f} MB, {count:.0f} rows: {size / wall:.0f} MB/s, {size / cpu:.0f} MB a CPU second", end=""
    )
    print(f"; peak {peak:.0f} MB")
    assert count == 20_000 * (size * 1e6 // len(rows))
    assert peak < 300 + 4.0 * size
