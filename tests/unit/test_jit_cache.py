"""Compiled code is kept where no stale code can be found, and what is loaded gives the bits of what was compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from solvers import jit

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "solvers", tmp_path / "solvers", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "solvers"


def python(code: str, root: Path, cache: Path) -> str:
    """What the code prints, in a fresh process that finds `solvers` in `root` and keeps compiled code in `cache`."""
    environment = os.environ | {"MCSVM_CACHE_DIR": str(cache), "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- the folder ------------------------------------------------------------------------------------


def test_any_change_to_any_source_names_another_folder(package: Path) -> None:
    before = jit.fingerprint(package)
    assert before == jit.fingerprint(package) == jit.fingerprint()
    for source in sorted(package.rglob("*.py")):
        content = source.read_bytes()
        source.write_bytes(content + b"\n# changed\n")
        assert jit.fingerprint(package) != before, source
        source.write_bytes(content)
    assert jit.fingerprint(package) == before


def test_a_source_added_or_renamed_names_another_folder(package: Path) -> None:
    before = jit.fingerprint(package)
    (package / "jit" / "added.py").write_text("")
    added = jit.fingerprint(package)
    (package / "jit" / "added.py").rename(package / "jit" / "renamed.py")
    assert len({before, added, jit.fingerprint(package)}) == 3


def test_another_numba_names_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit.fingerprint()
    monkeypatch.setattr(numba, "__version__", "99.0")
    assert jit.fingerprint() != before


def test_the_environment_overrules_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCSVM_CACHE_DIR", str(tmp_path))
    assert jit.cache_folder() == tmp_path / "compiled" / jit.fingerprint()
    monkeypatch.delenv("MCSVM_CACHE_DIR")
    assert "mcsvm" in jit.cache_folder().parts
    assert tmp_path not in jit.cache_folder().parents


def test_numbas_own_setting_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    before = numba.config.CACHE_DIR
    jit.compiled(abs_difference)
    assert before == numba.config.CACHE_DIR

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(numba, "njit", fail)
    with pytest.raises(RuntimeError):
        jit.compiled(abs_difference)
    assert before == numba.config.CACHE_DIR


def abs_difference(x: float, y: float) -> float:
    return abs(x - y)


SNAP = (
    "from solvers.jit import box, CACHE_FOLDER, CACHE_WORKS; print(box.snapped(1e-20, 1.0), CACHE_WORKS, CACHE_FOLDER)"
)


def test_compiled_code_lands_in_the_folder(tmp_path: Path) -> None:
    value, works, folder = python(SNAP, ROOT, tmp_path).split(maxsplit=2)
    assert (value, works) == ("0.0", "True")
    assert Path(folder) == tmp_path / "compiled" / jit.fingerprint()
    assert list(Path(folder).rglob("*snapped*.nbc"))


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert python(SNAP, ROOT, tmp_path / "file").startswith("0.0 False")


# -- stale code ------------------------------------------------------------------------------------

IMPORT = "from solvers.jit import compiled\n"
HELPER = IMPORT + "\n@compiled\ndef helper(x):\n    return x + {}\n"
CALLER = IMPORT + "from solvers.jit.helper import helper\n\n@compiled\ndef call(x):\n    return helper(x)\n"
CALL = "from solvers.jit.caller import call; from solvers.jit import CACHE_FOLDER; print(call(1.0), CACHE_FOLDER)"


def test_a_helper_changed_in_another_file_is_not_found_stale(package: Path, tmp_path: Path) -> None:
    """numba stamps the caller's file alone: with one folder for all it would run the old helper."""
    (package / "jit" / "caller.py").write_text(CALLER)
    seen = []
    for added in (1.0, 2.0):
        (package / "jit" / "helper.py").write_text(HELPER.format(added))
        seen.append(python(CALL, tmp_path, tmp_path / "cache").split())
    (first, one), (second, other) = seen
    assert (first, second) == ("2.0", "3.0")
    assert one != other


# -- the same bits ---------------------------------------------------------------------------------

FITS = """
import hashlib
import numpy as np
from solvers import MultiClassSVC

rng = np.random.default_rng(0)
y = rng.integers(0, 4, 260)
X = rng.normal(size=(260, 5)) + y[:, None]
for machine, solver in {fits!r}:
    model = MultiClassSVC(machine=machine, solver=solver, gamma=0.5, C=2.0, tol=1e-3).fit(X, y)
    stamp = hashlib.sha256(model.dual_coef_.tobytes() + model.intercept_.tobytes() + model.trace_["dual"].tobytes())
    print(machine, solver, model.n_iter_, stamp.hexdigest())
"""
EVERY = [(machine, "auto") for machine in ("ww", "llw", "cs", "ova", "ovo")] + [("ww", "s2do"), ("ovo", "s2do")]


@pytest.mark.parametrize("fits", [[("ww", "s2do")], pytest.param(EVERY, marks=pytest.mark.large)], ids=["one", "every"])
def test_loading_compiled_code_gives_the_bits_of_compiling_it(fits: list[tuple[str, str]], tmp_path: Path) -> None:
    code = FITS.format(fits=fits)
    compiling = python(code, ROOT, tmp_path)
    assert len(compiling.splitlines()) == len(fits)
    stored = set(tmp_path.rglob("*.nbc"))
    assert stored
    assert python(code, ROOT, tmp_path).splitlines() == compiling.splitlines()
    assert set(tmp_path.rglob("*.nbc")) == stored


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from solvers.jit import compiled

@compiled
def double(x):
    return 2.0 * x

print(double(21.0))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no limit of this kind")
def test_a_full_disk_costs_the_cache_only(tmp_path: Path) -> None:
    code = tmp_path / "full.py"  # numba caches nothing that has no file
    code.write_text(FULL)
    assert python(f"import runpy; runpy.run_path({str(code)!r})", ROOT, tmp_path / "cache") == "42.0"
    assert not list((tmp_path / "cache").rglob("*.nb?"))
