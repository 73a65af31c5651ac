"""What a worker holds of a training: the rows of some files, first as read, then as the kernel sees them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.partitioned.partition import Partition
from mcsvm.solvers.posing import SharedTerms
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.cluster.facts import PartFacts, facts_of
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.files import parts
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.preparation import Preparation
from mcsvm_gui.core.data.readers import open_one
from mcsvm_gui.core.data.row_source import RowSource
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.machine.trained import TrainedModel


@dataclass(frozen=True)
class PartFiles:
    """Where a part comes from."""

    files: tuple[str, ...]
    options: ReadOptions
    rules: Rules
    threads: int | None
    held: np.ndarray | None = None  # rows that are tested on, none of them trained on


@dataclass(frozen=True)
class Tested:
    """Rows of one part that were held out."""

    right: float  # weight of those decided right
    total: float  # weight of all that were decided
    rows: int
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Settled:
    """What is known once all parts were read; a part that is read anew is prepared by it."""

    preparation: Preparation
    names: tuple[str, ...]  # of the classes
    terms: SharedTerms


class PartHolder:
    """Lives on one worker. `answer` takes and gives bytes, so that what travels can be counted."""

    def __init__(self, source: PartFiles) -> None:
        self.source = source
        self._dataset: Dataset | None = None
        self._rows: Any = None
        self._partition: Partition | None = None
        self._row_source: RowSource | None = None

    def answer(self, question: bytes) -> bytes:
        name, arguments = pickle.loads(question)
        with limited(self.source.threads):
            own = getattr(self, name, None)
            found = own(*arguments) if own is not None else getattr(self._partition, name)(*arguments)
        return pickle.dumps(found)

    # -- reading ----------------------------------------------------------------------------------

    def facts(self) -> PartFacts:
        return facts_of(self.source.rules, self.dataset, self._digests)

    @property
    def dataset(self) -> Dataset:
        """Read when it is first asked for, and once more where a part was lost."""
        if self._dataset is None:
            self._dataset = preparing.complete(self.source.rules, self._split()[0])[0]
        return self._dataset

    def _read(self) -> Dataset:
        opened = parts.opened(self.source.files, self.source.options, _open)
        self._digests = [part.digest for part in opened]
        return parts.concatenated(opened).counting()

    def _split(self) -> tuple[Dataset, Dataset | None]:
        """(rows trained on, rows tested on)"""
        whole, held = self._read(), self.source.held
        if held is None:
            return whole, None
        tested = np.zeros(whole.rows, dtype=bool)
        tested[held] = True
        return whole.take(~tested), whole.take(tested)

    def labels(self) -> np.ndarray:
        """Of all rows, in their order."""
        labels = self._read().labels
        if labels is None:
            raise FileError(self.source.files[0], "not every row of these files has a class")
        return labels

    def hold(self, held: np.ndarray) -> None:
        self.source = replace(self.source, held=held)

    def tested(self, trained: TrainedModel) -> Tested:
        """The rows that were held out, decided by the model; they are read again for it."""
        held = self._split()[1]
        assert held is not None
        assert held.labels is not None
        decisions = trained.predictions(held)
        rows = decisions.decided
        true = in_training_spelling(trained.class_names, held.labels[rows])
        each = np.ones(rows.size) if held.weights is None else held.weights[rows]
        hits = each @ (true == decisions.labels[rows])
        return Tested(float(hits), float(each.sum()), int(rows.size), decisions.notices)

    def prepare(self, preparation: Preparation) -> tuple[float, float, float]:
        """(sum, sum of squares, number) of all values that the kernel sees, by the weights of the rows."""
        rows: Any = preparation.apply(self.dataset).rows
        self._rows = rows
        weights = self.weights
        each = np.ones(rows.shape[0]) if weights is None else weights
        squares = rows.multiply(rows) if sp.issparse(rows) else np.square(rows)
        return float((each @ rows).sum()), float((each @ squares).sum()), float(each.sum() * rows.shape[1])

    @property
    def weights(self) -> np.ndarray | None:
        return self.dataset.weights

    def settle(self, settled: Settled) -> None:
        """From here on it answers as a Partition."""
        if self._rows is None:
            self.prepare(settled.preparation)
        dataset, weights = self.dataset, self.weights
        assert dataset.labels is not None
        number = {name: code for code, name in enumerate(settled.names)}
        codes = np.array([number[label] for label in dataset.labels], dtype=np.int64)
        self._partition = Partition(settled.terms.problem(self._rows, codes, weights), weights)
        self._row_source = dataset.row_source
        self._dataset = self._rows = None

    def row_source(self) -> RowSource:
        """Return the files and numbers of the rows that are trained on; it is known once the part is settled."""
        assert self._row_source is not None
        return self._row_source


def _open(path: str, options: ReadOptions) -> Dataset:
    return open_one(path, options, needs_label=False)


def list_files(path: str, options: ReadOptions) -> tuple[tuple[str, ...], ReadOptions]:
    """(the files of DATA, as this worker sees them, with the label of all settled by the first)."""
    files = parts.files_of(path) or [path]
    label, _ = parts.label_of(files[0], options, _open, needs_label=True)
    return tuple(files), replace(options, label=label)


def shared_out(files: Sequence[str], sizes: Sequence[int], workers: int) -> list[tuple[str, ...]]:
    """Runs of files that follow each other, of about the same size: one for each worker, as far as there are files."""
    count = min(workers, len(files))
    ends = np.cumsum(np.maximum(sizes, 1))
    owner = np.minimum(((ends - 0.5 * np.maximum(sizes, 1)) * count / ends[-1]).astype(int), count - 1)
    groups = [tuple(file for file, mine in zip(files, owner, strict=True) if mine == number) for number in range(count)]
    return [group for group in groups if group]
