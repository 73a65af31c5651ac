"""Languages other than English: one JSON file each, from English to their own words."""

from __future__ import annotations

import json
import locale
import os
from collections.abc import Callable

from mcsvm_gui.core.base.resources import folder

ENGLISH = "en"


def languages() -> tuple[str, ...]:
    """By code; English needs no file."""
    return (ENGLISH, *sorted(path.stem for path in (folder() / "translations").glob("*.json")))


def chosen(setting: str) -> str:
    """The language that a setting stands for; the system's where it says so and there is one for it."""
    wanted = of_the_system() if setting == "system" else setting
    return wanted if wanted in languages() else ENGLISH


def of_the_system() -> str:
    """By the variables that POSIX reads, in its order; else by the system's locale."""
    named = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    first = next((value for value in named if value), None) or locale.getlocale()[0] or ENGLISH
    return first.replace("-", "_").split(".")[0].split("_")[0].lower()


def words(language: str) -> dict[str, str]:
    if language == ENGLISH:
        return {}
    return json.loads((folder() / "translations" / f"{language}.json").read_text("utf-8"))


def translator(language: str) -> Callable[[str], str]:
    """What has no translation stays English."""
    known = words(language)
    return lambda text: known.get(text, text)
