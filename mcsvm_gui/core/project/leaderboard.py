"""The leaderboard: runs that were tested on the same rows, the best first, as columns of a table of runs.

The model that a search chose is first. The other runs of searches follow by cross-validation score, then all other runs
by test score.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.evaluate.recommended import measure_to_judge_by
from mcsvm_gui.core.machine.identity import drops_rows, preprocessing_text
from mcsvm_gui.core.project.columns import RunColumn, columns
from mcsvm_gui.core.project.records import RunRecord

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.baselines import BaselineResult
    from mcsvm_gui.core.compare.standings import RunScores
    from mcsvm_gui.core.tune.best import Chosen

MEASURES = "accuracy", "balanced-accuracy", "macro-f1"  # by which a search can choose the best model
BASELINES = "baselines"  # the setting of a project that stores baselines by run
CHOSEN = "chosen"  # the setting of a project that stores validation results of searches by run
ROWS = "digest", "test_digest", "read", "holdout", "split", "seed"  # fields of a request: they determine its test rows
HOW_FAR = "tol", "gap_tol", "max_iter", "time_limit"  # fields of a request: how far to train
MOST = 100  # runs shown
ROOMY = "C", "gamma", "kernel", "data"  # columns with settings, shown if the window is wide
PREPROCESSING = "preprocessing"  # a column of the leaderboard, shown if the runs differ in it


@dataclass(frozen=True)
class Validation:
    """The result of a search for a run: the mean over its folds, and whether it chose this run among all machines."""

    mean: float
    measure: str = "accuracy"
    chosen: bool = False


@dataclass(frozen=True, eq=False)
class Standing:
    """The rank of a run. `place`: None for a run that is not finished or not tested."""

    place: int | None = None
    scores: RunScores | BaselineResult | None = None
    validation: float | None = None
    chosen: bool = False


Standings = Mapping[int, Standing]
NOWHERE = Standing()


def tested_on(record: RunRecord) -> list[Any]:
    """Return a key that is equal for runs tested on the same rows."""
    request = _tested_request(record)
    return [*(request.get(name) for name in ROWS), drops_rows(request)]


def _tested_request(record: RunRecord) -> Mapping[str, Any]:
    """Return the request of a run; for a final model, the request of the model that was tested."""
    request = record.plain_request
    tested = request.get("tested")
    return {**request, "holdout": tested.get("holdout")} if isinstance(tested, Mapping) else request


def is_final(record: RunRecord) -> bool:
    """Return whether a run repeats a tested run on all rows; it was not tested itself."""
    return record.plain_request.get("tested") is not None


def peers(record: RunRecord, records: Iterable[RunRecord]) -> list[RunRecord]:
    """Return the runs to be compared with this one: the best MOST trained runs, and the active ones."""
    rows = tested_on(record)
    candidates = [one for one in records if (one.active or one.document is not None) and not is_final(one)]
    alike = [one for one in candidates if tested_on(one) == rows]
    ended = sorted((one for one in alike if not one.active), key=lambda one: -(one.test_accuracy or 0.0))
    return [*ended[:MOST], *(one for one in alike if one.active)]


def best_solved(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Keep, among runs that differ only in how far they were trained, the one with the smallest gap, or the newest."""
    best: dict[str, RunRecord] = {}
    for record in sorted(records, key=lambda one: one.id):
        settings = {name: value for name, value in record.plain_request.items() if name not in HOW_FAR}
        key = json.dumps(settings, sort_keys=True, default=str)
        known = best.get(key)
        if known is None or _gap(record) <= _gap(known):
            best[key] = record
    return list(best.values())


def _gap(record: RunRecord) -> float:
    return math.inf if record.relative_gap is None else record.relative_gap


def standings(
    records: Iterable[RunRecord], scores: Mapping[int, RunScores], validations: Mapping[int, Validation]
) -> dict[int, Standing]:
    runs = list(records)
    measure = board_measure(runs, validations)
    ranked = places([_worth(run, scores.get(run.id), validations.get(run.id), measure) for run in runs])
    board = {}
    for run, place in zip(runs, ranked, strict=True):
        validation = validations.get(run.id, _NO_SEARCH)
        mean = None if math.isnan(validation.mean) else validation.mean
        board[run.id] = Standing(place, scores.get(run.id), mean, validation.chosen)
    return board


def board_measure(records: Sequence[RunRecord], validations: Mapping[int, Validation]) -> str:
    """Return the measure that orders the board and that its answer uses."""
    chosen = {run.id: validations[run.id].measure for run in records if run.id in validations}
    chosen = {run: measure for run, measure in chosen.items() if validations[run].chosen}
    counts = next((run.document["class_counts"] for run in records if run.document is not None), ())
    return measure_to_judge_by(chosen, counts)


def _worth(
    run: RunRecord, scores: RunScores | None, validation: Validation | None, measure: str
) -> tuple[float, ...] | None:
    """Return a sort key, larger for better runs."""
    score = run.test_accuracy if measure == "accuracy" or scores is None else scores.score(measure)[0]
    if run.active or (score is None and validation is None):
        return None
    if validation is not None and validation.measure == measure:
        return 1.0, validation.mean, float(validation.chosen)
    return (0.0, score) if score is not None else None


_NO_SEARCH = Validation(math.nan)


def places(values: Iterable[Any]) -> list[int | None]:
    """Return the ranks of values: 1 for the largest; equal values share a rank, and missing values have None."""
    values = list(values)
    known = sorted((value for value in values if value is not None), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(known, start=1)))}
    return [None if value is None else first[value] for value in values]


def leaderboard_columns(
    of: Callable[[], Standings], baseline: Callable[[], RunRecord | None] = lambda: None
) -> tuple[RunColumn, ...]:
    """Return the columns; `of` returns the current standings, `baseline` the run that the others are compared with."""

    def standing(run: RunRecord) -> Standing:
        return of().get(run.id, NOWHERE)

    def place(run: RunRecord) -> tuple[float, ...] | None:
        """Order runs of equal rank as a search does: the better validated run first, then the smaller model."""
        own = standing(run)
        if own.place is None:
            return None
        return own.place, not own.chosen, -(own.validation or 0.0), run.n_support or 0

    def placed(run: RunRecord) -> str:
        """Return the rank as text; tied runs share their rank: =2."""
        rank = standing(run).place
        if rank is None:
            return figures.NONE
        return f"={rank}" if sum(one.place == rank for one in of().values()) > 1 else str(rank)

    known = {column.name: column for column in columns()}
    return (
        RunColumn(
            "place",
            "#",
            tr("By cross-validation if C and gamma were searched, then by the test rows"),
            place,
            placed,
            True,
        ),
        RunColumn(
            "machine", tr("Run"), tr("Its name, and the mark of its machine in the plots"), _machine, _name, width=10
        ),
        _measure(
            "test_accuracy",
            tr("Accuracy"),
            tr("Share of correctly predicted test rows; the run was not trained on them"),
            _accuracy,
        ),
        _difference(baseline),
        _interval_column(standing),
        _measure(
            "balanced_accuracy",
            tr("Balanced"),
            tr("Balanced accuracy: the mean over classes of the share of correct rows"),
            lambda run: getattr(standing(run).scores, "balanced", None),
        ),
        _measure(
            "validation",
            tr("Validated"),
            tr("Mean score of the cross-validation that chose C and gamma"),
            lambda run: standing(run).validation,
        ),
        replace(known["seconds"], width=7),
        replace(known["n_support"], title=tr("Vectors"), width=6),
        RunColumn("state", tr("Certificate"), known["state"].tip, known["state"].value, _certificate, width=13),
        *(known[name] for name in ROOMY),
        _preprocessing_column(),
    )


def _preprocessing(run: RunRecord) -> str:
    return preprocessing_text(run.plain_request) if run.plain_request else ""


def _preprocessing_column() -> RunColumn:
    return RunColumn(
        PREPROCESSING,
        tr("Preprocessing"),
        tr("Scaling and the other preprocessing of the run, shown if it differs between the runs"),
        _preprocessing,
        _preprocessing,
        width=18,
    )


def _interval_column(standing: Callable[[RunRecord], Standing]) -> RunColumn:
    return RunColumn(
        "interval",
        tr("95% interval"),
        tr("95% confidence interval of the test accuracy, by bootstrap over the test rows"),
        lambda run: _interval(standing(run)),
        lambda run: _interval_text(standing(run)),
        number=True,
        width=10,
    )


def _difference(baseline: Callable[[], RunRecord | None]) -> RunColumn:
    """Return the column of differences to the baseline, in percentage points."""

    def value(run: RunRecord) -> float | None:
        pinned = baseline()
        known = None if pinned is None else pinned.test_accuracy
        return None if known is None or run.test_accuracy is None else 100.0 * (run.test_accuracy - known)

    def text(run: RunRecord) -> str:
        points, pinned = value(run), baseline()
        if pinned is not None and run.id == pinned.id:
            return tr("baseline")
        return figures.NONE if points is None else figures.points(points / 100.0, signed=True)

    tip = tr("Difference in accuracy from the run chosen for comparison")
    return RunColumn("difference", tr("Points"), tip, value, text, number=True, width=8)


def _measure(name: str, title: str, tip: str, value: Callable[[RunRecord], Any]) -> RunColumn:
    def text(run: RunRecord) -> str:
        rows = run.n_test
        return figures.accuracy(value(run), int(rows) if rows and rows >= 1 else None)

    return RunColumn(name, title, tip, value, text, number=True, width=7)


def _machine(run: RunRecord) -> str:
    return run.machine


def _name(run: RunRecord) -> str:
    return run.name


def _accuracy(run: RunRecord) -> float | None:
    return run.test_accuracy


def _interval(standing: Standing) -> tuple[float, float] | None:
    return None if standing.scores is None else standing.scores.interval


def _interval_text(standing: Standing) -> str:
    if standing.scores is None:
        return figures.NONE
    return figures.interval(*standing.scores.interval, standing.scores.rows)


def _certificate(run: RunRecord) -> str:
    """Return the gap as text: a bound on the distance from the optimum; the badge shows whether it is small enough."""
    gap = run.relative_gap
    return figures.gap(None if gap is None else max(gap, 0.0))


# -- results of searches in a project ---------------------------------------------------------------


def search_choice(one: Chosen, *, chosen: bool, seen: bool = False) -> dict[str, Any]:
    """Return the entry of CHOSEN for a run; `seen`: whether the search used the test rows of the run."""
    listed = {"edges": list(one.edges), "ranges": list(one.ranges)}
    known = {"mean": one.mean, "share": one.share, "cut": one.cut, "measure": one.measure}
    return {**known, **listed, "chosen": chosen, "seen": seen}


def with_choices(kept: object, runs: Iterable[int], told: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the setting CHOSEN with new entries and without deleted runs; `kept` comes from a file and is checked."""
    known = set(map(str, runs))
    before = {run: entry for run, entry in kept.items() if run in known} if isinstance(kept, dict) else {}
    return before | {str(run): dict(entry) for run, entry in told.items()}


def measure_in(entry: Mapping[str, Any]) -> str:
    """Return the measure by which a search chose, from an entry of CHOSEN."""
    measure = entry.get("measure")
    return measure if measure in MEASURES else MEASURES[0]


def known_baselines(kept: object, run: int) -> tuple[BaselineResult, ...]:
    """Return the baselines that were compared with a run; `kept` comes from a file and is checked."""
    listed = kept.get(str(run)) if isinstance(kept, dict) else None
    if not isinstance(listed, list):
        return ()
    from mcsvm_gui.core.compare.baselines import BaselineResult  # 0.2 s, which a run without baselines is spared

    try:
        return tuple(BaselineResult.from_document(document) for document in listed)
    except ValueError:
        return ()


def baseline_rows(baselines: Sequence[BaselineResult]) -> tuple[list[RunRecord], dict[int, Standing]]:
    """Return baselines as rows of the leaderboard, which have negative numbers and no rank."""
    records = [
        RunRecord(-number, "", one.title, "", {}, state="done", document=_baseline_document(one))
        for number, one in enumerate(baselines, start=1)
    ]
    return records, {record.id: Standing(None, one) for record, one in zip(records, baselines, strict=True)}


def _baseline_document(one: BaselineResult) -> dict[str, Any]:
    return {"test_accuracy": one.accuracy, "n_test": one.rows, "class_counts": ()}
