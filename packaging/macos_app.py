"""The macOS app: PyInstaller's spec has made mcsvm.app; here it becomes a disk image. Runs on macOS only.

Signing needs a developer's certificate: with its name in MCSVM_SIGN the app and the image are signed for notarisation.
Without it the signature is ad hoc, and Finder asks before the first start (right click, Open).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import changes


def build(bundle: Path, work: Path, output: Path) -> Path:
    """An image that shows the app beside the folder it is to be dragged to."""
    app, stage = bundle.with_suffix(".app"), work / "image"
    identity = os.environ.get("MCSVM_SIGN", "-")
    sign(app, identity)
    shutil.rmtree(stage, ignore_errors=True)
    shutil.copytree(app, stage / app.name, symlinks=True)
    (stage / "Applications").symlink_to("/Applications")
    image = output / f"mcsvm-{changes.version()}-{os.uname().machine}.dmg"
    run("hdiutil", "create", "-volname", "mcsvm", "-srcfolder", stage, "-format", "ULMO", "-ov", image)
    if identity != "-":
        sign(image, identity)
    return image


def sign(path: Path, identity: str) -> None:
    hardened = [] if identity == "-" else ["--options", "runtime", "--timestamp"]
    run("codesign", "--force", "--deep", "--sign", identity, *hardened, path)


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True)
