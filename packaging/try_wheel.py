"""A wheel in interpreters of several versions: installed, used without the repository, removed.

    python -m build --wheel
    python packaging/try_wheel.py dist/mcsvm-1.2.3-py3-none-any.whl python3.11 python3.14

Each gets a virtual environment that is thrown away; a line for each says what was seen, and how long each step took.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

DATA = Path(__file__).resolve().parent.parent / "resources" / "datasets"
LIBRARIES = "from importlib.util import find_spec; print(find_spec('PySide6'), find_spec('pyqtgraph'))"
WINDOW_MISSING = "the window needs PySide6 and pyqtgraph; install what it needs: pip install 'mcsvm[gui]'"
WINDOW = """
from PySide6.QtWidgets import QApplication
from mcsvm_gui.app import create_window

application = QApplication([])
window = create_window("project.mcsvmproj", "settings.toml")
window.show()
application.processEvents()
assert window.isVisible()
window.assembly.close()
"""
# The best of five processes, in seconds: the estimator with scikit-learn, and the time of scikit-learn's SVC alone.
IMPORT = """
import subprocess, sys
from time import perf_counter

def best(line):
    seconds = []
    for _ in range(5):
        began = perf_counter()
        subprocess.run([sys.executable, "-P", "-c", line], check=True)
        seconds.append(perf_counter() - began)
    return min(seconds)

lines = "pass", "import mcsvm", "from mcsvm import MultiClassSVC", "from sklearn.svm import SVC"
print(" / ".join(f"{best(line):.2f}" for line in lines))
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    given = parser.parse_args(arguments)
    failed = [python for python in given.pythons if not tried(python, given.wheel.resolve())]
    return 1 if failed else 0


def tried(python: str, wheel: Path) -> bool:
    try:
        with tempfile.TemporaryDirectory(prefix="mcsvm-wheel-") as folder:
            print(f"{python}: {'; '.join(life(python, wheel, Path(folder)))}", flush=True)
    except subprocess.CalledProcessError as trouble:
        print(f"{python}: FAILED: {' '.join(map(str, trouble.cmd))}\n{trouble.stderr[-2000:]}", flush=True)
        return False
    except AssertionError as trouble:
        print(f"{python}: FAILED: {trouble}", flush=True)
        return False
    return True


def life(python: str, wheel: Path, folder: Path) -> list[str]:
    """Use the wheel without the window, add the window, remove it; a folder `solvers` of the user is in the way."""
    for name in ("vowel_train.csv", "vowel_test.csv"):
        shutil.copy(DATA / name, folder)
    (folder / "solvers").mkdir()
    (folder / "solvers" / "__init__.py").write_text("raise SystemExit('a package of the user was imported')\n")
    told = [timed("venv", folder, python, "-m", "venv", "alone")]
    programs = folder / "alone" / ("Scripts" if os.name == "nt" else "bin")
    alone, mcsvm = programs / "python", programs / "mcsvm"
    told.append(timed("install", folder, alone, "-m", "pip", "install", "--quiet", wheel))
    told.append(f"{megabytes(folder / 'alone')} MB")
    assert words(folder, alone, "-c", LIBRARIES).split() == ["None", "None"]
    assert refusal(folder, programs / "mcsvm-gui") == f"error: {WINDOW_MISSING}"
    told.append(timed("train", folder, mcsvm, "train", "vowel_train.csv", "--model", "m.mcsvm", "--json"))
    told.append(timed("train again", folder, mcsvm, "train", "vowel_train.csv", "--model", "m.mcsvm", "--json"))
    told.append(timed("predict", folder, mcsvm, "predict", "m.mcsvm", "vowel_test.csv", "-o", "p.csv"))
    told.append(timed("export", folder, mcsvm, "export", "m.mcsvm", "--to", "pmml", "-o", "m.pmml"))
    told.append(timed("help", folder, mcsvm, "--help"))
    told.append(f"import {words(folder, alone, '-P', '-c', IMPORT).strip()} s")
    doctor = json.loads(words(folder, mcsvm, "doctor", "--json"))
    assert doctor["problems"] == [], doctor["problems"]
    told.append(timed("install the window", folder, alone, "-m", "pip", "install", "--quiet", f"{wheel}[gui]"))
    told.append(f"{megabytes(folder / 'alone')} MB")
    told.append(timed("window", folder, alone, "-P", "-c", WINDOW))
    told.append(timed("remove", folder, alone, "-m", "pip", "uninstall", "--quiet", "--yes", "mcsvm"))
    search = "from importlib.util import find_spec; print(find_spec('mcsvm_gui'), find_spec('mcsvm'))"
    left = words(folder, alone, "-c", search)
    assert left.split() == ["None", "None"], left
    rows = len((folder / "p.csv").read_text("utf-8").splitlines()) - 1
    return [f"Python {doctor['python']['version']}, {rows} rows predicted", *told]


def megabytes(folder: Path) -> int:
    return round(sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6)


def timed(step: str, folder: Path, *command: object) -> str:
    began = perf_counter()
    words(folder, *command)
    return f"{step} {perf_counter() - began:.1f} s"


def words(folder: Path, *command: object) -> str:
    done = run(folder, *command)
    done.check_returncode()
    return done.stdout


def refusal(folder: Path, *command: object) -> str:
    """Return what a command says on standard error that ends with exit code 2 and prints nothing else."""
    done = run(folder, *command)
    assert (done.returncode, done.stdout) == (2, ""), done
    return done.stderr.strip()


def run(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """With a home of its own, so that nothing of ours is found and nothing is left; the folder is on Python's path."""
    places = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "QT_QPA_PLATFORM": "offscreen"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**environment, **places, "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=900,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
