"""Peak memory and rows per second of `mcsvm predict --proba`, by number of rows: memory must not follow them.

python -m pytest tests/benchmarks/bench_predict.py -s -m benchmark
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import mcsvm
from copies import import_path

ROWS = 100_000, 1_000_000, 3_000_000
SCRIPT = """
import sys, time
from mcsvm_gui import cli
began = time.process_time()
code = cli.main(sys.argv[1:])
peak = int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
print(code, peak, time.process_time() - began, file=sys.stderr)
"""


def write(path: Path, rows: int) -> None:
    rng, step = np.random.default_rng(0), 100_000
    with path.open("w", encoding="utf-8") as stream:
        if path.suffix == ".csv":
            stream.write("a,b,c,d,label\n")
        for start in range(0, rows, step):
            labels = rng.integers(0, 3, min(step, rows - start))
            points = np.round(rng.normal(size=(labels.size, 4)) + labels[:, None], 4)
            pairs = zip(points.tolist(), labels.tolist(), strict=True)
            if path.suffix == ".csv":
                stream.write("".join(f"{a},{b},{c},{d},c{label}\n" for (a, b, c, d), label in pairs))
            else:
                stream.write("".join(f"{label} 1:{a} 2:{b} 3:{c} 4:{d}\n" for (a, b, c, d), label in pairs))


@pytest.mark.benchmark
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is asked of Linux")
@pytest.mark.parametrize("suffix", ["csv", "libsvm"])
def test_memory_does_not_follow_the_rows(tmp_path: Path, suffix: str) -> None:
    train, model, data = tmp_path / f"train.{suffix}", tmp_path / "a.mcsvm", tmp_path / f"data.{suffix}"
    write(train, 1000)
    assert mcsvm("train", train, "--C", "0.1", "--calibrate", "temperature", "--model", model, "--quiet").code == 0
    peaks = []
    for rows in ROWS:
        write(data, rows)
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, "predict", model, data, "--proba", "-o", tmp_path / "out.csv", "--quiet"],
            env={**os.environ, "PYTHONPATH": import_path(), "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        code, peak, seconds = done.stderr.split()
        assert code == "0"
        peaks.append(float(peak))
        print(f"\n{suffix} {rows:>9} rows: {float(peak):.0f} MB, {rows / float(seconds):.0f} rows a second of CPU")
    assert peaks[-1] < 1.2 * peaks[1]
