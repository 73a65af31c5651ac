"""The files that a project names, judged by their names alone: to look for one may hang, or send a password."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def outside(project: str, files: Iterable[str]) -> list[str]:
    """Those that do not lie in the folder of the project."""
    folder = _normal(os.path.dirname(os.path.abspath(project)))
    return [file for file in files if not _normal(os.path.abspath(file)).is_relative_to(folder)]


def _normal(path: str) -> Path:
    return Path(os.path.normcase(path))
