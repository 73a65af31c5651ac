"""The searches that a project stores: cells by their conditions, regardless of the searched ranges."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.grid import best
from mcsvm.solvers.selection.search import SEARCHES
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.report.blocks import Block, Heading
from mcsvm_gui.core.report.of_search import search_blocks
from mcsvm_gui.core.tune.cells import Found, read_cells, setting_of
from mcsvm_gui.core.tune.document import known_document, request_document

LISTED = 10  # best cells listed per machine: the JSON report has all


def read_searches(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Read the stored cells as one document per search, as if the search had ended."""
    store = ProjectStore(path)
    try:
        settings = store.settings()
        kept = [(_asked(settings.get(setting_of(name))), read_cells(store.cells(name))[0]) for name in store.searches()]
    finally:
        store.close()
    return [_document(asked, cells) for asked, cells in kept if cells]


def _asked(setting: Any) -> dict[str, Any]:
    """Return the conditions of a search; empty if they were not stored, because files may hold anything."""
    try:
        numbers = {"folds": int(setting["folds"]), "repeats": int(setting["repeats"]), "seed": int(setting["seed"])}
        share = None if setting["holdout"] is None else float(setting["holdout"])
        request = request_document(Request.from_document(setting["request"]))
        named = {"request": request, "classes": list(map(str, setting["classes"]))}
        return {"search": SEARCHES[setting["search"]].name, "holdout": share, **numbers, **named}
    except (InputError, LookupError, TypeError, ValueError):
        return {}


def _document(asked: Mapping[str, Any], cells: Found) -> dict[str, Any]:
    """Return the document; cells may come from several searches, but a search per pair of classes is separate."""
    search = asked.get("search", "grid")
    tops = {
        machine: top
        for machine in dict.fromkeys(cell.machine for cell in cells)
        if (top := best(cells, machine)) is not None
    }
    document = known_document(asked, cells, tops)
    return document if search == "per-pair" else {name: value for name, value in document.items() if name != "search"}


def blocks_of(searches: Sequence[Mapping[str, Any]]) -> list[Block]:
    blocks: list[Block] = []
    for document in searches:
        blocks += [
            Heading(tr("Search for C and gamma{data}", data=_where(document))),
            *search_blocks(document, 3, LISTED),
        ]
    return blocks


def _where(document: Mapping[str, Any]) -> str:
    data = document.get("request", {}).get("data")
    return f": {os.path.basename(data)}" if data else tr(" (its conditions were not kept)")
