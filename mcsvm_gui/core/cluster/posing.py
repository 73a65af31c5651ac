"""Pose a training on several workers, which read DATA: the counterpart of pose_request for a data set."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from mcsvm.solvers.arguments import gamma_from
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.partitioned.messages import LostPartitionsError
from mcsvm.solvers.posing import kernel_from, terms_of
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.cluster import facts as merging
from mcsvm_gui.core.cluster.connection import Connection
from mcsvm_gui.core.cluster.examining import checked_cluster
from mcsvm_gui.core.cluster.facts import PartFacts
from mcsvm_gui.core.cluster.holder import PartFiles, Settled, list_files, shared_out
from mcsvm_gui.core.cluster.partitions import WorkerPartitions
from mcsvm_gui.core.data.dataset import Notice, class_order
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.remedies import OptionWords, Remedy
from mcsvm_gui.core.data.splitting import hold_out
from mcsvm_gui.core.machine.posing import FILE_KERNELS, class_factors, problem_cost
from mcsvm_gui.core.machine.request import OPTIONS, Request

T = TypeVar("T")

READ_WITHIN = 600.0  # seconds, to read the first file
OF_ALL_ROWS = "calibrate", "costs", "split", "sample"  # training options that need all rows in one place
OF_ALL_LABELS = "spellings", "groups", "fold_column", "merge", "share"  # reading options that need them


@dataclass(frozen=True, eq=False)
class PosedParts:
    """A training on several workers, with intermediate results."""

    partitions: WorkerPartitions
    settled: Settled
    facts: PartFacts  # of all rows
    notices: tuple[Notice, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.settled.names

    @property
    def preparation(self) -> Preparation:
        return self.settled.preparation


def check(request: Request) -> None:
    """Raise InputError, before a connection, for options that need all rows in one place."""
    plain = Request()
    options = [OptionWords(OPTIONS[name]) for name in OF_ALL_ROWS if getattr(request, name) != getattr(plain, name)]
    options += [OptionWords(name) for name in OF_ALL_LABELS if getattr(request.read, name) != getattr(plain.read, name)]
    if options:
        raise InputError(
            "{option} needs all rows in one place; leave it out, or train without a cluster", option=options[0]
        )
    if request.rules.fills:
        raise InputError(
            "a training on a cluster fills no missing cells; {drop} leaves such rows out, or fill them first",
            drop=Remedy("missing", "drop"),
        )
    if request.solver != "auto":
        raise InputError(
            "a training on a cluster has a solver of its own; leave out {solver}", solver=OptionWords(OPTIONS["solver"])
        )
    if request.data in (None, "-"):
        raise InputError("a training on a cluster reads files, not standard input")


def pose_parts(request: Request, connection: Connection) -> PosedParts:
    assert request.data is not None
    checked_cluster(connection)
    workers = connection.call(_workers(connection), READ_WITHIN)
    files, sizes, read = connection.call(_listed(connection, os.path.abspath(request.data), request), READ_WITHIN)
    groups = shared_out(files, sizes, len(workers))
    sources = [PartFiles(group, read, request.rules, request.threads) for group in groups]
    partitions = WorkerPartitions(connection, sources, workers)
    untested = () if request.holdout is None else _hold_out(partitions, request.holdout, request.seed)
    facts = merging.joined(asked_again(lambda: partitions.ask_all("facts")))
    merging.refuse(request.rules, facts)
    preparation = merging.preparation_of(request.rules, facts)
    settled = Settled(preparation, *_named(request, facts, preparation, partitions))
    partitions.settle(settled)
    notices = (*facts.empty.notices, *untested, *merging.whole_notice(len(files)), *preparation.notices)
    return PosedParts(partitions, settled, facts, notices)


def _hold_out(partitions: WorkerPartitions, share: float, seed: int) -> tuple[Notice, ...]:
    """Hold out the rows that would be held out of a single file; only their classes are sent to this computer."""
    labels = asked_again(lambda: partitions.ask_all("labels"))
    chosen = hold_out(np.concatenate(labels), share, seed)
    ends = np.cumsum([len(part) for part in labels])
    first = np.concatenate([[0], ends[:-1]])
    pieces = np.split(chosen.test, np.searchsorted(chosen.test, ends[:-1]))
    partitions.hold([rows - start for rows, start in zip(pieces, first, strict=True)])
    return chosen.notices


def _named(request: Request, facts: PartFacts, preparation: Preparation, partitions: WorkerPartitions) -> Any:
    """Return (class names, terms)."""
    names = tuple(sorted(facts.counts, key=class_order))
    if len(names) < 2:
        raise FileError(facts.empty.name, "all rows are of one class, {name!r}; a classifier needs two", name=names[0])
    moments = asked_again(lambda: partitions.ask_all("prepare", preparation))
    gamma = request.gamma
    if isinstance(gamma, str):
        total, squares, number = (sum(part) for part in zip(*moments, strict=True))
        gamma = gamma_from(preparation.width, total / number, squares / number)
    kernel = kernel_from(request.kernel, FILE_KERNELS, **{**request.kernel_parameters, "gamma": gamma})
    terms = terms_of(
        machine=request.machine,
        kernel=kernel,
        classes=len(names),
        cost=problem_cost(request, len(names)),
        margin=request.margin,
        bias=request.bias,
        class_weight=class_factors(request, names, facts.weight, np.array([facts.totals[name] for name in names])),
        cache_mb=request.cache_mb,
    )
    return names, terms


def asked_again(ask: Callable[[], T]) -> T:
    """Ask until no part is lost during the question."""
    while True:
        try:
            return ask()
        except LostPartitionsError:
            continue


async def _workers(connection: Connection) -> list[str]:
    return sorted(await connection.client.nthreads())


async def _listed(connection: Connection, path: str, request: Request) -> Any:
    return await connection.client.submit(_files_and_sizes, path, request, pure=False)


def _files_and_sizes(path: str, request: Request) -> Any:
    files, read = list_files(path, request.read)
    return files, [os.path.getsize(file) for file in files], read
