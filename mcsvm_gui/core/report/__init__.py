"""Reports: one account of runs, comparisons, searches or projects, in several formats.

A new format is one file with NAME, SUFFIX and `content`, and one line in `FORMATS`.
"""

from __future__ import annotations

import os
from typing import Protocol

from mcsvm_gui.core.base.writing import Named, written
from mcsvm_gui.core.report.blocks import Report
from mcsvm_gui.core.report.formats import html, latex, markdown, pdf, plain
from mcsvm_gui.core.report.formats.drawing import needed
from solvers.errors import InputError


class Format(Protocol):
    @property
    def NAME(self) -> str: ...

    @property
    def SUFFIX(self) -> str: ...

    def content(self, report: Report) -> bytes: ...


FORMATS: dict[str, Format] = {module.SUFFIX: module for module in (html, pdf, markdown, latex, plain)}

TITLES = {"html": "HTML", "pdf": "PDF", "latex": "LaTeX", "json": "JSON"}


def titles() -> list[tuple[str, str]]:
    """(title, suffix) of each format."""
    return [(TITLES.get(format_.NAME, format_.NAME.title()), suffix) for suffix, format_ in FORMATS.items()]


def format_of(path: Named) -> Format:
    """By its ending; InputError where none is meant, or its package is not here."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in FORMATS:
        raise InputError(
            "{path}: the ending says the format of a report; choose {choices}",
            path=os.fspath(path),
            choices=", ".join(FORMATS),
        )
    return FORMATS[suffix]


def check_format(path: Named) -> None:
    """Whether that can be written here at all."""
    if format_of(path) in (html, pdf):
        needed(f"a {format_of(path).SUFFIX} report")


def write_report(path: Named, report: Report) -> None:
    content = format_of(path).content(report)
    with written(path) as stream:
        stream.write(content)


__all__ = ["FORMATS", "Format", "Report", "check_format", "format_of", "titles", "write_report"]
