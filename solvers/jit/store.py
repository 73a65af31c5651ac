"""Where compiled code is found and kept: what an installation ships first, then the user's cache folder.

numba's own cache stamps one source file, not its callees in other files, and names a folder after where the program
lies. Here both folders are named after numba's version and every source that decides compiled code: `solvers/jit`,
which imports nothing else of `solvers`, and the one type of argument declared elsewhere. So stale code cannot be
found, and code that was compiled in one place is found in any other.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import platformdirs
from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

PACKAGE = Path(__file__).resolve().parent.parent
# What shipped code is compiled for: any x86-64 from about 2013 on (psABI, level 3). LLVM has no list of a level's
# features, so that those that compiled code may use are named here.
LEVEL = "x86-64-v3"
NEEDED = {"sse4.2", "popcnt", "cx16", "sahf", "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}


def fingerprint(sources: Iterable[Path], package: Path = PACKAGE) -> str:
    """A hash of these sources, their names, and numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(sources):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def compiled_sources(package: Path = PACKAGE) -> list[Path]:
    """All that decides what compiled code does."""
    return [*(package / "jit").rglob("*.py"), package / "machines" / "rule.py"]


FINGERPRINT = fingerprint(compiled_sources())
SHIPPED = PACKAGE / "compiled" / FINGERPRINT  # only in an installation that comes with compiled code


def cache_folder() -> Path:
    """Where compiled code is kept; MCSVM_CACHE_DIR overrules the user's cache folder."""
    root = os.environ.get("MCSVM_CACHE_DIR") or platformdirs.user_cache_dir("mcsvm", appauthor=False)
    return Path(root) / "compiled" / FINGERPRINT


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


CACHE_FOLDER = cache_folder()
CACHE_WORKS = _writable(CACHE_FOLDER)


def runs_shipped_code(features: Collection[str]) -> bool:
    """Whether a processor with these features has all that code of LEVEL may use."""
    return set(features) >= NEEDED


def choose_processor() -> None:
    """Compile for LEVEL where such code is shipped and runs, unless the user's NUMBA_CPU_NAME says otherwise.

    Code is found only by the processor it was compiled for: elsewhere everything is compiled for the one that is here.
    """
    config: Any = numba.config
    if SHIPPED.is_dir() and config.CPU_NAME is None:
        here = binding.get_host_cpu_features()
        if runs_shipped_code([name for name, present in here.items() if present]):
            config.CPU_NAME, config.CPU_FEATURES = LEVEL, ""


class _Locator(_CacheLocator):
    """By module and line, not by where the source lies."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._function, self._py_file = function, file

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER / self._function.__module__)

    def get_source_stamp(self) -> str:
        return FINGERPRINT

    def get_disambiguator(self) -> str:
        return str(self._function.__code__.co_firstlineno)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as in the base class


class Store(FunctionCache):
    """Loads what is shipped, else what the user's folder has; writes only there, if it can be written."""

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._shipped = IndexDataCacheFile(
            cache_path=str(SHIPPED / function.__module__),
            filename_base=self._impl.filename_base,
            source_stamp=FINGERPRINT,
        )

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        data = self._shipped.load(self._index_key(sig, target_context.codegen()))
        if data is not None:
            return self._impl.rebuild(target_context, data)
        with suppress(OSError):
            return super()._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """A disk that is full or cannot be written costs the next start some seconds, and this one nothing."""
        with suppress(OSError):
            super().save_overload(sig, data)
