"""The cache of compiled code: first the folder that an installation ships, then the user's cache folder.

Both folders are named by a hash of numba's version and of all sources that decide compiled code: `solvers/jit`, which
imports nothing else of `solvers`, and `machines/rule.py`, an argument type. So stale code is never loaded, and code
compiled in one place is found from any other. numba's own cache hashes one source file without its callees in other
files, and names its folder by the path of the program.
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
# The target of shipped code: x86-64 processors from about 2013 on (psABI, level 3); within a tenth of the speed of code
# for the very processor, where level 2 takes a third longer. LLVM has no list of a level's features, so NEEDED names
# those that compiled code may use.
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
    """The sources that decide compiled code."""
    return [*(package / "jit").rglob("*.py"), package / "machines" / "rule.py"]


FINGERPRINT = fingerprint(compiled_sources())
SHIPPED = PACKAGE / "compiled" / FINGERPRINT  # only in an installation that comes with compiled code


def cache_folder() -> Path:
    """The user's folder of compiled code; MCSVM_CACHE_DIR overrides its root."""
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
    """Whether a processor with these features runs code compiled for LEVEL."""
    return set(features) >= NEEDED


def choose_processor() -> None:
    """Compile for LEVEL where such code is shipped and runs, unless the user's NUMBA_CPU_NAME says otherwise.

    numba finds compiled code by its target. Elsewhere everything is compiled for the processor at hand.
    """
    config: Any = numba.config
    if SHIPPED.is_dir() and config.CPU_NAME is None:
        here = binding.get_host_cpu_features()
        if runs_shipped_code([name for name, present in here.items() if present]):
            config.CPU_NAME, config.CPU_FEATURES = LEVEL, ""


class _Locator(_CacheLocator):
    """Names cache files by module and line, not by the path of the source."""

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


class _Files(IndexDataCacheFile):
    """Names a data file by what it is of, and writes it before the index.

    numba counts: two programs that compile one function for different types at the same time write one file then, and
    load each other's code. An entry that the index loses here costs another compilation.
    """

    def __init__(self, cache_path: str, filename_base: str) -> None:
        super().__init__(cache_path=cache_path, filename_base=filename_base, source_stamp=FINGERPRINT)
        self._base = filename_base

    def save(self, key: Any, data: Any) -> None:
        name = f"{self._base}.{hashlib.sha256(self._dump(key)).hexdigest()[:16]}.nbc"
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


class Store(FunctionCache):
    """Loads from the shipped folder, else from the user's folder; writes to the user's folder alone."""

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base)
        self._shipped = _Files(str(SHIPPED / function.__module__), self._impl.filename_base)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        data = self._shipped.load(self._index_key(sig, target_context.codegen()))
        if data is not None:
            return self._impl.rebuild(target_context, data)
        with suppress(OSError):
            return super()._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Errors are ignored: a full or read-only disk costs the next start some seconds of compilation."""
        with suppress(OSError):
            super().save_overload(sig, data)
