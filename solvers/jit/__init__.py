"""Compiled leaves: loops over plain arrays, no kernel, no Python object.

numba's cache stamps one source file, not its callees in other files, so the cache lives in a folder
named after every source file of `solvers` and numba's version: stale code cannot be found.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import platformdirs

PACKAGE = Path(__file__).resolve().parent.parent
# For selects and fused multiply-adds that vectorise; never on a function that tests for NaN.
# Not "reassoc": with it the process that compiles and those that load the cache give different bits.
RELAXED = {"nnan", "ninf", "nsz", "contract"}


def fingerprint(package: Path = PACKAGE) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled code is kept; MCSVM_CACHE_DIR overrules the user's cache folder."""
    root = os.environ.get("MCSVM_CACHE_DIR") or platformdirs.user_cache_dir("mcsvm", appauthor=False)
    return Path(root) / "compiled" / fingerprint()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


CACHE_FOLDER = cache_folder()
CACHE_WORKS = _writable(CACHE_FOLDER)


def compiled(function: Callable[..., Any] | None = None, *, relaxed: bool = False) -> Any:
    """Compile without the interpreter lock; cache by fingerprint where the folder can be written."""
    if function is None:
        return lambda late: compiled(late, relaxed=relaxed)
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(CACHE_FOLDER)
    try:
        # error_model: a division that Python would check for zero is never vectorised
        found: Any = numba.njit(
            cache=CACHE_WORKS, nogil=True, fastmath=RELAXED if relaxed else False, error_model="numpy"
        )(function)
    finally:
        config.CACHE_DIR = before
    if CACHE_WORKS and not config.DISABLE_JIT:
        _forgive(found._cache)
    return found


def _forgive(cache: Any) -> None:
    """A disk that has become full costs the next start some seconds, and this one nothing."""
    save = cache.save_overload

    def attempt(*what: Any) -> None:
        with suppress(OSError):
            save(*what)

    cache.save_overload = attempt
