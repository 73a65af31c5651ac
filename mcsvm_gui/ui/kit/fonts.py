"""A font for systems without one: every letter would be an empty box, and no error would be raised."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics

from mcsvm_gui.core.base.resources import fonts


def supply() -> None:
    """Load the fonts of a bundle if the system has none; a checkout has no fonts, and bootstrap.py installs one."""
    if not has_letters():
        for path in fonts():
            QFontDatabase.addApplicationFont(str(path))


def has_letters() -> bool:
    """Return whether the font has letters; family names do not tell: fontconfig lists some that it cannot supply."""
    return QFontMetrics(QFont()).inFont("A")
