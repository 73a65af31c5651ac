"""Languages other than English, with one translation file each. A built program contains compiled files."""

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
    """Return the own name of each language by its code; English needs no file."""
    return {ENGLISH: "English", **{code: _name(path) or code for code, path in _files().items()}}


def chosen(setting: str) -> str:
    """Return the language for a setting; "system" means the system's language if there is a translation for it."""
    wanted = of_the_system() if setting == "system" else setting
    return wanted if wanted in _files() else ENGLISH


def of_the_system() -> str:
    """Return the code of the system's language.

    It comes from the variables that POSIX reads, in its order, else from the locale.
    """
    named = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    first = next((value for value in named if value), None) or locale.getlocale()[0] or ENGLISH
    return first.replace("-", "_").split(".")[0].split("_")[0].lower()


def translations(language: str) -> gettext.NullTranslations:
    """Return the translations to a language; a text without a translation stays English."""
    return _read(_files()[language]) if language in _files() else gettext.NullTranslations()


def _files() -> dict[str, Path]:
    """Return the translation files by language code. A .po file takes precedence over a compiled file."""
    place = folder() / "translations"
    return {path.stem: path for ending in ("mo", "po") for path in sorted(place.glob(f"*.{ending}"))}


@cache
def _name(path: Path) -> str:
    """Return the name of a language; only the first message is read, because every start needs the name."""
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
