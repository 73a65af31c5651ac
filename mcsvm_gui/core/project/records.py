"""A run as a project stores it, and its values for tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.machine.identity import data_title
from mcsvm_gui.core.machine.names import PARAMETERS
from mcsvm_gui.core.machine.state import JobState, Optimality, optimality

if TYPE_CHECKING:
    from mcsvm.solvers.run.trace import Sample
    from mcsvm_gui.core.machine.request import Request

STATES = (  # the states that a project stores
    *(JobState.QUEUED, JobState.RUNNING, JobState.DONE),
    *(JobState.FAILED, JobState.INTERRUPTED, JobState.DISCARDED),
)
ACTIVE = JobState.QUEUED, JobState.RUNNING


@dataclass(frozen=True)
class RunRecord:
    """Plain values. While a run is active, `live` holds its latest sample; afterwards `document` holds its results.

    A continued run has the document of its stopped training in `earlier`, in case the continuation is discarded.
    """

    id: int
    created: str  # UTC, ISO
    name: str
    data_name: str
    plain_request: Mapping[str, Any]  # Request.document()
    note: str = ""
    state: str = JobState.QUEUED
    document: Mapping[str, Any] | None = None  # as `mcsvm train --json` prints it
    error: str | None = None
    live: Sample | None = field(default=None, compare=False)
    earlier: Mapping[str, Any] | None = None
    resumable: bool = False  # the project contains a checkpoint of it

    @cached_property
    def request(self) -> Request:
        from mcsvm_gui.core.machine.request import Request

        return Request.from_document(self.plain_request)

    @property
    def readable(self) -> bool:
        """Whether this version can read the request."""
        from mcsvm.solvers.errors import InputError

        try:
            return self.request is not None
        except InputError:
            return False

    @property
    def active(self) -> bool:
        return self.state in ACTIVE

    @property
    def continuable(self) -> bool:
        """Return whether the run can be continued because it was stopped or interrupted early."""
        return self.state == JobState.INTERRUPTED or (self.state == JobState.DONE and self.resumable)

    @property
    def digest(self) -> str | None:
        return _text(self.plain_request.get("digest"))

    @property
    def data_title(self) -> str:
        """The name of the data with import settings and preprocessing that are not the defaults."""
        return data_title(self.data_name, self.plain_request)

    # -- the request ------------------------------------------------------------------------------

    def named_files(self) -> tuple[str, ...]:
        """Return the named files of training and test rows."""
        named = (_text(self.plain_request.get(name)) for name in ("data", "test"))
        return tuple(file for file in named if file)

    @property
    def machine(self) -> str:
        return _text(self.plain_request.get("machine")) or ""

    @property
    def solver(self) -> str:
        """The solver that was used, or the requested one until that is known."""
        return _text(self._documented("solver_used")) or _text(self.plain_request.get("solver")) or ""

    @property
    def kernel(self) -> str:
        return _text(self.plain_request.get("kernel")) or ""

    @property
    def C(self) -> float | None:
        return _number(self.plain_request.get("C"))

    @property
    def gamma(self) -> float | str | None:
        """The computed gamma, or the requested one until that is known; None for a kernel without gamma."""
        if "gamma" not in PARAMETERS.get(self.kernel, ()):
            return None
        parameters = self._documented("kernel")
        computed = _number(parameters.get("gamma")) if isinstance(parameters, dict) else None
        asked = self.plain_request.get("gamma")
        return computed if computed is not None else _text(asked) or _number(asked)

    @property
    def seed(self) -> float | None:
        return _number(self.plain_request.get("seed"))

    # -- results ----------------------------------------------------------------------------------

    @property
    def ending(self) -> str | None:
        return _text(self._documented("ending"))

    @property
    def optimality(self) -> Optimality | None:
        gap = self.relative_gap
        if self.ending is None or gap is None:
            return None
        zero = self._documented("certificate").get("zero_within_rounding", False) is True
        return optimality(self.ending, gap, self.kernel, _number(self._documented("gap_tol")), zero=zero)

    @property
    def seconds(self) -> float | None:
        return self._now("seconds", "seconds")

    @property
    def iterations(self) -> float | None:
        return self._now("iterations", "iteration")

    @property
    def n_support(self) -> float | None:
        return self._now("n_support", "support")

    @property
    def n_bounded(self) -> float | None:
        return self._now("n_bounded", "bounded")

    @property
    def gap(self) -> float | None:
        return self._certified("gap")

    @property
    def relative_gap(self) -> float | None:
        return self._certified("relative_gap")

    @property
    def violation(self) -> float | None:
        return self._certified("violation")

    @property
    def train_accuracy(self) -> float | None:
        return _number(self._documented("train_accuracy"))

    @property
    def test_accuracy(self) -> float | None:
        return _number(self._documented("test_accuracy"))

    @property
    def n_train(self) -> float | None:
        return _number(self._documented("n_train"))

    @property
    def n_test(self) -> float | None:
        return _number(self._documented("n_test"))

    def _documented(self, name: str) -> Any:
        return None if self.document is None else self.document.get(name)

    def _now(self, documented: str, sampled: str) -> float | None:
        if self.document is None:
            return None if self.live is None else getattr(self.live, sampled)
        return _number(self.document.get(documented))

    def _certified(self, name: str) -> float | None:
        if self.document is None:
            return None if self.live is None else getattr(self.live, name)
        certificate = self.document.get("certificate")
        return _number(certificate.get(name)) if isinstance(certificate, dict) else None


def _number(value: Any) -> float | None:
    """Return the value if it is a number, otherwise None: files may hold anything."""
    return value if type(value) in (int, float) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def to_json(document: Mapping[str, Any] | None) -> str | None:
    return None if document is None else json.dumps(document, allow_nan=False)


def from_json(text: Any) -> dict[str, Any]:
    """Read a JSON document; raise ValueError if the text is not one."""
    try:
        found = json.loads(text)
    except (TypeError, RecursionError) as error:
        raise ValueError("a document is no text") from error
    if not isinstance(found, dict):
        raise ValueError("a document is no mapping")
    return found
