"""`mcsvm doctor`: versions, threads and caches of this installation, and missing parts."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mcsvm_gui.core.base import programs
from mcsvm_gui.core.base.about import own_version
from mcsvm_gui.core.base.resources import folder

NEEDED = "numpy", "scipy", "numba", "scikit-learn", "pandas", "joblib", "threadpoolctl", "platformdirs", "tomli-w"
EXTRAS = {
    "pyside6-essentials": "shows the window; pip install 'mcsvm[gui]'",
    "pyqtgraph": "draws plots in the window; pip install 'mcsvm[gui]'",
    "onnx": "exports to ONNX",
    "onnxruntime": "checks exports to ONNX",
    "pyarrow": "reads Parquet",
    "openpyxl": "reads Excel",
    "distributed": "tunes on many machines",
    "matplotlib": "draws reports",
}
# Libraries that Qt needs, and the Debian or Ubuntu package that contains each (packaging/system_packages.txt).
PACKAGE_OF = {
    "libGL.so": "libgl1",
    "libOpenGL.so": "libopengl0",
    "libEGL.so": "libegl1",
    "libglib-2.0.so": "libglib2.0-0",
    "libgthread-2.0.so": "libglib2.0-0",
    "libfontconfig.so": "libfontconfig1",
    "libfreetype.so": "libfreetype6",
    "libxkbcommon.so": "libxkbcommon0",
    "libxkbcommon-x11.so": "libxkbcommon-x11-0",
    "libdbus-1.so": "libdbus-1-3",
    "libxcb-cursor.so": "libxcb-cursor0",
    "libxcb-icccm.so": "libxcb-icccm4",
    "libxcb-keysyms.so": "libxcb-keysyms1",
    "libxcb-shape.so": "libxcb-shape0",
    "libxcb-image.so": "libxcb-image0",
    "libxcb-randr.so": "libxcb-randr0",
    "libxcb-render-util.so": "libxcb-render-util0",
    "libxcb-render.so": "libxcb-render0",
    "libxcb-shm.so": "libxcb-shm0",
    "libxcb-sync.so": "libxcb-sync1",
    "libxcb-xfixes.so": "libxcb-xfixes0",
    "libxcb-xkb.so": "libxcb-xkb1",
    "libxcb.so": "libxcb1",
    "libX11-xcb.so": "libx11-xcb1",
    "libX11.so": "libx11-6",
}
QT_PARTS = "Qt/lib/libQt6Gui.so.6", "Qt/lib/libQt6Widgets.so.6", "Qt/plugins/platforms/libqxcb.so"


@dataclass(frozen=True)
class SystemLibrary:
    """A system library that the window needs and that is missing."""

    name: str
    package: str | None  # in Debian and Ubuntu


def examine() -> dict[str, Any]:
    """Return the facts about this installation as plain JSON."""
    from mcsvm.solvers.jit.store import CACHE_FOLDER, CACHE_LASTS, CACHE_WORKS

    libraries = missing_libraries()
    return {
        "mcsvm": own_version(),
        "python": {"version": platform.python_version(), "path": sys.executable},
        "system": {"name": platform.platform(), "cores": os.cpu_count(), "usable_cores": _usable_cores()},
        "packages": {name: installed(name) for name in NEEDED},
        "extras": {name: installed(name) for name in EXTRAS},
        "threads": _threads(),
        "cache": {"folder": str(CACHE_FOLDER), "writable": CACHE_WORKS, "megabytes": _megabytes(CACHE_FOLDER)},
        "resources": str(folder()),
        "missing_libraries": [{"library": library.name, "package": library.package} for library in libraries],
        "problems": problems(libraries, cache_works=CACHE_WORKS, cache_lasts=CACHE_LASTS),
    }


def problems(libraries: list[SystemLibrary], *, cache_works: bool, cache_lasts: bool) -> list[str]:
    """Return one sentence for each problem, with its solution."""
    found = [f"{name} is not installed: pip install {name}" for name in NEEDED if installed(name) is None]
    if not cache_works:
        found.append("no cache folder can be written, so every start compiles the solvers again: set MCSVM_CACHE_DIR")
    elif not cache_lasts:
        found.append(
            "the cache folder cannot be written, so compiled solvers are kept among the temporary files, and are "
            "compiled again when these are deleted: set MCSVM_CACHE_DIR"
        )
    if not folder().is_dir():
        found.append(f"the example data are missing: there is no folder {folder()}")
    packages = sorted({library.package for library in libraries if library.package})
    if libraries:
        names = ", ".join(library.name for library in libraries)
        advice = f": apt-get install {' '.join(packages)}" if packages else ""
        found.append(f"the window lacks the system libraries {names}{advice}")
    return found


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads() -> list[dict[str, Any]]:
    import numpy as np
    import scipy.linalg  # noqa: F401 - loads the BLAS it uses
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    return [
        {key: pool.get(key) for key in ("user_api", "internal_api", "version", "num_threads")}
        for pool in threadpool_info()
    ]


def _megabytes(place: Path) -> float:
    files = [path for path in place.rglob("*") if path.is_file()] if place.is_dir() else []
    return round(sum(path.stat().st_size for path in files) / 2**20, 1)


# -- system libraries -----------------------------------------------------------------------------


def missing_libraries() -> list[SystemLibrary]:
    """Ask the loader which libraries are missing, without loading Qt.

    On systems other than Linux, Qt contains them all.
    """
    home = _qt_folder()
    if home is None or not sys.platform.startswith("linux") or programs.found("ldd") is None:
        return []
    names = {name for part in QT_PARTS if (home / part).exists() for name in _not_found(home / part)}
    return [SystemLibrary(name, _package_of(name)) for name in sorted(names)]


def _qt_folder() -> Path | None:
    found = importlib.util.find_spec("PySide6")
    return Path(found.origin).parent if found is not None and found.origin else None


def _not_found(library: Path) -> list[str]:
    try:
        answer = programs.run(["ldd", str(library)], seconds=20.0, environment={**os.environ, **_bundled()})
    except (OSError, programs.TimeLimitError):
        return []
    return not_found(answer.output)


def _bundled() -> dict[str, str]:
    """Return the library path of a bundle's loader; the program itself removes it from the environment of others."""
    home = getattr(sys, "_MEIPASS", None)
    return {} if home is None else {"LD_LIBRARY_PATH": home}


def not_found(answer: str) -> list[str]:
    """Return the names of the libraries that `ldd` could not find."""
    return re.findall(r"^\s*(\S+) => not found", answer, re.MULTILINE)


def _package_of(library: str) -> str | None:
    return next((package for name, package in PACKAGE_OF.items() if library.startswith(name)), None)
