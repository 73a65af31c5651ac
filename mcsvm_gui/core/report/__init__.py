"""Reports on runs, comparisons, searches or projects, in several formats.

A new format is one file in `formats/` with `content`, and one line in FORMATS.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.formats import Format
from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.base.writing import Named
    from mcsvm_gui.core.report.blocks import Report


class ReportFormat(Format):
    def content(self, report: Report) -> bytes:
        found: bytes = self.code.content(report)
        return found


def _format(name: str, title: str, suffix: str, module: str, package: str = "") -> ReportFormat:
    return ReportFormat(name, title, (suffix,), f"mcsvm_gui.core.report.formats.{module}", package)


FORMATS: dict[str, ReportFormat] = {
    format_.suffix: format_
    for format_ in (
        _format("html", "HTML", ".html", "html", "matplotlib"),
        _format("pdf", "PDF", ".pdf", "pdf", "matplotlib"),
        _format("markdown", "Markdown", ".md", "markdown"),
        _format("latex", "LaTeX", ".tex", "latex"),
        _format("json", "JSON", ".json", "json"),
    )
}


def format_of(path: Named) -> ReportFormat:
    """Return the format of a path's ending; raise InputError if there is no such format."""
    from mcsvm.solvers.errors import InputError

    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in FORMATS:
        raise InputError(
            "{path}: the ending says the format of a report; choose {choices}",
            path=os.fspath(path),
            choices=", ".join(FORMATS),
        )
    return FORMATS[suffix]


def check_format(path: Named) -> None:
    """Raise InputError if this format cannot be written here."""
    from mcsvm_gui.core.report.formats.drawing import require_matplotlib

    format_ = format_of(path)
    if format_.package:
        require_matplotlib(tr("a {suffix} report", suffix=format_.suffix))


def write_report(path: Named, report: Report) -> None:
    from mcsvm_gui.core.base.writing import replacing

    content = format_of(path).content(report)
    with replacing(path) as stream:
        stream.write(content)
