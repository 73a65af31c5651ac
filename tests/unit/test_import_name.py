"""The package `mcsvm`: its public names, what importing it loads, and the folder `solvers` by either name."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from copies import import_path

import mcsvm

ROOT = Path(__file__).resolve().parents[2]


def python(code: str, folder: Path = ROOT, path: str | None = None) -> str:
    environment = os.environ | {"PYTHONPATH": import_path() if path is None else path}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_public_name_is_there_and_listed() -> None:
    assert set(mcsvm.__all__) <= set(dir(mcsvm))
    assert all(getattr(mcsvm, name) is not None for name in mcsvm.__all__)
    assert mcsvm.__version__ == version("mcsvm")
    assert mcsvm.MultiClassSVC.__module__.startswith("mcsvm.")
    with pytest.raises(AttributeError, match="module 'mcsvm' has no attribute 'nonsense'"):
        _ = mcsvm.nonsense  # type: ignore[attr-defined]


def test_importing_it_loads_no_library() -> None:
    """And its names are listed before they are loaded."""
    code = "import sys; before = {*sys.modules}; import mcsvm; print(*dir(mcsvm)); print(*{*sys.modules} - before)"
    names, loaded = python(code).splitlines()
    assert set(mcsvm.__all__) <= set(names.split())
    assert {name for name in loaded.split() if name.partition(".")[0] not in sys.stdlib_module_names} == {"mcsvm"}


def test_type_checkers_find_the_types() -> None:
    assert (ROOT / "packaging" / "python" / "mcsvm" / "py.typed").is_file()
    assert (ROOT / "mcsvm_gui" / "py.typed").is_file()


def test_a_pickled_model_names_mcsvm_alone() -> None:
    content = pickle.dumps(mcsvm.MultiClassSVC(kernel="linear"))
    assert b"mcsvm.solvers.estimator" in content
    assert content.count(b"solvers.") == content.count(b"mcsvm.solvers.")


SAME = """
import {first}
import {second}
import sys
assert solvers is mcsvm.solvers
for name, module in list(sys.modules.items()):
    if name.partition(".")[0] == "solvers":
        assert module is sys.modules["mcsvm." + name], name
        assert module.__spec__.name == module.__name__ == "mcsvm." + name
print(solvers.__file__)
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("solvers", "mcsvm.solvers"),
        ("mcsvm.solvers", "solvers"),
        ("solvers.errors", "mcsvm.solvers.errors"),
        ("mcsvm.solvers.errors", "solvers.errors"),
        pytest.param("solvers.estimator", "mcsvm.solvers.estimator", marks=pytest.mark.slow),
    ],
)
def test_the_folder_of_a_checkout_has_one_package_under_both_names(first: str, second: str, tmp_path: Path) -> None:
    """Also where the checkout is merely on the path."""
    told = python(SAME.format(first=first, second=second), tmp_path, str(ROOT))
    assert told == str(ROOT / "solvers" / "__init__.py")


@pytest.mark.slow
def test_a_class_is_one_under_both_names() -> None:
    code = "from solvers import MultiClassSVC; import mcsvm; print(MultiClassSVC is mcsvm.MultiClassSVC, MultiClassSVC)"
    assert python(code) == "True <class 'mcsvm.solvers.estimator.MultiClassSVC'>"


def test_what_solvers_lacks_is_missed_by_either_name() -> None:
    code = "from importlib.util import find_spec; import solvers; print(find_spec('solvers.nothing'))"
    assert python(code) == "None"


@pytest.mark.parametrize("path", [".", "{sources}{separator}."])
def test_a_users_own_folder_solvers_is_left_alone(tmp_path: Path, path: str) -> None:
    """In the working directory and first on the path."""
    (tmp_path / "solvers").mkdir()
    (tmp_path / "solvers" / "__init__.py").write_text("MINE = True\n")
    code = "import mcsvm.solvers.errors, mcsvm_gui.cli, solvers; print(solvers.MINE, solvers.__file__)"
    found = python(code, tmp_path, path.format(sources=import_path(), separator=os.pathsep))
    assert found.startswith("True ")
