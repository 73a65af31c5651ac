"""The manifest: every file of a bundle by name, and the SHA-256 of those that are ours.

The same commit gives the same manifest, wherever and whenever it is built; what others made is only named, because
another release of theirs may be installed.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import bill
import changes

SOURCES = "solvers", "mcsvm_gui"  # in the checkout
PACKAGES = {"mcsvm", "mcsvm_gui"}  # in the bundle
# The bill of materials and fonts are of what others made; in compiled code numba numbers its symbols as they come.
NOT_OURS = {"bill.json", "licences.txt", "fonts", "compiled"}


def write(bundle: Path, output: Path) -> Path:
    path = output / f"mcsvm-{changes.version()}-manifest.json"
    path.write_text(json.dumps(manifest(bundle, changes.ROOT), indent=1, sort_keys=True) + "\n", "utf-8")
    return path


def manifest(bundle: Path, root: Path) -> dict[str, object]:
    names = sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if not path.is_dir())
    return {
        "version": changes.version(),
        "files": names,
        "own_files": {name: digest(bundle / name) for name in names if is_own(bundle, name)},
        "sources": sources(root),  # of the modules in the program's archive
    }


def is_own(bundle: Path, name: str) -> bool:
    place = (bundle / name).relative_to(bill.inside(bundle)) if is_inside(bundle, name) else Path(name)
    return len(place.parts) > 1 and place.parts[0] in PACKAGES and NOT_OURS.isdisjoint(place.parts)


def is_inside(bundle: Path, name: str) -> bool:
    return (bundle / name).is_relative_to(bill.inside(bundle))


def sources(root: Path) -> dict[str, str]:
    paths = (path for package in SOURCES for path in sorted((root / package).rglob("*.py")))
    return {path.relative_to(root).as_posix(): digest(path) for path in paths}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
