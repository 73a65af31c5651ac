"""The guide that the Help menu opens: one Markdown file per language, its pictures beside."""

from __future__ import annotations

import re
from pathlib import Path

from mcsvm_gui.core.base.i18n.translation import ENGLISH
from mcsvm_gui.core.base.resources import folder


def read(language: str) -> tuple[str, Path]:
    """Markdown, and the folder its pictures are found from; English where the language has no guide."""
    path = folder() / "guide" / f"{language}.md"
    return (path if path.is_file() else path.with_name(f"{ENGLISH}.md")).read_text("utf-8"), folder()


def anchor(title: str) -> str:
    """What links call a chapter, as GitHub makes it of its title."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
