"""The guide that the Help menu opens: one Markdown file per language, and its pictures.

Lists of formats and of checks are filled in from their tables.
"""

from __future__ import annotations

import re
from pathlib import Path

from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.base.i18n.translation import ENGLISH
from mcsvm_gui.core.base.resources import folder
from mcsvm_gui.core.data import formats
from mcsvm_gui.core.export import menu
from mcsvm_gui.core.report import FORMATS


def read(language: str) -> tuple[str, Path]:
    """Return the Markdown and the folder of its pictures; in English if the language has no guide."""
    path = folder() / "guide" / f"{language}.md"
    text = (path if path.is_file() else path.with_name(f"{ENGLISH}.md")).read_text("utf-8")
    for name, listed in _lists().items():
        text = text.replace(f"{{{name}}}", listed)
    return text, folder()


def _lists() -> dict[str, str]:
    reports = ", ".join(format_.title for format_ in FORMATS.values())
    from mcsvm_gui.core.check.table import CHECKS  # not needed at the start

    titles = sorted((check.code, worded(check.title)) for check in CHECKS)
    checks = "\n".join(f"| {code} | {title} |" for code, title in titles)
    return {"readers": formats.titles(), "exporters": menu.titles(), "reports": reports, "checks": checks}


def anchor(title: str) -> str:
    """Return the link target of a chapter, derived from its title as GitHub does it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
