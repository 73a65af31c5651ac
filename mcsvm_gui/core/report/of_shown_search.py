"""The report of a search as a page shows it, with all its known cells, even while it is running."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base.writing import Named
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.report import check_format, write_report
from mcsvm_gui.core.report.chapters import OF_SEARCH
from mcsvm_gui.core.report.of_search import report_of
from mcsvm_gui.core.tune.document import asked_document, known_document
from mcsvm_gui.core.tune.maps import TuneMaps
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuned


@dataclass(frozen=True, eq=False)
class ShownSearch:
    request: Request
    wanted: TuneRequest
    maps: TuneMaps
    tuned: Tuned | None = None  # the search that ended last, if it is the shown one
    running: bool = False


def write(
    path: Named, shown: ShownSearch, dataset: Dataset | None, redo: str, chapters: Collection[str] = OF_SEARCH
) -> None:
    """Write these chapters in the format that the ending of the path names."""
    check_format(path)
    write_report(path, report_of(document(shown, dataset), dataset, redo, chapters))


def document(shown: ShownSearch, dataset: Dataset | None) -> dict[str, Any]:
    """Return the document; edges are included only when nothing is being searched, as on the page."""
    tuned = shown.tuned
    parts = shown.maps.results.folds // shown.wanted.repeats
    asked = {**asked_document(shown.request, shown.wanted, parts), "classes": list(_classes(shown, dataset))}
    composites, nested = ({}, ()) if tuned is None else (tuned.composites, tuned.nested)
    found = known_document(asked, shown.maps.results.cells, shown.maps.best(), composites, nested)
    for machine, edges in shown.maps.edges().items():
        found["best"][machine]["edges"] = list(edges)
    ended = (
        {"stopped": tuned.stopped, "trouble": tuned.trouble or None, "ended_by_budget": tuned.over_budget}
        if tuned is not None
        else {}
    )
    return {**found, "running": shown.running, **ended}


def _classes(shown: ShownSearch, dataset: Dataset | None) -> tuple[str, ...]:
    """Return the classes; empty if dropping rows may remove a class and this has not been checked."""
    if shown.tuned is not None:
        return shown.tuned.tuning.class_names
    whole = dataset is not None and not (dataset.missing and shown.request.rules.missing == "drop")
    return dataset.classes if dataset is not None and whole else ()
