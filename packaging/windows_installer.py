"""The installer for Windows, out of a bundle that was built on Windows; the compiler of installers runs anywhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import changes

SCRIPT = Path(__file__).resolve().parent / "windows" / "mcsvm.nsi"
PLACES = r"C:\Program Files (x86)\NSIS\makensis.exe", r"C:\Program Files\NSIS\makensis.exe"


class NoCompiler(Exception):
    """NSIS is not here."""


def build(bundle: Path, output: Path) -> Path:
    installer = output / f"mcsvm-{changes.version()}-setup.exe"
    subprocess.run([makensis(), "-V2", "-WX", *definitions(bundle, installer), str(SCRIPT)], check=True)
    return installer


def makensis() -> str:
    found = shutil.which("makensis") or next((place for place in PLACES if Path(place).is_file()), None)
    if found is None:
        raise NoCompiler("makensis is not here; NSIS brings it (on Debian the package nsis)")
    return found


def definitions(bundle: Path, installer: Path) -> list[str]:
    kilobytes = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()) // 1024
    values = {"VERSION": changes.version(), "BUNDLE": bundle, "OUTPUT": installer, "KILOBYTES": kilobytes}
    return [f"-D{name}={value}" for name, value in values.items()]
