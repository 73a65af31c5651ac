"""What a Linux desktop wants to find under /usr/share: menu entry, description, file types, icons, manual pages.

python packaging/share.py FOLDER    fills FOLDER as if it were /usr/share
"""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

import changes
import manual

LINUX = Path(__file__).resolve().parent / "linux"
ICON = changes.ROOT / "resources" / "icons" / "application.svg"
ICON_SIZES = 16, 24, 32, 48, 64, 128, 256, 512
METAINFO = "metainfo/org.mcsvm.mcsvm.metainfo.xml"


def fill(share: Path) -> list[Path]:
    """The files written, all below `share`; the same source and day give the same bytes."""
    return [_write(share / name, content) for name, content in sorted(files().items())]


def files() -> dict[str, bytes]:
    """By their place below /usr/share."""
    return {
        "applications/mcsvm.desktop": (LINUX / "mcsvm.desktop").read_bytes(),
        "mime/packages/mcsvm.xml": (LINUX / "mcsvm.xml").read_bytes(),
        METAINFO: metainfo().encode("utf-8"),
        "icons/hicolor/scalable/apps/mcsvm.svg": ICON.read_bytes(),
        **{f"icons/hicolor/{size}x{size}/apps/mcsvm.png": picture(size) for size in ICON_SIZES},
        **{f"man/man1/{name}.gz": gzip.compress(text.encode(), 9, mtime=0) for name, text in manual.pages().items()},
    }


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o644)
    return path


# -- the program's description --------------------------------------------------------------------


def metainfo() -> str:
    """With the releases of CHANGELOG.md; one of them must be this version."""
    told = changes.releases()
    if changes.version() not in {release.version for release in told}:
        raise ValueError(f"CHANGELOG.md has no heading for version {changes.version()}")
    lines = "".join(f"    {line}\n" for release in told for line in _release(release))
    return (LINUX / "mcsvm.metainfo.xml").read_text("utf-8").replace("<releases/>", f"<releases>\n{lines}  </releases>")


def _release(release: changes.Release) -> Iterator[str]:
    kind = "development" if release.unreleased else "stable"
    yield f'<release version="{release.version}" date="{release.day}" type="{kind}">'
    yield "  <description><ul>"
    yield from (f"    <li>{_marked(change)}</li>" for change in release.changes)
    yield "  </ul></description>"
    yield "</release>"


def _marked(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text, quote=False))


# -- icons ----------------------------------------------------------------------------------------


def picture(size: int) -> bytes:
    """A PNG of the icon; nothing of a screen is needed for it."""
    from PySide6.QtCore import QBuffer, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(ICON)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    for written in fill(Path(sys.argv[1])):
        print(written)
