"""Compiles the solvers' loops for processors of `mcsvm.solvers.jit.store.LEVEL`, to be shipped beside their sources.

    python packaging/precompile.py FOLDER    FOLDER gets what belongs at solvers/compiled

Every method is run on every machine it takes, and everything that trains in another way (solvers/precompile.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().with_name("python")  # where a checkout's `mcsvm` is


def main(folder: str) -> int:
    sys.path.insert(0, str(SOURCES))
    shutil.rmtree(folder, ignore_errors=True)
    again = [sys.executable, "-P", __file__, folder]
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"MCSVM_CACHE_DIR": cache}
        subprocess.run([*again, "compile"], check=True, env=environment)
        used = subprocess.run([*again, "load"], check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
        keep(Path(cache) / "compiled", Path(folder), used.splitlines())
    return 0


def keep(compiled: Path, folder: Path, used: list[str]) -> None:
    """What a run loads, and its indices: code of callees is inside that of their callers."""
    for data in map(Path, used):
        target = folder / data.relative_to(compiled)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data, target)
    for index in compiled.rglob("*.nbi"):
        place = folder / index.relative_to(compiled)
        if list(place.parent.glob(f"{index.stem}.*.nbc")):
            shutil.copy(index, place)


def run(what: str) -> int:
    sys.path.insert(0, str(SOURCES))
    choose_level()
    if what == "load":
        tell_loaded()
    compile_all()
    return 0


def tell_loaded() -> None:
    """Prints the files that code is loaded from, each once."""
    from numba.core.caching import IndexDataCacheFile

    load, told = IndexDataCacheFile._load_data, set()

    def telling(self, name):
        data, path = load(self, name), self._data_path(name)
        if path not in told:
            told.add(path)
            print(path)
        return data

    IndexDataCacheFile._load_data = telling


def choose_level() -> None:
    """Before anything is compiled, and whatever this processor is."""
    import numba

    from mcsvm.solvers.jit import store

    numba.config.CPU_NAME, numba.config.CPU_FEATURES = store.LEVEL, ""


def compile_all() -> None:
    from mcsvm.solvers.methods import METHODS
    from mcsvm.solvers.precompile import compile_all

    compile_all(lambda done, count: None, METHODS)


if __name__ == "__main__":
    sys.exit(run(sys.argv[2]) if len(sys.argv) > 2 else main(sys.argv[1]))
