"""A language for tests: English in wide letters. What is left in narrow ones was not translated, or is data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from gettext import NullTranslations

_WIDE = {code: code - 0x21 + 0xFF01 for code in (*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1))}
_KEPT = re.compile(r"({[^{}]*}|<[^<>]*>|&[a-z]+;)")  # places, and marks of rich text
_WORD = re.compile(r"(?<![0-9A-Za-z])[A-Za-z]{2,}(?![0-9A-Za-z])")


class PseudoLanguage(NullTranslations):
    def gettext(self, message: str) -> str:
        parts = _KEPT.split(message)
        return "".join(part if _KEPT.fullmatch(part) else part.translate(_WIDE) for part in parts)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


def english(text: str, allowed: Iterable[str] = ()) -> list[str]:
    """The words of a text that did not pass the translation; `allowed`: names that are the same in every language."""
    return [word for word in _WORD.findall(text) if word not in set(allowed)]
