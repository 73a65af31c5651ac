"""What we hold back or do ourselves because of a fault elsewhere: the fault is shown, its end told by a failing test.

When a test here fails, raise the bound in pyproject.toml or delete what stands in, with its probe and its note. When
numba or PySide6 drop an old Python, nothing has to be done: pip takes the last version that has it, down to our lower
bound, which the workflow `tests` tries with the lowest versions.

| bound | since | why | upstream |
|---|---|---|---|
| `pyside6-essentials<6.11` | 2026-11 | from 6.11 on pyqtgraph 0.14.0 exports no SVG | pyqtgraph#3485, open; the same traceback in suite2p#1243; 6.11 also mends QByteArray's leak, PYSIDE-3031 and pyqtgraph#3265 |
| the same | 2026-11 | 6.12 drops a reference to True at every emit, and aborts before Python 3.12 | no thread found on 2026-11-19 |
| `requires-python<3.15` | 2026-11 | PySide6 before 6.12 refuses it; numba 0.68.1, NumPy, SciPy, scikit-learn, pandas have it | numba#10732, merged; ends with the bound of PySide6 |
| `_Files` of solvers/jit/store.py | 2026-11 | numba numbers files of compiled code: programs that compile at once load each other's | no thread found on 2026-11-19; numba#10128, open, is the same of gufuncs |
"""  # noqa: E501

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

pytestmark = [pytest.mark.large, pytest.mark.timeout(900)]
SVG = """
import pyqtgraph as pg
from pyqtgraph.exporters import SVGExporter
application = pg.mkQApp()
plot = pg.PlotWidget()
plot.plot([1, 3, 2])
plot.resize(300, 200)
plot.show()
application.processEvents()
text = SVGExporter(plot.getPlotItem()).export(toBytes=True)
raise SystemExit(0 if text and b"<path" in text else "no path in the picture")
"""
EMIT = """
import sys
from PySide6.QtCore import QObject, Signal
class Source(QObject):
    fired = Signal(bool)
source = Source()
before = sys.getrefcount(True)
for _ in range(2000): source.fired.emit(True)
kept = sys.version_info >= (3, 12) or sys.getrefcount(True) > before - 100
raise SystemExit(0 if kept else "references were dropped")
"""
PROBES = {"svg": SVG, "emit": EMIT}


def shows_fault(probe: str, packages: Path | None = None) -> str:
    """What it said, or nothing where all is well."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYQTGRAPH_QT_LIB": "PySide6"}
    if packages is not None:
        environment["PYTHONPATH"] = str(packages)
    done = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, text=True, timeout=120)
    return "" if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[-300:]}"


@pytest.mark.parametrize("name", PROBES)
def test_the_version_in_use_has_no_fault(name: str) -> None:
    assert shows_fault(PROBES[name]) == ""


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newest")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    done = subprocess.run(
        [*pip, "pyside6-essentials", "shiboken6"], capture_output=True, text=True, timeout=800, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no newer version can be had here: {done.stderr[-200:]}")
    return folder


def test_the_newest_qt_for_python_still_has_a_fault(newest: Path) -> None:
    found = {name: shows_fault(probe, newest) for name, probe in PROBES.items()}
    print(found)
    assert any(found.values()), "both faults are mended: raise the bound of pyside6-essentials"


def test_the_version_in_use_still_refuses_python_3_15() -> None:
    said = metadata("pyside6-essentials")["Requires-Python"]
    assert "<3.15" in said, f"PySide6 takes {said}: raise requires-python, VERSIONS of bootstrap.py and .ci/run"


def test_numba_still_lets_programs_overwrite_each_others_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second program has read the index before the first wrote it, as in tests/unit/jit/test_store.py."""
    one, other = (IndexDataCacheFile(str(tmp_path), "step-7", "stamp") for _ in range(2))
    one.save("float32", "code of float32")
    told = one._load_index()["float32"]
    monkeypatch.setattr(other, "_load_index", dict)
    other.save("float64", "code of float64")
    assert one._load_data(told) == "code of float64", "numba keeps them apart: let Store use its files"
