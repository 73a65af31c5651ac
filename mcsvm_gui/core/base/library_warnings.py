"""Drop warnings of libraries that are irrelevant for users, at the place where they are raised.

Python keeps one list of warning filters for all threads (before 3.14). If one thread changes a filter for a moment, a
warning of a training in another thread becomes an error or is lost. Therefore neither this module nor any other of this
package changes the filters. Instead, the name by which a library calls `warnings.warn` is rebound once.
"""

from __future__ import annotations

import sys
import warnings
from types import ModuleType
from typing import Any


def drop_openpyxl() -> None:
    """Drop openpyxl's warnings of styles, extensions and print areas, which hold no data. Call it after the import."""
    for name, module in list(sys.modules.items()):
        if name.startswith("openpyxl.") and getattr(module, "warn", None) is warnings.warn:
            setattr(module, "warn", _nothing)  # noqa: B010


def drop_version_mismatches() -> None:
    """Drop the client's warnings of other versions on workers (dask.distributed).

    Our own error refuses these workers.
    """
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
