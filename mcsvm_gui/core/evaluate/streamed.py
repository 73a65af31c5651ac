"""Apply a model to rows that arrive in blocks: predictions are returned immediately, and counts are accumulated."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import scipy.sparse as sp

from mcsvm.solvers.work import PREDICTION_ROWS
from mcsvm_gui.core.data.blocks.notices import JoinedNotices
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.preparation.gaps import MissingCells, MissingCellsError
from mcsvm_gui.core.data.preparation.rules import Prepared, Rows
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.evaluate.prediction import rejections
from mcsvm_gui.core.evaluate.scores import Scores, of_confusion
from mcsvm_gui.core.machine.trained import Decisions, RowOutputs, TrainedModel, unseen_classes


def decided(
    trained: TrainedModel, blocks: Iterable[Dataset], *, probabilities: bool = False, sets: bool = False
) -> Iterator[tuple[Dataset, Decisions]]:
    """Predict rows in groups of PREDICTION_ROWS, independent of the blocks, because BLAS rounds by position.

    If the rules refuse missing cells and there are any, later blocks are only searched for further ones, so that the
    error counts them all.
    """
    waiting: deque[tuple[Dataset, Prepared]] = deque()
    rows, outputs = _RowQueue(), _OutputQueue()

    def add(some: Rows) -> None:
        outputs.add(trained.outputs(some, probabilities=probabilities, sets=sets))

    def ready() -> Iterator[tuple[Dataset, Decisions]]:
        while waiting and waiting[0][1].kept.size <= outputs.size:
            dataset, prepared = waiting.popleft()
            yield dataset, trained.decisions(dataset, prepared, outputs.take(prepared.kept.size))

    missing: MissingCells | None = None
    for dataset in ahead(blocks):
        try:
            prepared = trained.preparation.apply(dataset)
        except MissingCellsError as error:
            missing = error.found if missing is None else missing.joined(error.found)
        if missing is not None:
            missing, name = replace(missing, rows=(dataset.before or 0) + dataset.rows), dataset.name
            continue
        waiting.append((dataset, prepared))
        rows.add(prepared.rows)
        add(rows.take(rows.size - rows.size % PREDICTION_ROWS))
        yield from ready()
    if missing is not None:
        raise missing.error(name)
    add(rows.take(rows.size))
    yield from ready()


def ahead(blocks: Iterable[Dataset]) -> Iterator[Dataset]:
    """Read the next block in another thread while this one is predicted and written; so two are in memory."""
    source = iter(blocks)
    with ThreadPoolExecutor(1, thread_name_prefix="read") as reader:
        coming = reader.submit(next, source, None)
        while (dataset := coming.result()) is not None:
            coming = reader.submit(next, source, None)
            yield dataset


class _RowQueue:
    """A first-in, first-out queue of dense or sparse rows."""

    def __init__(self) -> None:
        self._parts: list[Rows] = []
        self.size = 0

    def add(self, rows: Rows) -> None:
        self._parts.append(rows)
        self.size += rows.shape[0]

    def take(self, count: int) -> Rows:
        held = self._parts[0] if len(self._parts) == 1 else _stacked(self._parts)
        self._parts = [held[count:]] if count else [held]
        self.size -= count
        return held if count == held.shape[0] else held[:count]


class _OutputQueue:
    """A first-in, first-out queue of row outputs."""

    def __init__(self) -> None:
        self._parts: list[RowOutputs] = []
        self.size = 0

    def add(self, outputs: RowOutputs) -> None:
        self._parts.append(outputs)
        self.size += len(outputs)

    def take(self, count: int) -> RowOutputs:
        held = self._parts[0] if len(self._parts) == 1 else RowOutputs.concatenate(self._parts)
        self._parts = [held[count:]]
        self.size -= count
        return held[:count]


def _stacked(parts: list[Rows]) -> Rows:
    return sp.csr_array(sp.vstack(parts, format="csr")) if sp.issparse(parts[0]) else np.concatenate(parts)


class StreamOutcome:
    """Counts over the rows of all blocks."""

    def __init__(self, trained: TrainedModel) -> None:
        self.trained = trained
        self.rows = self.decided = self.rejected = 0
        self.counted = 0  # rows that were predicted and count
        self.trained_on = 0  # rows among these that the model was trained on
        self.weight_name: str | None = None
        self._names = dict(zip(trained.class_names, range(len(trained.class_names)), strict=True))
        self._all, self._others = (np.zeros((len(self._names), len(self._names))) for _ in range(2))
        self._labelled = True
        self._notices, self._unseen = JoinedNotices(), JoinedNotices()

    def add(self, dataset: Dataset, decisions: Decisions) -> None:
        rows = decisions.decided
        self.rows += dataset.rows
        self.decided += rows.size
        self.rejected += int(decisions.rejected.sum())
        self.weight_name = dataset.weight_name
        self._notices.add_dataset(dataset)
        self._notices.add((*decisions.notices, *rejections(decisions)))
        self._labelled &= dataset.labels is not None
        if dataset.labels is not None:
            labels = in_training_spelling(self.trained.class_names, dataset.labels)
            self._unseen.add(unseen_classes(self.trained.class_names, labels))
            self._score(dataset, labels, decisions.labels, rows)

    def _score(self, dataset: Dataset, true: np.ndarray, found: np.ndarray, rows: np.ndarray) -> None:
        weights, known = dataset.weights, self.trained.rows
        rows = rows if weights is None else rows[weights[rows] > 0.0]
        first, second = (self._codes(side[rows]) for side in (true, found))
        more = len(self._names) - len(self._all)
        self._all, self._others = np.pad(self._all, (0, more)), np.pad(self._others, (0, more))
        each = np.ones(rows.size) if weights is None else weights[rows]
        others = np.ones(rows.size, dtype=bool) if known is None else ~known.contains(dataset.row_source)[rows]
        # add one after another, so that rounding is the same as for all rows at once
        np.add.at(self._all, (first, second), each)
        np.add.at(self._others, (first[others], second[others]), each[others])
        self.counted += rows.size
        self.trained_on += rows.size - int(others.sum())

    def _codes(self, labels: np.ndarray) -> np.ndarray:
        """Return class numbers; classes unknown to training get the next numbers in the order of their appearance."""
        codes, distinct = pd.factorize(labels)
        numbers = [self._names.setdefault(name, len(self._names)) for name in distinct.tolist()]
        return np.asarray(np.array(numbers, dtype=np.int64)[codes])

    @property
    def scored(self) -> int:
        """Return the number of rows that `scores` measures: those outside the training rows, or all."""
        return self.counted - self.trained_on or self.counted

    @property
    def scores(self) -> Scores | None:
        """Return the scores against the labels in the file, if every row has one."""
        return self._scores_of(self._others if self.counted > self.trained_on else self._all)

    @property
    def all_scores(self) -> Scores | None:
        """Return the scores on all rows that count."""
        return self._scores_of(self._all)

    def _scores_of(self, confusion: np.ndarray) -> Scores | None:
        if not self._labelled or not self.counted:
            return None
        known = len(self.trained.class_names)
        names = [*self.trained.class_names, *sorted(list(self._names)[known:])]
        order = [self._names[name] for name in names]
        return of_confusion(confusion[np.ix_(order, order)], names)

    @property
    def notices(self) -> tuple[Notice, ...]:
        return (*self._notices.all(), *(self._unseen.all() if self._labelled else ()))
