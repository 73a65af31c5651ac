"""A folder that apt takes Debian packages from, made of the packages themselves.

    python packaging/apt_repository.py FOLDER dist/mcsvm_1.2.3_amd64.deb [MORE.deb] [--sign KEY]

Without a key, the line for apt's sources is `deb [trusted=yes] file:/FOLDER ./`; with one, gpg signs `InRelease`, and
`FOLDER/mcsvm.asc` is what `signed-by=` names. The same packages and day give the same bytes, but for the signature.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

HASHES = {"MD5Sum": "md5", "SHA256": "sha256"}


def write(folder: Path, packages: Sequence[Path], key: str = "") -> None:
    """What is there of older versions stays, so that apt can be told to go back to one."""
    pool = folder / "pool"
    pool.mkdir(parents=True, exist_ok=True)
    for package in packages:
        shutil.copy(package, pool)
    listing = "\n".join(entry(path, folder) for path in sorted(pool.glob("*.deb"))).encode()
    (folder / "Packages").write_bytes(listing)
    (folder / "Packages.gz").write_bytes(gzip.compress(listing, 9, mtime=0))
    (folder / "Release").write_text(release(folder), "utf-8")
    if key:
        sign(folder, key)


def entry(package: Path, folder: Path) -> str:
    """A package's own control file, and where it lies."""
    control = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, text=True, check=True).stdout
    content = package.read_bytes()
    sums = {"MD5sum": hashlib.md5(content, usedforsecurity=False), "SHA256": hashlib.sha256(content)}
    place = {"Filename": package.relative_to(folder).as_posix(), "Size": len(content)}
    told = {**place, **{name: digest.hexdigest() for name, digest in sums.items()}}
    return control.rstrip() + "\n" + "".join(f"{name}: {value}\n" for name, value in told.items())


def release(folder: Path) -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    day = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    lines = ["Origin: mcsvm", "Label: mcsvm", "Suite: stable", f"Date: {format_datetime(day, usegmt=True)}"]
    for title, name in HASHES.items():
        lines.append(f"{title}:")
        for path in (folder / "Packages", folder / "Packages.gz"):
            digest = hashlib.new(name, path.read_bytes(), usedforsecurity=False).hexdigest()
            lines.append(f" {digest} {path.stat().st_size} {path.name}")
    return "\n".join(lines) + "\n"


def sign(folder: Path, key: str) -> None:
    gpg = ("gpg", "--batch", "--yes", "--local-user", key)
    subprocess.run([*gpg, "--clearsign", "--output", folder / "InRelease", folder / "Release"], check=True)
    subprocess.run([*gpg, "--armor", "--output", folder / "mcsvm.asc", "--export", key], check=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("packages", type=Path, nargs="+", metavar="PACKAGE.deb")
    parser.add_argument("--sign", metavar="KEY", default="", help="a key of gpg")
    given = parser.parse_args(arguments)
    write(given.folder, given.packages, given.sign)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
