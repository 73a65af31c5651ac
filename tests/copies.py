"""Copies of the sources, to be changed and run: as a checkout has them, or as the wheel installs them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = "solvers", "mcsvm_gui", "packaging/python"
NO_BYTECODE = shutil.ignore_patterns("__pycache__")


def copy_checkout(folder: Path, *more: str) -> None:
    """Copy the sources, with links as links, and `more` files and folders."""
    for name in (*SOURCES, *more):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=NO_BYTECODE)
        else:
            shutil.copy(ROOT / name, folder / name)


def install_solvers(folder: Path) -> Path:
    """Copy the package `mcsvm` as the wheel has it, and return its `mcsvm/solvers`."""
    package = folder / "mcsvm"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "packaging" / "python" / "mcsvm" / "__init__.py", package)
    shutil.copytree(ROOT / "solvers", package / "solvers", ignore=NO_BYTECODE)
    return package / "solvers"


def import_path(checkout: Path = ROOT, *more: Path) -> str:
    """Return a PYTHONPATH with the packages of this checkout before all others."""
    return os.pathsep.join(map(str, (checkout / "packaging" / "python", checkout, *more)))
