"""The address of a scheduler, on every page that has such a field: its state, and the result of its Test button."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, SignalInstance

from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.data.files.address import EXAMPLE, missing_library

if TYPE_CHECKING:
    from mcsvm_gui.core.cluster.examining import Examined
    from mcsvm_gui.ui.threads.tasks import Tasks, Ticket


class ClusterView(Protocol):
    scheduler_test_asked: SignalInstance

    def texts(self) -> dict[str, str]: ...
    def show_cluster(self, words: str, role: str, can_test: bool) -> None: ...
    def close_field(self, key: str, why: str) -> None: ...


class ClusterField(QObject):
    """`beside` is the option whose number applies to this computer only; an address disables it."""

    def __init__(self, view: ClusterView, tasks: Tasks, parent: QObject | None = None, beside: str = "") -> None:
        super().__init__(parent)
        self._view, self._tasks, self._beside = view, tasks, beside
        self._address = ""  # as in the field
        self._asking: Ticket | None = None
        self._missing = bool(missing_library())
        view.scheduler_test_asked.connect(self.test)
        if self._missing:
            why = tr("A cluster needs a package that is not here: pip install distributed")
            view.close_field("scheduler", why)
            view.show_cluster(why, "muted", False)
        else:
            self._say("")

    def look(self) -> None:
        """Update the field after an edit; a test result is valid for one address only."""
        address = self._view.texts().get("scheduler", "").strip()
        if self._beside:
            why = tr("The workers of a cluster have threads of their own.") if address else ""
            self._view.close_field(self._beside, why)
        if self._missing or address == self._address:
            return
        self._address = address
        if self._asking is not None:
            self._asking.cancel()
        self._say("")

    def test(self) -> None:
        if not self._address:
            self._say(tr("Enter the address of a Dask scheduler, such as {example}", example=EXAMPLE))
            return
        self._view.show_cluster(tr("Asking the cluster…"), "muted", False)
        self._asking = self._tasks.start(partial(_examine, self._address), self._found, partial(self._say, role="bad"))

    def _say(self, words: str, role: str = "muted") -> None:
        self._view.show_cluster(words, role, True)

    def _found(self, found: Examined) -> None:
        size = tr("{workers} workers, {threads} threads", workers=found.workers, threads=sum(found.threads))
        if not found.workers:
            self._say(tr("The scheduler is there, but it has no workers."), "warning")
        elif found.differences:
            why = "; ".join(map(worded, found.differences))
            self._say(tr("{size}, but other versions: {differences}", size=size, differences=why), "bad")
        else:
            self._say(tr("{size}, all with the versions that are here", size=size), "good")


def _examine(address: str) -> Examined:
    from mcsvm_gui.core.cluster.examining import examine

    return examine(address)
