"""Findings about the open data, shared by all pages; the pages that check the data store them here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

if TYPE_CHECKING:
    from mcsvm_gui.core.check.advice import Advice
    from mcsvm_gui.core.check.finding import Finding

EXTEND = "extend"  # action of a finding about a best value on the edge of the search grid


class Checks(QObject):
    changed = Signal()  # `findings` changed
    planned = Signal()  # the request to be trained or searched changed: the data must be checked again
    acted = Signal(str, object)  # an option, and its value or None to show it: each page handles its own options

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()
        self.plan: dict[str, Any] = {}  # keyword arguments of CheckedPlan, set by pages other than Data

    def tell(self, findings: tuple[Finding, ...]) -> None:
        if findings != self.findings:
            self.findings = findings
            self.changed.emit()

    def intend(self, **plan: Any) -> None:
        if not plan.items() <= self.plan.items():
            self.plan |= plan
            self.planned.emit()

    @property
    def serious(self) -> tuple[Finding, ...]:
        """Return errors and warnings; notes are shown on the Data page only."""
        return tuple(one for one in self.findings if one.severity.value != "note")


class FormWithChecks(Protocol):
    check_acted: SignalInstance

    def texts(self) -> dict[str, str]: ...
    def set_texts(self, texts: Mapping[str, str]) -> None: ...
    def show_checks(self, advice: Sequence[Advice]) -> None: ...


class FormChecks(QObject):
    """The list of findings next to a form: the page's own findings, then the serious findings about the data."""

    def __init__(
        self, view: FormWithChecks, checks: Checks, fields: Collection[str], edited: Callable[[], object]
    ) -> None:
        super().__init__(checks)
        self._view, self._checks, self._fields, self._edited = view, checks, fields, edited
        self._own: tuple[Advice, ...] = ()
        checks.changed.connect(self._show)
        view.check_acted.connect(checks.acted)
        checks.acted.connect(self._act)

    def show_own(self, advice: Sequence[Advice]) -> None:
        if self._own != tuple(advice):
            self._own = tuple(advice)
            self._show()

    def _show(self) -> None:
        serious = self._checks.serious
        if serious:  # the page that reported them has loaded the modules that this needs
            from mcsvm_gui.core.check.advice import advice_of

            self._view.show_checks([*self._own, *map(advice_of, serious)])
        else:
            self._view.show_checks(self._own)

    def _act(self, option: str, value: str | None) -> None:
        """Apply an action that was chosen on any page."""
        if option in self._fields and value is not None:
            self._view.set_texts({**self._view.texts(), option: value})
            self._edited()
