"""Apply selected runs to their test rows: the work behind a page that compares them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.compare.comparison import Comparison, Side, adjusted_over_pairs, compare, side_of
from mcsvm_gui.core.compare.standings import RunScores, run_scores
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.roles.grouping import shared_likely_groups
from mcsvm_gui.core.evaluate.statistics import TestResult, corrected_t
from mcsvm_gui.core.evaluate.violations import violations_of
from mcsvm_gui.core.machine import sources
from mcsvm_gui.core.machine.request import Request

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.trained import Origin, TrainedModel

DATASETS = 3  # kept in memory in addition to the open data sets
Pair = tuple[Dataset, Dataset | None]


@dataclass(frozen=True, eq=False)
class RunRows:
    whole: Dataset  # the training file
    training: Dataset
    tested: Dataset
    kind: str  # "test", or "training" if no rows were held out

    @cached_property
    def shared_groups(self) -> tuple[str, ...]:
        return shared_likely_groups(self.whole, self.training, self.tested)

    def scores(self, run: int, trained: TrainedModel, seed: int) -> RunScores | None:
        """Score a model that was not trained on the tested rows."""
        scores = run_scores(run, trained, self.tested, seed)
        return scores if scores is None else replace(scores, shared_groups=self.shared_groups)


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """A run that ended. `rows` is None if its data are no longer available; then only its document is left."""

    run: int
    request: Request
    side: Side
    rows: RunRows | None = None
    trouble: str = ""
    origin: Origin | None = None

    @property
    def rows_key(self) -> tuple[Any, ...] | None:
        """Return a key that is equal for runs with the same test rows and the same classes."""
        if self.rows is None:
            return None
        return self.rows.tested.digest, self.request.read, tuple(self.side.document["classes"])

    @property
    def tested(self) -> bool:
        return self.rows is not None and self.rows.kind == "test"


class RowCache:
    """Rows of requests, read once and split once. Only one thread at a time may use it."""

    def __init__(self) -> None:
        self._data: OrderedDict[Any, Pair] = OrderedDict()
        self._rows: OrderedDict[Any, RunRows] = OrderedDict()

    def rows_of(self, request: Request, open_: Dataset | None) -> RunRows:
        """Return the rows of a request; `open_` is the window's open data set.

        Raises FileError if the file is missing or has changed.
        """
        key = (*_files(request), request.holdout, request.sample, request.seed)
        if key not in self._rows:
            self._rows[key] = split_rows(request, *self._data_of(request, open_))
        return _newest(self._rows, key)

    def _data_of(self, request: Request, open_: Dataset | None) -> Pair:
        key = _files(request)
        if key not in self._data:
            same = open_ is not None and open_.digest == request.digest and open_.name == request.data
            found = (open_, sources.test_of(request, open_)) if same and open_ is not None else None
            self._data[key] = found or sources.data_of(request)
        return _newest(self._data, key)


def _files(request: Request) -> tuple[Any, ...]:
    return request.data, request.test, request.digest, request.test_digest, request.read


def _newest(known: OrderedDict[Any, Any], key: Any) -> Any:
    known.move_to_end(key)
    while len(known) > DATASETS:
        known.popitem(last=False)
    return known[key]


def split_rows(request: Request, dataset: Dataset, test: Dataset | None) -> RunRows:
    """Split rows into training and test rows. `test`: rows of a separate test file."""
    training, held_out = dataset, test
    if request.holdout is not None:
        training, drawn, _ = splitting.split(dataset, request.holdout, request.seed, request.split)
        held_out = test or drawn
    training = splitting.sample(training, request.sample, request.seed)
    if held_out is None or held_out.labels is None:
        return RunRows(dataset, training, training, "training")
    return RunRows(dataset, training, held_out, "test")


def decided(
    run: int,
    request: Request,
    document: Mapping[str, Any],
    model: Callable[[], TrainedModel],
    rows: Callable[[], RunRows],
) -> ScoredRun:
    """Apply a run to its rows. An error becomes a sentence, and the document stays. Training rows give no scores."""
    try:
        found = rows()
        trained = model()
        side = side_of(str(run), trained, document, found.tested)
        side = side if found.kind == "test" else replace(side, scores=None, ranked=None)
        return ScoredRun(run, request, side, found, origin=trained.origin)
    except (OSError, ValueError, LookupError) as error:
        return unread(run, request, document, worded(error) if isinstance(error, InputError) else str(error))


def unread(run: int, request: Request, document: Mapping[str, Any], trouble: str) -> ScoredRun:
    return ScoredRun(run, request, Side(str(run), document, np.empty(0, dtype=object)), None, trouble)


def measured(chosen: ScoredRun, trained: TrainedModel) -> ScoredRun:
    """Add the margin violations of the training rows."""
    assert chosen.rows is not None
    violations = violations_of(trained, chosen.rows.training)
    return replace(chosen, side=replace(chosen.side, violations=violations))


# -- together -------------------------------------------------------------------------------------


def groups_of(runs: Sequence[ScoredRun]) -> list[list[ScoredRun]]:
    """Group the runs by their test rows, the largest group first."""
    found: dict[Any, list[ScoredRun]] = {}
    for chosen in runs:
        if chosen.rows_key is not None:
            found.setdefault(chosen.rows_key, []).append(chosen)
    return sorted(found.values(), key=len, reverse=True)


def comparison_of(group: Sequence[ScoredRun]) -> Comparison:
    rows = group[0].rows
    assert rows is not None
    return compare([chosen.side for chosen in group], tuple(group[0].side.document["classes"]), rows.tested)


def tests_of(runs: Sequence[ScoredRun]) -> list[TestResult]:
    """Test with McNemar on the same rows, and with the corrected t over several splits of the same data."""
    return [*on_same_rows(runs), *over_splits(runs)]


def on_same_rows(runs: Sequence[ScoredRun]) -> list[TestResult]:
    found: list[TestResult] = []
    for group in groups_of(runs):
        if len(group) > 1 and all(chosen.side.scores is not None for chosen in group):
            found += comparison_of(group).tests()
    return found


def over_splits(runs: Sequence[ScoredRun]) -> tuple[TestResult, ...]:
    """Compare requests that were trained on several splits with the same seeds, by the corrected t.

    Nadeau & Bengio (2003): it uses the ratio of test rows to training rows.
    """
    scores: dict[Request, dict[Any, ScoredRun]] = {}
    for chosen in runs:
        if chosen.tested and chosen.request.test is None and chosen.side.scores is not None:
            alike = replace(chosen.request, seed=0)
            scores.setdefault(alike, {})[chosen.request.seed] = chosen
    found = [_over_splits(a, b, scores) for a, b in combinations(scores, 2)]
    return adjusted_over_pairs([[result] for result in found if result is not None], "") if any(found) else ()


def _over_splits(a: Request, b: Request, scores: Mapping[Request, Mapping[Any, ScoredRun]]) -> TestResult | None:
    same = a.digest == b.digest and a.read == b.read and a.holdout == b.holdout
    seeds = sorted(scores[a].keys() & scores[b].keys()) if same else []
    if len(seeds) < 2:
        return None
    first = scores[a][seeds[0]]
    assert first.rows is not None
    share = first.rows.tested.rows / first.rows.training.rows
    accuracies = [np.array([_accuracy(scores[request][seed]) for seed in seeds]) for request in (a, b)]
    return corrected_t(accuracies[0], accuracies[1], share, _names(a, b))


def _accuracy(chosen: ScoredRun) -> float:
    assert chosen.side.scores is not None
    return chosen.side.scores.accuracy


def _names(a: Request, b: Request) -> tuple[str, str]:
    """Return the names of two machines, with the other settings that differ."""
    one, other = a.document(), b.document()
    differing = [name for name in one if name != "machine" and one[name] != other[name]]
    return _name(one, differing), _name(other, differing)


def _name(document: Mapping[str, Any], differing: Sequence[str]) -> str:
    return ", ".join([str(document["machine"]), *(f"{name}={document[name]}" for name in differing)])
