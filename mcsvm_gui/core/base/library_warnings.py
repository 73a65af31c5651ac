"""Warnings of libraries that concern no user of this program, dropped where they are raised.

Python keeps one list of warning filters for all threads (before 3.14). A filter that one thread changes for a moment
turns a warning of a training beside it into an error, or loses it. So nothing here, nor anywhere else in this package,
touches the filters: the name by which a library calls `warnings.warn` is bound anew, once and for good.
"""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import Any


def drop_openpyxl() -> None:
    """Of styles, extensions and print areas, which hold no data. Call it once openpyxl is imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("openpyxl.") and getattr(module, "warn", None) is warnings.warn:
            setattr(module, "warn", _nothing)  # noqa: B010


def drop_version_mismatches() -> None:
    """Of dask.distributed, whose client warns of workers in other versions. They are refused in a sentence of ours."""
    from distributed import client

    if not isinstance(client.warnings, _WithoutMismatches):
        client.warnings = _WithoutMismatches()


def _nothing(*arguments: Any, **options: Any) -> None:
    pass


class _WithoutMismatches(ModuleType):
    """The module `warnings`, as the client sees it."""

    def __init__(self) -> None:
        super().__init__("warnings")

    def __getattr__(self, name: str) -> Any:
        return getattr(warnings, name)

    def warn(self, message: Warning | str, *arguments: Any, **options: Any) -> None:
        from distributed.versions import VersionMismatchWarning

        if not isinstance(message, VersionMismatchWarning):
            warnings.warn(message, *arguments, **options)
