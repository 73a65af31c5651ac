"""Every sentence the window shows passes here: English in, the user's language out."""

from __future__ import annotations

from collections.abc import Callable

Translate = Callable[[str], str]


def _as_written(text: str) -> str:
    return text


_translate: Translate = _as_written


def install(translate: Translate | None = None) -> None:
    """How texts are translated from now on; without one, English stays."""
    global _translate
    _translate = translate or _as_written


def tr(text: str, **values: object) -> str:
    """`text` is a plain literal, so that it can be collected; its {places} are filled after translation.

    A translation that lost or misspelled a place must not cost the user the sentence.
    """
    translated = _translate(text)
    if not values:
        return translated
    try:
        return translated.format(**values)
    except (LookupError, ValueError):
        return text.format(**values)
