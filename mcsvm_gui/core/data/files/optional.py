"""Packages of the `files` extra that some readers need: imported, or requested by name in one sentence."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Callable
from typing import TypeVar

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.install_advice import advice
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.readers.source import Source

_Result = TypeVar("_Result")


def require_package(source: Source, name: str) -> None:
    """Import the package that the reader of this name requires, or raise FileError."""
    reader = READERS[name]
    try:
        importlib.import_module(reader.package)
    except ImportError:
        raise FileError(
            source.path,
            "{format} files are read with the package {package}, which is not here; {how}, or save the data as CSV",
            format=reader.title,
            package=reader.package,
            how=advice(reader.package, "files"),
        ) from None


def read_undamaged(source: Source, what: Sentence, read: Callable[[], _Result]) -> _Result:
    """Call a reader, and report any exception as a damaged file: these packages raise various ones on such files."""
    try:
        return read()
    except (InputError, MemoryError):
        raise
    except (Exception, zipfile.BadZipFile) as trouble:
        reason = next(iter(str(trouble).splitlines()), "") or type(trouble).__name__
        raise FileError(
            source.path, "this {what} is damaged and cannot be read: {reason}", what=what, reason=reason[:200]
        ) from None
