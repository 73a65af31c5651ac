"""What the wheel and the sdist contain, and a program that runs from the wheel's files alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Collection
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
HOMES = {"solvers": "mcsvm/solvers", "mcsvm_gui": "mcsvm_gui", "packaging/python/mcsvm": "mcsvm"}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder


def sources(folder: str, kinds: Collection[str] = (".py", ".typed")) -> set[str]:
    """Return the files of these kinds in a folder, relative to it and without those behind a link."""
    paths = (path for path in (ROOT / folder).rglob("*") if path.suffix in kinds and path.is_file())
    return {path.relative_to(ROOT / folder).as_posix() for path in paths}


def test_the_wheel_has_two_packages(installed: Path) -> None:
    tops = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"mcsvm", "mcsvm_gui"}


@pytest.mark.parametrize("folder", HOMES)
def test_the_wheel_has_every_source(installed: Path, folder: str) -> None:
    wanted = sources(folder)
    assert wanted
    assert [name for name in wanted if not (installed / HOMES[folder] / name).is_file()] == []


def test_the_wheel_has_nothing_of_a_checkout(installed: Path) -> None:
    names = {path.name for path in installed.rglob("*")}
    assert names.isdisjoint({"mcsvm_checkout.py", "packaging", "tests", "__pycache__"})


def test_the_sdist_has_every_source(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    kinds = ".py", ".typed", ".md", ".toml", ".po", ".csv"
    folders = "solvers", "mcsvm_gui", "packaging", "resources", "tests"
    wanted = {f"{folder}/{name}" for folder in folders for name in sources(folder, kinds)}
    assert sorted(wanted - found) == []
    assert not [name for name in found if name.startswith("packaging/python/mcsvm/solvers")]


def test_the_window_is_an_extra(installed: Path) -> None:
    metadata = next(installed.glob("*.dist-info")).joinpath("METADATA").read_text("utf-8")
    needs = [line.partition(": ")[2].lower() for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    window = [one for one in needs if one.startswith(("pyside6", "pyqtgraph"))]
    extras = {one.partition("extra == ")[2].strip("'") for one in window}
    assert extras == {"gui", "all", "test", "bundle"}


USE = """
import sys, mcsvm, mcsvm_gui.cli
from mcsvm import MultiClassSVC
print(mcsvm.__file__, mcsvm.__version__, sys.modules["mcsvm.solvers"].__file__)
print(sorted({"solvers", "mcsvm_checkout", "PySide6"} & set(sys.modules)))
"""


def test_the_wheel_runs_beside_a_users_own_solvers(installed: Path, tmp_path: Path) -> None:
    """In the working directory, and before everything else on the path."""
    (tmp_path / "solvers").mkdir()
    (tmp_path / "solvers" / "__init__.py").write_text("raise SystemExit('a package of the user was imported')\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([".", str(installed)])}

    def python(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first, second = python("-c", USE).splitlines()
    assert [Path(name).is_relative_to(installed) for name in first.split()[::2]] == [True, True]
    assert second == "[]"
    assert "accuracy" in python("-m", "mcsvm_gui.cli", "train", str(ROOT / "resources/datasets/iris.csv")).lower()
