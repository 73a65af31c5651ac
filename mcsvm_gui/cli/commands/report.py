"""mcsvm report"""

from __future__ import annotations

import argparse
import os

from mcsvm.solvers.errors import InputError
from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import naming
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.options import whole_number
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.report import check_format, write_report
from mcsvm_gui.core.report.chapters import USUAL, read_chapters
from mcsvm_gui.core.report.of_project import read_known, read_project, report_of
from mcsvm_gui.core.report.stored_searches import read_searches


def run(options: argparse.Namespace) -> int:
    chapters = USUAL if options.chapters is None else _chapters(options.chapters)
    check_format(options.output)
    check_outputs([options.output], [options.project])
    material = read_project(options.project, _runs(options.run))
    searches = [] if options.run is not None else read_searches(options.project)
    if not material and not searches:
        raise InputError(f"{options.project}: there is no run in the project yet")
    name = os.path.basename(options.project).removesuffix(".mcsvmproj")
    known = read_known(options.project)
    write_report(options.output, report_of(name, material, searches, known, chapters))
    output.show(
        options,
        lambda: {"report": options.output, "runs": [known.record.id for known in material]},
        lambda: [f"Report of {output.plural(len(material), 'run')}: {options.output}"],
    )
    return DONE


def _chapters(text: str) -> tuple[str, ...]:
    with naming("--chapters"):
        return read_chapters(text)


def _runs(text: str | None) -> list[int] | None:
    if text is None:
        return None
    with naming("--run"):
        return [whole_number(part.strip()) for part in text.split(",")]
