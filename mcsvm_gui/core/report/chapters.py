"""The chapters of reports, to be chosen by users: of runs (after the first two pages), of an explanation, of a
search."""

from __future__ import annotations

from collections.abc import Iterable

from mcsvm.solvers.errors import InputError, choices_for
from mcsvm_gui.core.base.i18n import tr

CHAPTERS = "data", "runs", "comparison", "searches", "details", "settings", "software"
USUAL = tuple(name for name in CHAPTERS if name != "settings")
EVERY, NONE = "all", "none"
OF_EXPLANATION = "row", "change", "overview", "settings", "software"
OF_SEARCH = "cells", "settings", "data", "software"  # after the summary and the best cells


def chapter_titles() -> dict[str, str]:
    return {
        "data": tr("Data: classes, features and warnings"),
        "runs": tr("All runs in one table"),
        "comparison": tr("Runs compared: measures, confusion matrices, tests"),
        "searches": tr("Searches for C and gamma"),
        "details": tr("Each run: certificate, ending, command"),
        "settings": tr("All settings of each run"),
        "software": tr("Software and hardware"),
    }


def explanation_titles() -> dict[str, str]:
    return {
        "row": tr("The row: contributions of the columns"),
        "change": tr("The smallest change that changes the prediction"),
        "overview": tr("Importance of the columns over all rows"),
        "settings": tr("All settings of the run"),
        "software": tr("Software and hardware"),
    }


def search_titles() -> dict[str, str]:
    return {
        "cells": tr("Heat map and cells of each machine"),
        "settings": tr("All settings of the search"),
        "data": tr("Data: classes, features and warnings"),
        "software": tr("Software and hardware"),
    }


def read_chapters(text: str) -> tuple[str, ...]:
    """Return the chapters named by a list such as data,runs, or by the words all and none."""
    if text in (EVERY, NONE):
        return CHAPTERS if text == EVERY else ()
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in CHAPTERS]
    if unknown:
        raise InputError(
            "there is no chapter {name!r}; choose all, none or some of {choices}",
            name=unknown[0],
            choices=choices_for(unknown[0], CHAPTERS),
        )
    return in_order(names)


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    chosen = set(names)
    return tuple(name for name in CHAPTERS if name in chosen)
