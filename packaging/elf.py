"""What the programs and libraries of a folder ask of the system: libraries by name, and the newest version of glibc."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

GLIBC = re.compile(r"\bGLIBC_(\d+(?:\.\d+)+)\b")


def wants(folder: Path) -> tuple[set[str], str]:
    """Libraries that do not lie in the folder themselves."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and is_elf(path)]
    here = {path.name for path in folder.rglob("*")}
    told = [told_by(path) for path in files]
    needed = {name for text in told for name in needed_in(text)}
    return needed - here, newest_in("\n".join(told))


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def told_by(path: Path) -> str:
    return subprocess.run(["objdump", "-p", str(path)], check=True, capture_output=True, text=True).stdout


def needed_in(text: str) -> list[str]:
    return re.findall(r"^\s*NEEDED\s+(\S+)$", text, re.MULTILINE)


def newest_in(text: str) -> str:
    versions = {tuple(map(int, found.split("."))) for found in GLIBC.findall(text)}
    return ".".join(map(str, max(versions)))
