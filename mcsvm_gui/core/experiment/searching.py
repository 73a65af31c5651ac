"""Parameters chosen by a search inside a training part, so that the rows tested on have no say in them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.request import Request, number
from solvers.errors import InputError
from solvers.kernels import KERNELS
from solvers.selection.grid import Range, best
from solvers.selection.search import SEARCHES

if TYPE_CHECKING:
    from mcsvm_gui.core.tuning import TuneRequest

COSTS, GAMMAS = "2^-2:2^12", "2^-10:2^4"


@dataclass(frozen=True)
class SearchSpec:
    """Ranges as they are typed."""

    C: str = COSTS
    gamma: str = GAMMAS  # not looked at where the kernel has none
    step: float = 1.0
    folds: int = 5
    search: str = "grid"

    def __post_init__(self) -> None:
        self.costs, self.gammas  # noqa: B018 - raises InputError
        if self.search not in SEARCHES or self.search == "per-pair":
            known = ", ".join(name for name in SEARCHES if name != "per-pair")
            raise InputError(f"search must be one of {known}, not {self.search!r}")
        if type(self.folds) is not int or self.folds < 2:
            raise InputError(f"the folds of a search must be at least 2, not {self.folds!r}")

    @property
    def costs(self) -> Range:
        return _range("C", self.C, self.step)

    @property
    def gammas(self) -> Range:
        return _range("gamma", self.gamma, self.step)

    def document(self) -> dict[str, Any]:
        return asdict(self)

    def wanted(self, machines: Sequence[str], kernel: str) -> TuneRequest:
        from mcsvm_gui.core.tuning import TuneRequest

        gammas = self.gammas if "gamma" in KERNELS[kernel].parameters else None
        return TuneRequest(tuple(machines), self.costs, gammas, self.search, self.folds)


def _range(name: str, text: str, step: float) -> Range:
    if not isinstance(text, str):
        raise InputError(f'the range of {name} must be text such as "{COSTS}", not {text!r}')
    low, _, high = text.partition(":")
    return Range.between(number(low), number(high or low), step)


class Searches:
    """Machines that differ in nothing else are searched together, on the same kernel matrices; each part once."""

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped
        self._lock = threading.Lock()
        self._found: dict[tuple[Any, ...], dict[str, tuple[Request, dict[str, Any]]]] = {}

    def chosen(
        self, request: Request, spec: SearchSpec, machines: Sequence[str], dataset: Dataset
    ) -> tuple[Request, dict[str, Any]] | None:
        """The request with its best cell, and how that was found; nothing where the search was stopped."""
        plain = replace(request, machine="ww", C=1.0, gamma="scale")
        key = dataset.digest, spec, repr(plain), tuple(machines)
        with self._lock:
            if key not in self._found:
                self._found[key] = self._search(plain, spec, machines, dataset)
            found = self._found[key].get(request.machine)
        if found is None:
            if not self._stopped():
                raise InputError(f"the search found no cell for {request.machine}")
            return None
        cell, how = found
        return replace(request, C=cell.C, gamma=cell.gamma), how

    def _search(
        self, plain: Request, spec: SearchSpec, machines: Sequence[str], dataset: Dataset
    ) -> dict[str, tuple[Request, dict[str, Any]]]:
        from mcsvm_gui.core.tuning import Tuning

        tuned = Tuning(plain, spec.wanted(machines, plain.kernel), dataset).run(stopped=self._stopped)
        found = {}
        for machine in machines:
            cell = None if tuned.stopped else best(tuned.results, machine)
            if cell is not None:
                gamma = "scale" if cell.gamma is None else cell.gamma
                mean = tuned.results[cell].mean
                how = {"cells": len(tuned.results), "mean": mean, "seconds": tuned.seconds, **spec.document()}
                found[machine] = replace(plain, machine=machine, C=cell.C, gamma=gamma), how
        return found
