"""Compiled code is kept where no stale code can be found, and what is loaded gives the bits of what was compiled."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import numba
import pytest
from copies import install_solvers

from mcsvm.solvers.jit import store

ROOT = Path(__file__).resolve().parents[3]
HERE = ROOT / "packaging" / "python"  # the folder in which a checkout has `mcsvm`

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return install_solvers(tmp_path)


def python(code: str, root: Path, cache: Path) -> str:
    """What the code prints, in a fresh process that finds `mcsvm` in `root` and keeps compiled code in `cache`."""
    # Without bytecode: Python takes that of a source of the same size from the same second for its own.
    environment = os.environ | {
        "MCSVM_CACHE_DIR": str(cache),
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
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


def name_of(package: Path) -> str:
    return store.fingerprint(store.compiled_sources(package), package)


def test_any_change_to_a_compiled_source_names_another_folder(package: Path) -> None:
    before = name_of(package)
    assert before == name_of(package) == store.FINGERPRINT
    for source in store.compiled_sources(package):
        content = source.read_bytes()
        source.write_bytes(content + b"\n# changed\n")
        assert name_of(package) != before, source
        source.write_bytes(content)
    assert name_of(package) == before


def test_compiled_sources_import_nothing_else_of_the_package() -> None:
    """So the hash covers all that decides compiled code. The clock, which is held meanwhile, decides nothing of it."""
    for source in (ROOT / "solvers" / "jit").rglob("*.py"):
        imported = [node for node in ast.walk(ast.parse(source.read_text())) if isinstance(node, ast.ImportFrom)]
        names = [f"{node.module}.{alias.name}" for node in imported for alias in node.names]
        ours = {name for name in names if name.startswith("mcsvm")} - {"mcsvm.solvers.clock"}
        assert all(name.startswith("mcsvm.solvers.jit.") for name in ours), source


def test_only_the_folder_of_compiled_sources_compiles() -> None:
    for source in (ROOT / "solvers").rglob("*.py"):
        if "jit" not in source.relative_to(ROOT).parts:
            assert "import numba" not in source.read_text(), source
            assert "mcsvm.solvers.jit import compiled" not in source.read_text(), source


def test_a_source_added_or_renamed_names_another_folder(package: Path) -> None:
    before = name_of(package)
    (package / "jit" / "added.py").write_text("")
    added = name_of(package)
    (package / "jit" / "added.py").rename(package / "jit" / "renamed.py")
    assert len({before, added, name_of(package)}) == 3


def test_another_numba_names_another_folder(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = name_of(package)
    monkeypatch.setattr(numba, "__version__", "99.0")
    assert name_of(package) != before


def test_the_environment_overrules_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCSVM_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert store.cache_folders()[0] == tmp_path / "compiled" / store.FINGERPRINT
    monkeypatch.delenv("MCSVM_CACHE_DIR")
    assert store.cache_folders()[0] == tmp_path / "numba" / "mcsvm" / "compiled" / store.FINGERPRINT
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert "mcsvm" in store.cache_folders()[0].parts
    assert tmp_path not in store.cache_folders()[0].parents


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files of a system where the user's cache folder cannot be written."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MCSVM_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(store.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_private_temporary_folder_takes_the_place_of_one_that_cannot_be_written(temporary: Path) -> None:
    folder, works = store.choose_folder()
    assert works
    assert folder == store.temporary_root() / "compiled" / store.FINGERPRINT
    assert store.temporary_root().parent == temporary
    if os.name != "nt":
        assert store.temporary_root().stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name == "nt", reason="Windows has a folder of temporary files for each user")
@pytest.mark.parametrize("trap", ["writable by others", "a link", "of another user"])
def test_a_temporary_folder_that_others_control_is_not_used(
    trap: str, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading compiled code runs whatever is in its files."""
    root = store.temporary_root()
    if trap == "a link":
        (temporary / "elsewhere").mkdir(mode=0o700)
        root.symlink_to(temporary / "elsewhere")
    else:
        root.mkdir(mode=0o700)
        if trap == "writable by others":
            root.chmod(0o777)
        else:
            another = os.getuid() + 1
            monkeypatch.setattr(store.os, "getuid", lambda: another)
            store.temporary_root().mkdir(mode=0o700)
    assert store.choose_folder() == (store.cache_folders()[0], False)


SNAP = (
    "from mcsvm.solvers.jit import box, CACHE_FOLDER, CACHE_WORKS;"
    " print(box.snapped(1.0, -1.0, 1.0), CACHE_WORKS, CACHE_FOLDER)"
)


@pytest.mark.slow
def test_compiled_code_lands_in_the_folder(tmp_path: Path) -> None:
    value, works, folder = python(SNAP, HERE, tmp_path).split(maxsplit=2)
    assert (value, works) == ("0.0", "True")
    assert Path(folder) == tmp_path / "compiled" / store.FINGERPRINT
    assert list(Path(folder).rglob("*snapped*.nbc"))


@pytest.mark.slow
def test_folders_that_cannot_be_written_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    closed = f"import tempfile; tempfile.tempdir = {str(tmp_path / 'file')!r}; "
    assert python(closed + SNAP, HERE, tmp_path / "file").startswith("0.0 False")


READ_ONLY = """
import tempfile
from pathlib import Path
open_temporary = tempfile.TemporaryFile
def refuse(dir):
    if Path(dir).is_relative_to({folder!r}):
        raise PermissionError(dir)
    return open_temporary(dir=dir)
tempfile.TemporaryFile, tempfile.tempdir = refuse, {temporary!r}
"""


@pytest.mark.slow
def test_compiled_code_in_a_folder_that_is_only_read_is_found(tmp_path: Path) -> None:
    """As in an image of a container: compiled when it was built, and read-only when it runs."""
    image = tmp_path / "image"
    python(SNAP, HERE, image)
    assert python(READ_ONLY.format(folder=str(image), temporary=str(tmp_path)) + HITS, HERE, image).split()[1] == "1"


# -- stale code ------------------------------------------------------------------------------------

IMPORT = "from mcsvm.solvers.jit import compiled\n"
HELPER = IMPORT + "\n@compiled\ndef helper(x):\n    return x + {}\n"
CALLER = IMPORT + "from mcsvm.solvers.jit.helper import helper\n\n@compiled\ndef call(x):\n    return helper(x)\n"
CALL = (
    "from mcsvm.solvers.jit.caller import call; from mcsvm.solvers.jit import CACHE_FOLDER;"
    " print(call(1.0), CACHE_FOLDER)"
)


@pytest.mark.slow
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


# -- two programs at once ---------------------------------------------------------------------------


def test_two_programs_that_compile_at_once_never_load_each_others_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has read the index before the other wrote it: an entry may be lost, but none leads to other code."""
    one, other = (store._Files(str(tmp_path), "step-7") for _ in range(2))
    with monkeypatch.context() as before:
        before.setattr(other, "_load_index", dict)
        one.save("float32", "code of float32")
        told = one._load_index()["float32"]
        other.save("float64", "code of float64")
        one.save("int64", "code of int64")
    later = store._Files(str(tmp_path), "step-7")
    assert later._load_data(told) == "code of float32", "told by the index of before"
    assert later.load("float64") == "code of float64"
    for key in ("float32", "int64"):
        assert later.load(key) in (None, f"code of {key}")
    assert len(list(tmp_path.glob("*.nbc"))) == 3


# -- the same bits ---------------------------------------------------------------------------------

FITS = """
import hashlib
import numpy as np
from mcsvm import MultiClassSVC

rng = np.random.default_rng(0)
y = rng.integers(0, 4, 260)
X = rng.normal(size=(260, 5)) + y[:, None]
for machine, solver in {fits!r}:
    model = MultiClassSVC(machine=machine, solver=solver, gamma=0.5, C=2.0, tol=1e-3).fit(X, y)
    stamp = hashlib.sha256(model.dual_coef_.tobytes() + model.intercept_.tobytes() + model.trace_["dual"].tobytes())
    print(machine, solver, model.n_iter_, stamp.hexdigest())
"""
QUICK = [("ovo", "lasvm")]  # compiled in half the time that auto or s2do take
EVERY = [*QUICK, *((machine, "auto") for machine in ("ww", "llw", "cs", "ova", "ovo")), ("ww", "s2do"), ("ovo", "s2do")]


@pytest.mark.slow
@pytest.mark.parametrize("fits", [QUICK, pytest.param(EVERY, marks=pytest.mark.large)], ids=["one", "every"])
def test_loading_compiled_code_gives_the_bits_of_compiling_it(fits: list[tuple[str, str]], tmp_path: Path) -> None:
    code = FITS.format(fits=fits)
    compiling = python(code, HERE, tmp_path)
    assert len(compiling.splitlines()) == len(fits)
    stored = set(tmp_path.rglob("*.nbc"))
    assert stored
    assert python(code, HERE, tmp_path).splitlines() == compiling.splitlines()
    assert set(tmp_path.rglob("*.nbc")) == stored


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from mcsvm.solvers.jit import box
print(box.snapped(1.0, -1.0, 1.0))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows knows no limit of this kind")
def test_a_full_disk_costs_the_cache_only(tmp_path: Path) -> None:
    assert python(LIMITED, HERE, tmp_path / "cache") == "0.0"
    assert not list((tmp_path / "cache").rglob("*.nb?"))


# -- shipped with an installation ------------------------------------------------------------------

HITS = """
from mcsvm.solvers.jit import box, store
import numba
box.snapped(1.0, -1.0, 1.0)
print(numba.config.CPU_NAME, sum(box.snapped.stats.cache_hits.values()), store.CACHE_WORKS)
"""


def ship(package: Path, cache: Path) -> None:
    """As packaging does it: compiled for the level, then put beside the sources."""
    os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = store.LEVEL, ""
    try:
        python(SNAP, package.parents[1], cache)
    finally:
        del os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"]
    shutil.move(cache / "compiled", package / "compiled")


def runs_here() -> bool:
    here = llvmlite.binding.get_host_cpu_features()
    return store.runs_shipped_code([name for name, present in here.items() if present])


@pytest.mark.slow
@pytest.mark.skipif(not runs_here(), reason="this processor is older than the level")
def test_shipped_code_is_found_wherever_it_lies_and_nothing_is_written(package: Path, tmp_path: Path) -> None:
    ship(package, tmp_path / "building")
    for place in ("one", "other"):
        shutil.copytree(package.parent, tmp_path / place / "mcsvm")
        (tmp_path / "unwritable").touch()
        for cache in (tmp_path / f"cache-{place}", tmp_path / "unwritable"):
            name, hits, _ = python(HITS, tmp_path / place, cache).split()
            assert (name, hits) == (store.LEVEL, "1")
        assert not list((tmp_path / f"cache-{place}").rglob("*.nb?"))


@pytest.mark.skipif(not runs_here(), reason="this processor is older than the level")
@pytest.mark.parametrize("lacking", sorted(store.NEEDED))
def test_a_processor_that_lacks_anything_compiles_for_itself(
    lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    monkeypatch.setattr(numba.config, "CPU_NAME", None)
    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    every = dict.fromkeys(store.NEEDED, True)
    monkeypatch.setattr(store.binding, "get_host_cpu_features", lambda: every | {lacking: False})
    store.choose_processor()
    assert (numba.config.CPU_NAME, numba.config.CPU_FEATURES) == (None, None)
    monkeypatch.setattr(store.binding, "get_host_cpu_features", lambda: every)
    store.choose_processor()
    assert (numba.config.CPU_NAME, numba.config.CPU_FEATURES) == (store.LEVEL, "")


def test_who_ships_nothing_or_names_a_processor_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CPU_NAME", None)
    monkeypatch.setattr(store, "SHIPPED", tmp_path / "nothing")
    store.choose_processor()
    assert numba.config.CPU_NAME is None
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    monkeypatch.setattr(numba.config, "CPU_NAME", "generic")
    store.choose_processor()
    assert numba.config.CPU_NAME == "generic"
