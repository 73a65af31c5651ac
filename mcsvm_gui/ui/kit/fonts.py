"""A font where the system has none: every letter would be an empty box, and nothing would fail."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics

from mcsvm_gui.core.base.resources import fonts


def supply() -> None:
    """What a bundle brings along; a checkout brings nothing, and bootstrap.py installs a font."""
    if not has_letters():
        for path in fonts():
            QFontDatabase.addApplicationFont(str(path))


def has_letters() -> bool:
    """Families would not tell: fontconfig names some that it cannot supply."""
    return QFontMetrics(QFont()).inFont("A")
