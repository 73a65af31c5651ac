"""The one-folder bundle: PyInstaller, then what it does not do.

Symbols are taken out, the window gets its name, compiled code and the bill of materials are put in.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import bill
import elf
import icu
from changes import ROOT, version

from mcsvm_gui.core.base.i18n import catalogue  # found by bill

SPEC = ROOT / "packaging" / "mcsvm.spec"
SHARED_FROM = 50_000  # bytes


def build(work: Path) -> Path:
    """The folder of the bundle, new."""
    folder = collect(work)
    if sys.platform.startswith("linux"):
        strip_symbols(folder)
        trim_tables(folder)
        share_equal_files(folder)
    name_window(folder)
    compile_translations(folder)
    precompile(folder)
    bill.write(folder)
    set_times(folder, int(os.environ["SOURCE_DATE_EPOCH"]))
    return folder


def collect(work: Path) -> Path:
    """One hash seed, so that what PyInstaller packs comes in the same order every time."""
    environment = os.environ | {"MCSVM_VERSION": version(), "PYTHONHASHSEED": "1"}
    places = ["--distpath", str(work), "--workpath", str(work / "pyinstaller")]
    subprocess.run(
        [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN", *places, str(SPEC)],
        check=True,
        env=environment,
        cwd=ROOT,
    )
    return work / "mcsvm"


def compile_translations(folder: Path) -> None:
    place = bill.resources_of(folder) / "translations"
    catalogue.compile_all(place, place)
    for path in place.glob("*.po*"):
        path.unlink()


def strip_symbols(folder: Path) -> None:
    """A sixth of the bundle, for debuggers only. Libraries that auditwheel moved (.libs) would break by it."""
    libraries = [path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink()]
    for path in libraries:
        if not path.parent.name.endswith(".libs") and elf.is_elf(path):
            subprocess.run(["strip", "--strip-unneeded", "--preserve-dates", str(path)], check=True)


def trim_tables(folder: Path) -> None:
    for library in folder.rglob("libicudata.so.*"):
        if not library.is_symlink():
            icu.trim(library)


def share_equal_files(folder: Path) -> None:
    """numpy and scipy bring the same runtime of Fortran, and our font is matplotlib's: one file, two names."""
    first: dict[bytes, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size > SHARED_FROM:
            same = first.setdefault(hashlib.sha256(path.read_bytes()).digest(), path)
            if same != path:
                path.unlink()
                path.symlink_to(os.path.relpath(same, path.parent))


def name_window(folder: Path) -> None:
    """A second name of the same program (packaging/bundle_entry.py); on Windows it is a program of its own."""
    if sys.platform != "win32":
        window = folder / "mcsvm-gui"
        window.unlink(missing_ok=True)
        window.symlink_to("mcsvm")


def precompile(folder: Path) -> None:
    target = bill.inside(folder) / "mcsvm" / "solvers" / "compiled"
    command = [sys.executable, "-P", str(ROOT / "packaging" / "precompile.py"), str(target)]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONHASHSEED": "1"})


def set_times(folder: Path, epoch: int) -> None:
    """Of the commit, and rights by what a file is: archives of the same commit are the same."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or (os.access(path, os.X_OK) and path.parent == folder) else 0o644)
            os.utime(path, (epoch, epoch))
