"""Builds what the system it runs on can build: `python packaging/build.py` puts it into dist/.

Linux: the bundle, a Debian package, a portable archive. Windows: the bundle and its installer. macOS: the app.
Where this Python lacks what the build needs, a virtual environment is set up as packaging/bootstrap.py does it.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import bootstrap

ROOT = Path(__file__).resolve().parent.parent
NEEDS = "PyInstaller", "matplotlib", "openpyxl", "numba", "PySide6"


def main() -> int:
    options = parser().parse_args()
    if any(importlib.util.find_spec(name) is None for name in NEEDS):
        return elsewhere()
    os.environ.setdefault("SOURCE_DATE_EPOCH", epoch())
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    import products

    return products.build(options)


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="where the packages go (dist)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bundle", help="where the bundle is made")
    parser.add_argument("--compression", choices=["xz", "zstd"], default="xz", help="of the Debian package")
    parser.add_argument("--only", help="some of the products, separated by commas")
    parser.add_argument("--keep-bundle", action="store_true", help="package the bundle that is there")
    return parser


def elsewhere() -> int:
    """Again, in an environment of its own."""
    bootstrap.require_version(sys.version_info[:2], "run")
    folder = bootstrap.prepare(["bundle"])
    return subprocess.call([bootstrap.python_of(folder), *sys.argv])


def epoch() -> str:
    """The second of the commit, so that a commit gives the same files whenever it is built."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return str(int((ROOT / "CHANGELOG.md").stat().st_mtime))


if __name__ == "__main__":
    sys.exit(main())
