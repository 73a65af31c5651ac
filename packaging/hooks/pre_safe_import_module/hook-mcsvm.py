"""Tells PyInstaller, which runs no `__init__.py`, where a checkout has `mcsvm.solvers`."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


def pre_safe_import_module(api: Any) -> None:
    api.append_package_path(str(ROOT))
