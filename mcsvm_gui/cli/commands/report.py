"""mcsvm report"""

from __future__ import annotations

import argparse
import os

from mcsvm.solvers.errors import InputError
from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import naming
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.exits import DONE
from mcsvm_gui.core.base.options import whole_number
from mcsvm_gui.core.base.writing import check_outputs
from mcsvm_gui.core.report import check_format, write_report
from mcsvm_gui.core.report.blocks import Report
from mcsvm_gui.core.report.chapters import USUAL, read_chapters
from mcsvm_gui.core.report.of_files import FileKind, kind_of, report_of_models, report_of_results, report_of_search
from mcsvm_gui.core.report.of_project import read_known, read_project, report_of
from mcsvm_gui.core.report.stored_searches import read_searches


def run(options: argparse.Namespace) -> int:
    chapters = USUAL if options.chapters is None else _chapters(options.chapters)
    check_format(options.output)
    kinds = [_kind(path) for path in options.files]
    check_outputs([options.output], options.files)
    if len(kinds) > 1 and set(kinds) != {"model"}:
        other = options.files[next(place for place, kind in enumerate(kinds) if kind != "model")]
        raise FileError(other, "a report takes one file, or several models (.mcsvm)")
    kind = kinds[0]
    if options.run is not None and kind != "project":
        raise InputError("--run chooses runs of a project; leave it out for other files")
    if options.chapters is not None and kind in ("results", "search"):
        raise InputError("--chapters chooses chapters of projects and models; leave it out for other files")
    if kind == "project":
        return _project(options, chapters)
    report = _report(kind, options.files, chapters)
    write_report(options.output, report)
    output.show(
        options,
        lambda: {"report": options.output, "files": options.files},
        lambda: [f"Report of {', '.join(options.files)}: {options.output}"],
    )
    return DONE


def _kind(path: str) -> FileKind:
    kind = kind_of(path)
    if not kind:
        raise FileError(
            path,
            "this is no mcsvm project, model (.mcsvm), file of results (--results), or document of mcsvm tune --json",
        )
    return kind


def _report(kind: FileKind, paths: list[str], chapters: tuple[str, ...]) -> Report:
    if kind == "model":
        return report_of_models(paths, chapters)
    return report_of_results(paths[0]) if kind == "results" else report_of_search(paths[0])


def _project(options: argparse.Namespace, chapters: tuple[str, ...]) -> int:
    path = options.files[0]
    material = read_project(path, _runs(options.run))
    searches = [] if options.run is not None else read_searches(path)
    if not material and not searches:
        raise InputError(f"{path}: there is no run in the project yet")
    name = os.path.basename(path).removesuffix(".mcsvmproj")
    write_report(options.output, report_of(name, material, searches, read_known(path), chapters))
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
