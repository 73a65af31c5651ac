"""The rows of some files in the memory of a worker: first as read, then as the kernel receives them."""

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
    """The source of a part."""

    files: tuple[str, ...]
    options: ReadOptions
    rules: Rules
    threads: int | None
    held: np.ndarray | None = None  # test rows, which are not trained on


@dataclass(frozen=True)
class Tested:
    """The result of held-out rows of one part."""

    right: float  # total weight of the correctly predicted rows
    total: float  # total weight of all predicted rows
    rows: int
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Settled:
    """Results of the reading of all parts; a part that is read again is prepared with them."""

    preparation: Preparation
    names: tuple[str, ...]  # of the classes
    terms: SharedTerms


class PartHolder:
    """Holds a part on one worker. `answer` takes and returns bytes, so that the transferred bytes can be counted."""

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
        """Training rows, read at the first access, and again if a part was lost."""
        if self._dataset is None:
            self._dataset = preparing.complete(self.source.rules, self._split()[0])[0]
        return self._dataset

    def _read(self) -> Dataset:
        opened = parts.opened(self.source.files, self.source.options, _open)
        self._digests = [part.digest for part in opened]
        return parts.concatenated(opened).counting()

    def _split(self) -> tuple[Dataset, Dataset | None]:
        """Return (training rows, test rows)."""
        whole, held = self._read(), self.source.held
        if held is None:
            return whole, None
        tested = np.zeros(whole.rows, dtype=bool)
        tested[held] = True
        return whole.take(~tested), whole.take(tested)

    def labels(self) -> np.ndarray:
        """Return the labels of all rows, in their order."""
        labels = self._read().labels
        if labels is None:
            raise FileError(self.source.files[0], "not every row of these files has a class")
        return labels

    def hold(self, held: np.ndarray) -> None:
        self.source = replace(self.source, held=held)

    def tested(self, trained: TrainedModel) -> Tested:
        """Predict the held-out rows with the model; they are read again for this."""
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
        """Return (sum, sum of squares, number) of all values that the kernel receives, weighted by rows."""
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
        """Build the partition, which answers all further questions."""
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
    """Return the files of DATA, as this worker sees them, and options with the label of the first file for all."""
    files = parts.files_of(path) or [path]
    label, _ = parts.label_of(files[0], options, _open, needs_label=True)
    return tuple(files), replace(options, label=label)


def shared_out(files: Sequence[str], sizes: Sequence[int], workers: int) -> list[tuple[str, ...]]:
    """Split the files into runs of consecutive files of similar size, one for each worker.

    There are fewer runs if there are fewer files than workers.
    """
    count = min(workers, len(files))
    ends = np.cumsum(np.maximum(sizes, 1))
    owner = np.minimum(((ends - 0.5 * np.maximum(sizes, 1)) * count / ends[-1]).astype(int), count - 1)
    groups = [tuple(file for file, mine in zip(files, owner, strict=True) if mine == number) for number in range(count)]
    return [group for group in groups if group]
