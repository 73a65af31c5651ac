"""The user's layout of the pages: positions of splitters, and the widths and order of columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QHeaderView, QSplitter, QTableView, QWidget
from shiboken6 import isValid

from mcsvm_gui.ui.runs.table import RunTable

if TYPE_CHECKING:
    from mcsvm_gui.core.base.settings import Settings

KEPT = "layout"
TABLES = "leaderboard", "runTable"  # tables whose columns the user arranges


class LayoutMemory:
    """Stores each change at once, so that a crash loses nothing; invalid entries in the file are ignored."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept = _plain(settings[KEPT])

    def adopt(self, name: str, page: QWidget) -> None:
        for splitter in page.findChildren(QSplitter):
            self._follow(f"{name}.{splitter.objectName()}", splitter, splitter.splitterMoved)
        for table in page.findChildren(QTableView):
            if table.objectName() in TABLES:
                header = table.horizontalHeader()
                key = f"{name}.{table.objectName()}"
                self._follow(key, header, header.sectionResized, header.sectionMoved)
            if isinstance(table, RunTable):
                self._follow_choice(f"{name}.{table.objectName()}.hidden", table)

    def _follow_choice(self, key: str, table: RunTable) -> None:
        """Restore and follow which columns the user has hidden."""
        known = {column.name for column in table.runs.columns}
        for column in known.intersection(self._kept.get(key, "").split()):
            table.want(column, False)
        table.columns_chosen.connect(lambda: self._keep(key, " ".join(sorted(table.unwanted))))

    def _follow(self, key: str, part: QSplitter | QHeaderView, *changes: object) -> None:
        if key in self._kept:
            part.restoreState(QByteArray.fromBase64(self._kept[key].encode("ascii", "replace")))
        keep = self._keeper(key, part)
        for change in changes:
            change.connect(lambda *_: keep())  # type: ignore[attr-defined]

    def _keeper(self, key: str, part: QSplitter | QHeaderView) -> Callable[[], None]:
        def keep() -> None:
            if isValid(part):  # a header that is deleted with its table resizes its columns again
                self._keep(key, bytes(part.saveState().toBase64().data()).decode("ascii"))

        return keep

    def _keep(self, key: str, state: str) -> None:
        if self._kept.get(key) != state:
            self._kept[key] = state
            self._settings[KEPT] = json.dumps(self._kept, sort_keys=True)


def _plain(text: str) -> dict[str, str]:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return {key: state for key, state in found.items() if isinstance(state, str)} if isinstance(found, dict) else {}
