"""Search parameters inside a training part, so that test rows have no influence on them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.selection.cell import Cell
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.search import SEARCHES
from mcsvm.solvers.selection.trials.task import Done
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.data.costs import CostTable
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.experiment.journal import Journal, key_of
from mcsvm_gui.core.machine.request import OPTIONS, Request
from mcsvm_gui.core.tune.options import RANGES, SCORES, SEARCH_OPTIONS, TuneRequest, range_of

if TYPE_CHECKING:
    from mcsvm_gui.core.tune.search import Tuned

Told = Callable[[int, int | None], object]  # finished trials, and their expected number if it is known
WHICH_DATA = "data", "test", "digest", "test_digest"


@dataclass(frozen=True)
class SearchSpec:
    """A search with its ranges as typed text."""

    C: str = RANGES["C"].searched
    gamma: str = RANGES["gamma"].searched  # ignored if the kernel has no gamma
    step: float = SEARCH_OPTIONS["step"].default
    folds: int = SEARCH_OPTIONS["folds"].default
    search: str = SEARCH_OPTIONS["search"].default
    score: str = SEARCH_OPTIONS["score"].default
    holdout: float | None = None  # share of the rows for validation instead of folds
    budget: float | None = None  # seconds of a search
    time_limit: float | None = None  # seconds of one training of the search; None: as for the run
    costs: CostTable | None = None  # costs of errors, by the names of the classes

    def __post_init__(self) -> None:
        self.c_range, self.gamma_range  # noqa: B018 - raises InputError
        if self.search not in SEARCHES or self.search == "per-pair":
            known = ", ".join(name for name in SEARCHES if name != "per-pair")
            raise InputError("search must be one of {known}, not {search!r}", known=known, search=self.search)
        if type(self.folds) is not int or self.folds < 2:
            raise InputError("the folds of a search must be at least 2, not {folds!r}", folds=self.folds)
        if self.holdout is not None and not 0.0 < self.holdout < 1.0:
            raise InputError(
                "the share that a search validates on must lie between 0 and 1, not {holdout!r}", holdout=self.holdout
            )
        OPTIONS["time_limit"].check(self.time_limit)
        SEARCH_OPTIONS["score"].check(self.score)
        SEARCH_OPTIONS["budget"].check(self.budget)
        SEARCH_OPTIONS["costs"].check(self.costs)

    @property
    def c_range(self) -> Range:
        return _range("C", self.C, self.step)

    @property
    def gamma_range(self) -> Range:
        return _range("gamma", self.gamma, self.step)

    @property
    def text(self) -> str:
        validated = f"{self.folds} folds" if self.holdout is None else f"{figures.exact_percent(self.holdout)} held out"
        chosen = "" if self.score == SEARCH_OPTIONS["score"].default else f", by {SCORES[self.score].lower()}"
        return f"{self.search}, {validated}{chosen}"

    def document(self) -> dict[str, Any]:
        """Return the document for a file, without values that are None."""
        given = {**asdict(self), "costs": SEARCH_OPTIONS["costs"].kind.plain(self.costs)}
        return {name: value for name, value in given.items() if value is not None}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> SearchSpec:
        costs = SEARCH_OPTIONS["costs"].kind.loaded(document.get("costs"))
        return cls(**{**document, "costs": costs})

    def said(self) -> dict[str, Any]:
        """Return the values of the document that differ from the defaults."""
        plain = {item.name: item.default for item in fields(self)}
        return {name: value for name, value in self.document().items() if value != plain[name]}

    def wanted(self, machines: Sequence[str], kernel: str) -> TuneRequest:
        gamma = self.gamma_range if "gamma" in KERNELS[kernel].parameters else None
        return TuneRequest(
            *(tuple(machines), self.c_range, gamma, self.search, self.score, self.folds),
            holdout=self.holdout,
            budget=self.budget,
            costs=self.costs,
        )


def _range(name: str, text: str, step: float) -> Range:
    if not isinstance(text, str):
        raise InputError(
            'the range of {name} must be text such as "{range}", not {text!r}',
            name=name,
            range=RANGES[name].searched,
            text=text,
        )
    return range_of(text, step)


class SearchRunner:
    """Runs each search once.

    Runs that differ only in the machine are searched together, on the same kernel matrices.
    """

    def __init__(self, stopped: Callable[[], bool], journal: Journal | None = None) -> None:
        self._stopped, self._journal = stopped, journal
        self.scheduler: str | None = None  # address of a cluster for the search
        self._lock = threading.Lock()
        self._found: dict[str, dict[str, dict[str, Any]]] = {}
        self._refusals: dict[str, dict[str, str | None]] = {}

    def chosen(
        self, request: Request, spec: SearchSpec, machines: Sequence[str], dataset: Dataset, told: Told
    ) -> tuple[Request, dict[str, Any]] | None:
        """Return the request with its best cell, and a description of the search; None if the search was stopped."""
        plain = apart_from_machine(request)
        with self._lock:
            machines = self._possible(request, machines, dataset)
            key = key_of("search", dataset.digest, spec.said(), key_of_request(plain), list(machines))
            if key not in self._found:
                self._found[key] = self._known(key) or self._search(key, plain, spec, machines, dataset, told)
            found = self._found[key].get(request.machine)
        if found is None:
            if not self._stopped():
                raise InputError("the search found no cell for {machine}", machine=request.machine)
            return None
        return replace(request, C=found["C"], gamma=found["gamma"]), found["how"]

    def _possible(self, request: Request, machines: Sequence[str], dataset: Dataset) -> list[str]:
        """Return the machines that the solver accepts, because a refused machine would end the search of all.

        Raises InputError if the machine of the request is refused.
        """
        key = key_of("possible", dataset.digest, key_of_request(apart_from_machine(request)), list(machines))
        if key not in self._refusals:
            self._refusals[key] = {name: refusal(replace(request, machine=name), dataset) for name in machines}
        mine = self._refusals[key][request.machine]
        if mine is not None:
            raise InputError(mine)
        return [name for name in machines if self._refusals[key][name] is None]

    def _known(self, key: str) -> dict[str, dict[str, Any]] | None:
        entry = None if self._journal is None else self._journal.get(key)
        return None if entry is None else entry["found"]

    def _search(
        self, key: str, plain: Request, spec: SearchSpec, machines: Sequence[str], dataset: Dataset, told: Told
    ) -> dict[str, dict[str, Any]]:
        from mcsvm_gui.core.experiment.journal_cells import JournalCells
        from mcsvm_gui.core.tune.search import Tuning

        request = plain if spec.time_limit is None else replace(plain, time_limit=spec.time_limit)
        wanted = replace(spec.wanted(machines, plain.kernel), scheduler=self.scheduler)
        kept = None if self._journal is None else JournalCells(self._journal, request, wanted, dataset)
        tuning = Tuning(request, wanted, dataset, {} if kept is None else kept.done())
        came = count(1 + len(tuning.done))

        def report(done: Done) -> None:
            if kept is not None:
                kept.keep(done)
            told(next(came), tuning.expected)

        tuned = tuning.run(report, self._stopped)
        if tuned.trouble:
            raise InputError(tuned.trouble)
        if tuned.stopped:
            return {}
        cells = {machine: cell for machine in machines if (cell := tuned.best(machine)) is not None}
        found = {
            machine: {
                "C": cell.C,
                "gamma": "scale" if cell.gamma is None else cell.gamma,
                "how": {**_summary(tuned, cell), "together": list(machines), **spec.document()},
            }
            for machine, cell in cells.items()
        }
        if self._journal is not None:
            self._journal.add(key, {"label": f"search on {dataset.name}", "found": found})
        return found


def refusal(request: Request, dataset: Dataset) -> str | None:
    """Return the reason why a request cannot be trained with any parameters, or None."""
    from mcsvm.solvers.run.loop import refuse
    from mcsvm_gui.core.machine.posing import pose_request

    try:
        refuse(pose_request(replace(request, C=1.0, gamma="scale"), dataset).problem, request.solver)
    except InputError as error:
        return str(error)
    return None


def key_of_request(request: Request) -> dict[str, Any]:
    """Return a request for a key: everything except its data, which their digests identify."""
    return {name: value for name, value in request.said().items() if name not in WHICH_DATA}


def apart_from_machine(request: Request) -> Request:
    """Return the fields that requests must share to be searched together."""
    return replace(request, machine="ww", C=1.0, gamma="scale")


def _summary(tuned: Tuned, cell: Cell) -> dict[str, Any]:
    """Return a summary of a search for readers. `unsolved` cells had a fold that did not converge.

    `worst_gap` is the largest relative gap among them.
    """
    mine = {one: result for one, result in tuned.results.items() if one.machine == cell.machine}
    mean, accuracies = tuned.results[cell].mean, tuned.results[cell].fold_accuracy
    alike = [one for one, result in mine.items() if abs(result.mean - mean) < 1e-12 and _same_kind(one, cell)]
    unsolved = [result.worst.relative_gap for result in mine.values() if not result.converged]
    return {
        "cells": len(mine),
        "mean": sum(accuracies) / len(accuracies),
        "score": tuned.tuning.score.name,
        "score_mean": mean,
        "equal": len(alike),
        "edges": list(tuned.tuning.grid.edges(cell)),
        "unsolved": len(unsolved),
        "worst_gap": max(unsolved, default=None),
        "seconds": sum(result.seconds for result in mine.values()),
        "seconds_together": tuned.seconds,
    }


def _same_kind(one: Cell, other: Cell) -> bool:
    return (one.gamma is None) == (other.gamma is None)
