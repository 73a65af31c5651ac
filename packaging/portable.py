"""The portable archive: one folder to unpack anywhere, with what a desktop may be told of it in share/."""

from __future__ import annotations

import gzip
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import changes
import share


def build(bundle: Path, work: Path, output: Path) -> Path:
    """The same bundle gives the same bytes: sorted, of nobody, at the time of the commit."""
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    extra = work / "portable"
    share.fill(extra / "share")
    name = f"mcsvm-{changes.version()}-{os.uname().sysname.lower()}-{os.uname().machine}"
    archive = output / f"{name}.tar.gz"
    with archive.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=epoch) as packed:
        write(packed, name, [*contents(bundle), *contents(extra), *contents(changes.ROOT, "LICENSE")], epoch)
    return archive


def contents(folder: Path, *only: str) -> Iterator[tuple[str, Path]]:
    names = only or sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    yield from ((name, folder / name) for name in names)


def write(file: gzip.GzipFile, top: str, members: list[tuple[str, Path]], epoch: int) -> None:
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, path in sorted(members):
            member = tar.gettarinfo(path, f"{top}/{name}")
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = epoch
            if member.isfile():
                with path.open("rb") as content:
                    tar.addfile(member, content)
            else:
                tar.addfile(member)
