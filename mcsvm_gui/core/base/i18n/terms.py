"""What the words of forms and tables mean: the guide's chapter on terms, in the language of the window."""

from __future__ import annotations

import re
from functools import cache

from mcsvm_gui.core.base.i18n import language
from mcsvm_gui.core.base.resources import folder

_ROW = re.compile(r"^\| \*\*([^|]+)\*\* \| ([^|]+) \|$", re.MULTILINE)  # of two columns; other tables have more


def meaning(title: str) -> str:
    """Of a field or a column by its title; nothing where the guide does not name it."""
    return terms(language()).get(title, "")


@cache
def terms(of: str) -> dict[str, str]:
    """Title and meaning, in this language; none where it has no guide."""
    path = folder() / "guide" / f"{of}.md"
    return dict(_ROW.findall(path.read_text("utf-8"))) if path.is_file() else {}
