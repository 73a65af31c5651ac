"""The cache of compiled code: read-only folders, such as one of the installation, then a folder of the user.

The user's folder is under MCSVM_CACHE_DIR, else under NUMBA_CACHE_DIR, else in the user's cache folder. If it is not
writable, a private folder among the temporary files replaces it, so that not every process has to compile. All these
folders are named by a hash of numba's version and of all sources that affect compiled code: `solvers/jit`, which
imports nothing else of `solvers`, and `machines/rule.py`, an argument type. So stale code is never loaded, and code
compiled by one copy of the program is found by all others. numba's own cache hashes one source file without its callees
in other files, and names its folder by the path of the program.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
import platformdirs
from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


LOCK_SECONDS = 30.0  # s to wait for another process that compiles a function: several times the longest compilation
LOCK_LOOK = 0.02  # seconds between two attempts to lock
PACKAGE = Path(__file__).resolve().parent.parent
# The target of shipped code: x86-64 processors from about 2013 on (psABI, level 3). Its speed is within a tenth of that
# of code for the exact processor, while code for level 2 takes a third longer. LLVM has no list of the features of a
# level, so NEEDED names those that compiled code may use.
LEVEL = "x86-64-v3"
NEEDED = {"sse4.2", "popcnt", "cx16", "sahf", "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}


def fingerprint(sources: Iterable[Path], package: Path = PACKAGE) -> str:
    """Return a hash of these sources, their names, and numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(sources):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def compiled_sources(package: Path = PACKAGE) -> list[Path]:
    """Return the sources that affect compiled code."""
    return [*(package / "jit").rglob("*.py"), package / "machines" / "rule.py"]


FINGERPRINT = fingerprint(compiled_sources())
SHIPPED = PACKAGE / "compiled" / FINGERPRINT  # only in an installation that comes with compiled code


def cache_folders() -> list[Path]:
    """Return the folders for compiled code, best first.

    The first is set by an environment variable or is the user's cache folder; the second is private and temporary.
    """
    said = os.environ.get("MCSVM_CACHE_DIR")
    numba_said = os.environ.get("NUMBA_CACHE_DIR")
    if said:
        root = Path(said)
    elif numba_said:
        root = Path(numba_said, "mcsvm")
    else:
        root = Path(platformdirs.user_cache_dir("mcsvm", appauthor=False))
    return [place / "compiled" / FINGERPRINT for place in (root, temporary_root())]


def temporary_root() -> Path:
    """Return the user's own folder among the temporary files, for systems on which no other folder is writable."""
    owner = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    return Path(tempfile.gettempdir(), f"mcsvm{owner}")


def _is_private(folder: Path) -> bool:
    """Return whether only this user can write there: compiled code is loaded by pickle, which can run any code."""
    if not hasattr(os, "getuid"):
        return True  # Windows has a folder of temporary files for each user
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _writable(folder: Path) -> bool:
    try:
        if folder.is_relative_to(temporary_root()):
            with suppress(FileExistsError):
                temporary_root().mkdir(mode=0o700)
            if not _is_private(temporary_root()):
                return False
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def choose_folder() -> tuple[Path, bool]:
    """Return the first writable folder and True, or the best folder and False if no folder is writable."""
    folders = cache_folders()
    return next(((folder, True) for folder in folders if _writable(folder)), (folders[0], False))


CACHE_FOLDER, CACHE_WORKS = choose_folder()
CACHE_LASTS = CACHE_WORKS and not CACHE_FOLDER.is_relative_to(temporary_root())
# Read-only folders: that of the installation, and the best cache folder if another account has compiled into it.
GIVEN = [folder for folder in (SHIPPED, cache_folders()[0]) if folder != CACHE_FOLDER and folder.is_dir()]


def runs_shipped_code(features: Collection[str]) -> bool:
    """Return whether a processor with these features runs code compiled for LEVEL."""
    return set(features) >= NEEDED


def choose_processor() -> None:
    """Compile for LEVEL if such code is shipped and this processor runs it, unless the user sets NUMBA_CPU_NAME.

    numba looks up compiled code by its target. Otherwise everything is compiled for the processor of this machine.
    """
    config: Any = numba.config
    if SHIPPED.is_dir() and config.CPU_NAME is None:
        here = binding.get_host_cpu_features()
        if runs_shipped_code([name for name, present in here.items() if present]):
            config.CPU_NAME, config.CPU_FEATURES = LEVEL, ""


class _Locator(_CacheLocator):
    """Naming of cache files by module and line, not by the path of the source."""

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
    """Cache files whose data files are named by a hash of their key, and written before the index.

    numba numbers its data files: two programs that compile one function for different types at the same time then write
    the same file, and load each other's code. Here the index may lose an entry, which only costs another compilation.
    """

    def __init__(self, cache_path: str, filename_base: str) -> None:
        super().__init__(cache_path=cache_path, filename_base=filename_base, source_stamp=FINGERPRINT)
        self._base = filename_base

    def save(self, key: Any, data: Any) -> None:
        name = f"{self._base}.{hashlib.sha256(self._dump(key)).hexdigest()[:16]}.nbc"
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


class Store(FunctionCache):
    """Storage of compiled code: loads from read-only folders, else from the user's folder, and writes only there."""

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base)
        self._given = [_Files(str(folder / function.__module__), self._impl.filename_base) for folder in GIVEN]

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        key = self._index_key(sig, target_context.codegen())
        for files in self._given:
            data = files.load(key)
            if data is not None:
                return self._impl.rebuild(target_context, data)
        with suppress(OSError):
            return super()._load_overload(sig, target_context)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from compiling this function at the same time, if it can be stored for them."""
        file = None
        if CACHE_WORKS:
            with suppress(OSError):
                Path(self._cache_path).mkdir(parents=True, exist_ok=True)
                file = os.open(f"{self._cache_path}/{self._impl.filename_base}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            if file is not None:
                _wait_for_lock(file)
            yield
        finally:
            if file is not None:
                os.close(file)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code, ignoring errors: a full or read-only disk only costs the next start some seconds."""
        with suppress(OSError):
            super().save_overload(sig, data)


def _wait_for_lock(file: int) -> None:
    """Lock an open file; closing it, or the end of the process, unlocks it.

    Return without the lock after LOCK_SECONDS, as a process that was forked during a compilation also holds it, and
    immediately if the file system does not support locks.
    """
    end = time.monotonic() + LOCK_SECONDS
    while time.monotonic() < end:
        try:
            _lock(file)
            return
        except (BlockingIOError, PermissionError):
            time.sleep(LOCK_LOOK)
        except OSError:
            return
