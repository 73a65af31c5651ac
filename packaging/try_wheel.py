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
    return True


def life(python: str, wheel: Path, folder: Path) -> list[str]:
    for name in ("vowel_train.csv", "vowel_test.csv"):
        shutil.copy(DATA / name, folder)
    told = [timed("venv", folder, python, "-m", "venv", "alone")]
    alone = str(folder / "alone" / ("Scripts" if os.name == "nt" else "bin") / "python")
    mcsvm = alone, "-P", "-m", "mcsvm_gui.cli"
    told.append(timed("install", folder, alone, "-m", "pip", "install", "--quiet", wheel))
    told.append(timed("train", folder, *mcsvm, "train", "vowel_train.csv", "--model", "m.mcsvm", "--json"))
    told.append(timed("train again", folder, *mcsvm, "train", "vowel_train.csv", "--model", "m.mcsvm", "--json"))
    told.append(timed("predict", folder, *mcsvm, "predict", "m.mcsvm", "vowel_test.csv", "-o", "p.csv"))
    told.append(timed("export", folder, *mcsvm, "export", "m.mcsvm", "--to", "pmml", "-o", "m.pmml"))
    told.append(timed("help", folder, *mcsvm, "--help"))
    doctor = json.loads(words(folder, *mcsvm, "doctor", "--json"))
    told.append(timed("remove", folder, alone, "-m", "pip", "uninstall", "--quiet", "--yes", "mcsvm"))
    search = "from importlib.util import find_spec; print(find_spec('mcsvm_gui'), find_spec('mcsvm'))"
    left = words(folder, alone, "-c", search)
    assert left.split() == ["None", "None"], left
    rows = len((folder / "p.csv").read_text("utf-8").splitlines()) - 1
    return [f"Python {doctor['python']['version']}, {rows} rows predicted", *told]


def timed(step: str, folder: Path, *command: object) -> str:
    began = perf_counter()
    words(folder, *command)
    return f"{step} {perf_counter() - began:.1f} s"


def words(folder: Path, *command: object) -> str:
    """With a home of its own, so that nothing of ours is found and nothing is left."""
    places = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "QT_QPA_PLATFORM": "offscreen"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**environment, **places},
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
