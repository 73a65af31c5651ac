"""Translation of every sentence that the window shows, from English to the user's language."""

from __future__ import annotations

import string
from collections.abc import Mapping
from gettext import NullTranslations
from typing import Any

from mcsvm.solvers.errors import InputError, Sentence, filled
from mcsvm_gui.core.base.figures import Notation, localised, use_notation
from mcsvm_gui.core.base.figures import count as in_groups

_translations = NullTranslations()


def install(translations: NullTranslations | None = None) -> None:
    """Use these translations and their number format from now on; without an argument, use English."""
    global _translations
    _translations = translations or NullTranslations()
    use_notation(Notation.of_example(_translations.info().get("x-percentage", "98.7%")))


def language() -> str:
    """Return the code of the language that texts are translated to."""
    return _translations.info().get("language", "en")


def tr(text: str, many: str = "", /, **values: object) -> str:
    """Translate `text`, or `many` if `count` is not one. Both are plain literals, so that they can be collected.

    Their {places} are filled after translation. If a translation lost or misspelled a place, the English sentence is
    used.
    """
    shown: dict[str, Any] = {name: worded(value) for name, value in values.items()}
    if not text:
        return text
    if many:
        count = shown["count"]
        english = text if count == 1 else many
        translated = _translations.ngettext(text, many, count)
        shown["count"] = in_groups(count)
    else:
        english, translated = text, _translations.gettext(text)
    try:
        return _filled(translated, shown)
    except (LookupError, ValueError):
        return _filled(english, shown)


class _Formatter(string.Formatter):
    """Fill the places of a sentence; numbers are written in the language's notation."""

    def format_field(self, value: Any, format_spec: str) -> str:
        text: str = format(value, format_spec)
        return localised(text) if isinstance(value, float) else text


def _filled(template: str, values: Mapping[str, Any]) -> str:
    if any(isinstance(value, float) for value in values.values()):
        return _Formatter().vformat(template, (), values)
    return filled(template, values)


def worded(said: Any) -> Any:
    """Translate a sentence, or the sentence of an error; return anything else unchanged."""
    if isinstance(said, InputError):
        said = said.sentence
    return tr(said.template, said.many, **said.values) if isinstance(said, Sentence) else said


def as_sentence(text: str) -> str:
    """Write a text as a sentence of its own.

    Other texts begin with a small letter and end without a full stop, so that they fit into a line.
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", "…")) else ".")
