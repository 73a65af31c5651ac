"""The Debian package: the bundle in /usr/lib/mcsvm, its names in /usr/bin, what desktops want in /usr/share."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, time
from email.utils import format_datetime
from pathlib import Path

import changes
import elf
import share

HOME = Path("usr/lib/mcsvm")
MAINTAINER = "the mcsvm authors <authors@mcsvm.org>"
LINTIAN = Path(__file__).resolve().parent / "linux" / "lintian-overrides"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}

# Which package has a library. The first name is Debian 13's where they differ.
PACKAGE_OF = {
    "libc.so": "libc6",
    "libm.so": "libc6",
    "libdl.so": "libc6",
    "librt.so": "libc6",
    "libpthread.so": "libc6",
    "ld-linux": "libc6",
    "libstdc++.so": "libstdc++6",
    "libgcc_s.so": "libgcc-s1",
    "libz.so": "zlib1g",
    "libzstd.so": "libzstd1",
    "libuuid.so": "libuuid1",
    "libGL.so": "libgl1",
    "libEGL.so": "libegl1",
    "libglib-2.0.so": "libglib2.0-0t64 | libglib2.0-0",
    "libgthread-2.0.so": "libglib2.0-0t64 | libglib2.0-0",
    "libfontconfig.so": "libfontconfig1",
    "libfreetype.so": "libfreetype6",
    "libdbus-1.so": "libdbus-1-3",
    "libwayland-client.so": "libwayland-client0",
    "libwayland-cursor.so": "libwayland-cursor0",
    "libwayland-egl.so": "libwayland-egl1",
    "libX11.so": "libx11-6",
    "libX11-xcb.so": "libx11-xcb1",
    "libxcb.so": "libxcb1",
    "libxcb-glx.so": "libxcb-glx0",
    "libxcb-randr.so": "libxcb-randr0",
    "libxcb-render.so": "libxcb-render0",
    "libxcb-shape.so": "libxcb-shape0",
    "libxcb-shm.so": "libxcb-shm0",
    "libxcb-sync.so": "libxcb-sync1",
    "libxcb-xfixes.so": "libxcb-xfixes0",
    "libxcb-xkb.so": "libxcb-xkb1",
}


class NoPackage(Exception):
    """A library that the bundle needs and no package is known for."""


def build(bundle: Path, work: Path, output: Path, compression: str) -> Path:
    root = work / "deb"
    shutil.rmtree(root, ignore_errors=True)
    fill(root, bundle)
    write_control(root, bundle)
    set_modes(root)
    package = output / f"mcsvm_{changes.version()}_{architecture()}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", *options(compression), "--build", root, package], check=True)
    return package


def options(compression: str) -> list[str]:
    """xz as small as dpkg can: its larger dictionary sees what LLVM, Qt and the two OpenBLAS repeat."""
    return {"xz": ["-Zxz", "-z9", "-Sextreme"], "zstd": ["-Zzstd", "-z3"]}[compression]


def architecture() -> str:
    machine = os.uname().machine
    return ARCHITECTURES.get(machine, machine)


# -- files ----------------------------------------------------------------------------------------


def fill(root: Path, bundle: Path) -> None:
    (root / HOME.parent).mkdir(parents=True)
    shutil.copytree(bundle, root / HOME, symlinks=True, copy_function=link)
    (root / "usr/bin").mkdir()
    for name in ("mcsvm", "mcsvm-gui"):
        (root / "usr/bin" / name).symlink_to(f"../lib/mcsvm/{name}")
    share.fill(root / "usr/share")
    place = root / "usr/share/doc/mcsvm"
    place.mkdir(parents=True)
    (place / "copyright").write_text(copyright_file(), "utf-8")
    (place / "changelog.gz").write_bytes(gzip.compress(changelog().encode(), 9, mtime=0))
    overrides = root / "usr/share/lintian/overrides/mcsvm"
    overrides.parent.mkdir(parents=True)
    shutil.copy(LINTIAN, overrides)


def link(source: str, target: str) -> None:
    """The same file, not a copy of 400 MB, where both lie on one disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def copyright_file() -> str:
    licence = "\n".join(f" {line}" if line.strip() else " ." for line in text_of("LICENSE").splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: mcsvm\n"
        "Comment: The libraries inside, their versions and their licences are listed, with the texts, in\n"
        " /usr/lib/mcsvm/_internal/mcsvm_gui/resources/licences.txt, and by the program itself (Help, About).\n"
        "\n"
        f"Files: *\nCopyright: {copyright_line()}\nLicense: MIT\n{licence}\n"
    )


def copyright_line() -> str:
    line = next(line for line in text_of("LICENSE").splitlines() if line.startswith("Copyright"))
    return line.removeprefix("Copyright").removeprefix(" (c)").strip()


def text_of(name: str) -> str:
    return (changes.ROOT / name).read_text("utf-8")


def changelog() -> str:
    """In Debian's form."""
    return "\n".join(entry for release in changes.releases() for entry in _entry(release))


def _entry(release: changes.Release) -> Iterator[str]:
    day = format_datetime(datetime.combine(release.day, time(), UTC))
    yield f"mcsvm ({release.version}) {'UNRELEASED' if release.unreleased else 'unstable'}; urgency=medium\n"
    for change in release.changes:
        yield from _item(change)
    yield f"\n -- {MAINTAINER}  {day}\n"


def _item(change: str) -> list[str]:
    return textwrap.wrap(change, 78, initial_indent="  * ", subsequent_indent="    ", break_on_hyphens=False)


def set_modes(root: Path) -> None:
    """Directories and files that we made here; those of the bundle have theirs."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or (path.parent.name == "mcsvm" and path.name == "mcsvm")
            path.chmod(0o755 if runs else 0o644)


# -- control --------------------------------------------------------------------------------------


def write_control(root: Path, bundle: Path) -> None:
    place = root / "DEBIAN"
    place.mkdir()
    (place / "control").write_text(control(installed_size(root), depends(bundle)), "utf-8")
    (place / "md5sums").write_text("".join(sums(root)), "utf-8")


def control(kilobytes: int, dependencies: list[str]) -> str:
    return f"""Package: mcsvm
Version: {changes.version()}
Architecture: {architecture()}
Maintainer: {MAINTAINER}
Installed-Size: {kilobytes}
Depends: {", ".join(dependencies)}
Section: science
Priority: optional
Description: multi-class support vector machines with certificates
 Trains six kinds of support vector machines for more than two classes and
 shows while it happens how far each of them is from its optimum. Data come
 as CSV, LIBSVM, ARFF or Excel files; models can be searched for, compared
 with statistical tests, verified and exported.
 .
 The window is mcsvm-gui; mcsvm does the same from the command line. Python
 and all libraries are inside.
"""


def installed_size(root: Path) -> int:
    """In units of 1024 bytes, as Debian's policy counts."""
    files = (root / "usr").rglob("*")
    return sum(-(-path.lstat().st_size // 1024) if path.is_file() and not path.is_symlink() else 1 for path in files)


def sums(root: Path) -> Iterator[str]:
    for path in sorted((root / "usr").rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  {path.relative_to(root)}\n"


def depends(bundle: Path) -> list[str]:
    """From what the files ask for, and a font: without any, every letter is an empty box."""
    needed, newest = elf.wants(bundle)
    found = {package_of(library) for library in needed}
    found.discard("libc6")
    return [f"libc6 (>= {newest})", *sorted(found)]


def package_of(library: str) -> str:
    for name, package in PACKAGE_OF.items():
        if library.startswith(name):
            return package
    raise NoPackage(f"{library}: no package is known for it; see PACKAGE_OF in {Path(__file__).name}")
