"""What is shipped compiled is all that a first training asks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from copies import install_solvers
from llvmlite import binding

from mcsvm.solvers.jit import store

ROOT = Path(__file__).resolve().parents[3]
TRAIN = """
import numpy as np
from mcsvm import MultiClassSVC
from mcsvm.solvers.jit import store
assert store.SHIPPED.is_dir()
rng = np.random.default_rng(0)
y = rng.integers(0, 4, 300)
X = rng.normal(size=(300, 5)) + y[:, None]
for machine in ("ww", "cs", "llw", "ova", "ovo", "dag"):
    for kernel in ("rbf", "linear"):
        MultiClassSVC(machine=machine, kernel=kernel, C=4.0).fit(X, y).predict(X)
"""


def runs_here() -> bool:
    here = binding.get_host_cpu_features()
    return store.runs_shipped_code([name for name, present in here.items() if present])


@pytest.mark.skipif(not runs_here(), reason="this processor is older than the level")
@pytest.mark.large
@pytest.mark.timeout(1800)
def test_first_trainings_of_all_machines_compile_nothing(tmp_path: Path) -> None:
    package = install_solvers(tmp_path / "installed")
    command = [sys.executable, "-P", str(ROOT / "packaging" / "precompile.py"), str(package / "compiled")]
    subprocess.run(command, check=True)
    cache = tmp_path / "cache"
    environment = os.environ | {"MCSVM_CACHE_DIR": str(cache), "PYTHONPATH": str(package.parents[1])}
    done = subprocess.run([sys.executable, "-c", TRAIN], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not list(cache.rglob("*.nb?"))
