"""Meanings of the terms in forms and tables, from the guide's chapter on terms in the language of the window."""

from __future__ import annotations

import re
from functools import cache

from mcsvm_gui.core.base.i18n import language
from mcsvm_gui.core.base.resources import folder

_ROW = re.compile(r"^\| \*\*([^|]+)\*\* \| ([^|]+) \|$", re.MULTILINE)  # a table of two columns; others have more


def meaning(title: str) -> str:
    """Return the meaning of a field or column by its title; an empty text if the guide does not explain it."""
    return terms(language()).get(title, "")


@cache
def terms(of: str) -> dict[str, str]:
    """Return the meanings by title in a language; nothing if there is no guide in it."""
    path = folder() / "guide" / f"{of}.md"
    return dict(_ROW.findall(path.read_text("utf-8"))) if path.is_file() else {}
