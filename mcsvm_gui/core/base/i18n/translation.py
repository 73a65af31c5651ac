"""Languages other than English: one file of translations each. A built program has them compiled."""

from __future__ import annotations

import gettext
import io
import locale
import os
from functools import cache
from itertools import dropwhile, takewhile
from pathlib import Path

from mcsvm_gui.core.base.i18n import catalogue
from mcsvm_gui.core.base.resources import folder

ENGLISH = "en"


def languages() -> dict[str, str]:
    """What each language calls itself, by its code; English needs no file."""
    return {ENGLISH: "English", **{code: _name(path) or code for code, path in _files().items()}}


def chosen(setting: str) -> str:
    """The language that a setting stands for; the system's where it says so and there is one for it."""
    wanted = of_the_system() if setting == "system" else setting
    return wanted if wanted in _files() else ENGLISH


def of_the_system() -> str:
    """By the variables that POSIX reads, in its order; else by the system's locale."""
    named = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    first = next((value for value in named if value), None) or locale.getlocale()[0] or ENGLISH
    return first.replace("-", "_").split(".")[0].split("_")[0].lower()


def translations(language: str) -> gettext.NullTranslations:
    """What has no translation stays English."""
    return _read(_files()[language]) if language in _files() else gettext.NullTranslations()


def _files() -> dict[str, Path]:
    """By the code of the language; what is compiled counts only where nothing is left to compile."""
    place = folder() / "translations"
    return {path.stem: path for ending in ("mo", "po") for path in sorted(place.glob(f"*.{ending}"))}


@cache
def _name(path: Path) -> str:
    """From the first message alone: every start asks for it."""
    if path.suffix == ".mo":
        return _read(path).info().get("x-name", "")
    with path.open(encoding="utf-8") as stream:
        head = "".join(takewhile(str.strip, dropwhile(lambda line: not line.strip(), stream)))
    facts = catalogue.read(head)[0].said[0].splitlines()
    return next((fact.partition(":")[2].strip() for fact in facts if fact.lower().startswith("x-name:")), "")


@cache
def _read(path: Path) -> gettext.GNUTranslations:
    data = path.read_bytes()
    return gettext.GNUTranslations(
        io.BytesIO(catalogue.compiled(catalogue.read(data.decode("utf-8"))) if path.suffix == ".po" else data)
    )
