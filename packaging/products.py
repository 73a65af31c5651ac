"""What can be built here, and in which order."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import bundle
import deb
import macos_app
import manifest
import portable
import sizes
import windows_installer

Product = Callable[[Path, argparse.Namespace], Path]
# By sys.platform.
PRODUCTS: dict[str, dict[str, Product]] = {
    "linux": {
        "manifest": lambda folder, options: manifest.write(folder, options.output),
        "deb": lambda folder, options: deb.build(folder, options.work, options.output, options.compression),
        "portable": lambda folder, options: portable.build(folder, options.work, options.output),
    },
    "win32": {
        "manifest": lambda folder, options: manifest.write(folder, options.output),
        "windows": lambda folder, options: windows_installer.build(folder, options.output),
    },
    "darwin": {
        "manifest": lambda folder, options: manifest.write(folder, options.output),
        "macos": lambda folder, options: macos_app.build(folder, options.work, options.output),
    },
}


def build(options: argparse.Namespace) -> int:
    here = PRODUCTS[sys.platform]
    chosen = options.only.split(",") if options.only else list(here)
    strange = [name for name in chosen if name not in here]
    if strange:
        print(f"error: {', '.join(strange)}: here can be built: {', '.join(here)}", file=sys.stderr)
        return 2
    for folder in (options.output, options.work):
        folder.mkdir(parents=True, exist_ok=True)
    folder = options.work / "mcsvm" if options.keep_bundle else bundle.build(options.work)
    made = [here[name](folder, options) for name in chosen]
    print(sizes.table(folder))
    for path in made:
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path}")
    return 0
