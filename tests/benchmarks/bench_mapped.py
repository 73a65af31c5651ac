"""Memory that fits and predictions of a mapped float32 array take beside it: 10^6 x 100 numbers, 381 MB.

    python -m pytest tests/benchmarks/bench_mapped.py -s

Peak of the anonymous memory of a process (RssAnon, looked at every 5 ms) above that before the call.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import ROOT
from copies import import_path

ROWS, COLUMNS, CLASSES = 1_000_000, 100, 7
pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of Linux"),
]
WORK = {
    "checks of fit": "posed()",
    "fit, rbf, to its first rows": "posed().part(0).gram.fetch(np.arange(16))",
    "fit, linear, for 5 s": 'MultiClassSVC(kernel="linear", time_limit=5.0, threads=1).fit(X, y)',
    "predict": "small.predict(X)",
}
SCRIPT = """
import sys, threading, time, warnings
import numpy as np
from mcsvm import MultiClassSVC, pose
from mcsvm.solvers.kernels import KERNELS
warnings.simplefilter("ignore")
X = np.load(sys.argv[1], mmap_mode="r")
y, rbf = np.arange(len(X)) % 7, KERNELS["rbf"](gamma=0.01)
small = MultiClassSVC(gamma=0.01).fit(X[:300], y[:300])
def posed():
    return pose(X, y, machine="ww", kernel=rbf, cache_mb=200)
def now():
    return int(open("/proc/self/status").read().split("RssAnon:")[1].split()[0]) / 1024
def watch():
    while True:
        seen.append(now())
        time.sleep(0.005)
before, seen = now(), []
threading.Thread(target=watch, daemon=True).start()
exec(sys.argv[2])
print(max(seen) - before)
"""


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mapped") / "rows.npy"
    rows = np.lib.format.open_memmap(path, "w+", np.float32, (ROWS, COLUMNS))
    rng = np.random.default_rng(0)
    centres = 0.3 * rng.standard_normal((CLASSES, COLUMNS))
    for start in range(0, ROWS, 50_000):
        some = np.arange(start, start + 50_000)
        rows[some] = rng.standard_normal((some.size, COLUMNS), dtype=np.float32) + centres[some % CLASSES]
    rows.flush()
    return path


@pytest.mark.parametrize("name", WORK)
def test_memory_beside_the_array(mapped: Path, name: str) -> None:
    command = [sys.executable, "-c", SCRIPT, str(mapped), WORK[name]]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": import_path()}, capture_output=True, text=True, check=True
    )
    size = ROWS * COLUMNS * 4 / 2**20
    print(f"\n{name}: {float(done.stdout):.0f} MB beside {size:.0f} MB")
    assert float(done.stdout) < (0.5 if name in ("checks of fit", "predict") else 3.0) * size
