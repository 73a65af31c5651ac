"""The leaderboard: runs that were tested on the same rows, the best first, as columns of a table of runs.

The model that a search chose stands first. The other runs of searches follow by cross-validation, then all others by
their test score.
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
from mcsvm_gui.core.project.columns import RunColumn, columns
from mcsvm_gui.core.project.records import RunRecord

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.baselines import BaselineResult
    from mcsvm_gui.core.compare.standings import RunScores
    from mcsvm_gui.core.tune.best import Chosen

MEASURES = "accuracy", "balanced-accuracy", "macro-f1"  # by which the best model can be searched
BASELINES = "baselines"  # the key under which a project keeps simple methods beside runs, by run
CHOSEN = "chosen"  # the key under which a project keeps what searches found for the runs they led to
ROWS = "digest", "test_digest", "read", "holdout", "split", "seed"  # of a request: what decides which rows test it
HOW_FAR = "tol", "gap_tol", "max_iter", "time_limit"  # of a request: how far it is trained, and nothing of its model
MOST = 100  # runs shown
ROOMY = "C", "gamma", "kernel", "data"  # columns of how a run was made, shown if the window is wide


@dataclass(frozen=True)
class Validation:
    """What a search found for a run: the mean over its folds, and whether it chose this run among all machines."""

    mean: float
    measure: str = "accuracy"
    chosen: bool = False


@dataclass(frozen=True, eq=False)
class Standing:
    """`place`: None for a run that is not finished or not tested."""

    place: int | None = None
    scores: RunScores | BaselineResult | None = None
    validation: float | None = None
    chosen: bool = False


Standings = Mapping[int, Standing]
NOWHERE = Standing()


def tested_on(record: RunRecord) -> list[Any]:
    """Equal for runs that were tested on the same rows."""
    return [_tested_request(record).get(name) for name in ROWS]


def _tested_request(record: RunRecord) -> Mapping[str, Any]:
    """Of a final model, the request of the model that was tested."""
    request = record.plain_request
    tested = request.get("tested")
    return {**request, "holdout": tested.get("holdout")} if isinstance(tested, Mapping) else request


def is_final(record: RunRecord) -> bool:
    """Whether a run repeats a tested one on all rows; it was not tested itself."""
    return record.plain_request.get("tested") is not None


def peers(record: RunRecord, records: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs to be compared with this one: those that ended well, the best MOST of them, and those that go on."""
    mine = tested_on(record)
    there = [one for one in records if (one.active or one.document is not None) and not is_final(one)]
    alike = [one for one in there if tested_on(one) == mine]
    ended = sorted((one for one in alike if not one.active), key=lambda one: -(one.test_accuracy or 0.0))
    return [*ended[:MOST], *(one for one in alike if one.active)]


def best_solved(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Of ended runs that differ only in how far they were trained, the one with the smallest gap, or the newest."""
    best: dict[str, RunRecord] = {}
    for record in sorted(records, key=lambda one: one.id):
        asked = {name: value for name, value in record.plain_request.items() if name not in HOW_FAR}
        key = json.dumps(asked, sort_keys=True, default=str)
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
    found = {}
    for run, place in zip(runs, ranked, strict=True):
        validation = validations.get(run.id, _NO_SEARCH)
        mean = None if math.isnan(validation.mean) else validation.mean
        found[run.id] = Standing(place, scores.get(run.id), mean, validation.chosen)
    return found


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
    """1 for the largest; equal ones share a place, and a missing value has none."""
    values = list(values)
    known = sorted((value for value in values if value is not None), reverse=True)
    first = {value: place for place, value in reversed(list(enumerate(known, start=1)))}
    return [None if value is None else first[value] for value in values]


def leaderboard_columns(
    of: Callable[[], Standings], baseline: Callable[[], RunRecord | None] = lambda: None
) -> tuple[RunColumn, ...]:
    """`of`: how the runs stand now; `baseline`: the run that the others are compared with."""

    def standing(run: RunRecord) -> Standing:
        return of().get(run.id, NOWHERE)

    def place(run: RunRecord) -> tuple[float, ...] | None:
        """Order runs of one place as a search ranks them: the better validated first, then the smaller model."""
        mine = standing(run)
        if mine.place is None:
            return None
        return mine.place, not mine.chosen, -(mine.validation or 0.0), run.n_support or 0

    def placed(run: RunRecord) -> str:
        """Equal ones share their place: =2."""
        mine = standing(run).place
        if mine is None:
            return figures.NONE
        return f"={mine}" if sum(one.place == mine for one in of().values()) > 1 else str(mine)

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
            tr("Share of correct test rows, which the run was not trained on"),
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
    """In points."""

    def value(run: RunRecord) -> float | None:
        pinned = baseline()
        known = None if pinned is None else pinned.test_accuracy
        return None if known is None or run.test_accuracy is None else 100.0 * (run.test_accuracy - known)

    def text(run: RunRecord) -> str:
        points, pinned = value(run), baseline()
        if pinned is not None and run.id == pinned.id:
            return tr("baseline")
        return figures.NONE if points is None else figures.points(points / 100.0, signed=True)

    tip = tr("Of accuracy, more or less than the run that was chosen for comparison")
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
    """How far it can be from the optimum; the sign before it says whether that is near enough."""
    gap = run.relative_gap
    return figures.gap(None if gap is None else max(gap, 0.0))


# -- what a project keeps of searches ---------------------------------------------------------------


def search_choice(one: Chosen, *, chosen: bool, seen: bool = False) -> dict[str, Any]:
    """Return what a project keeps for a run; `seen`: whether the search used the rows that test the run."""
    listed = {"edges": list(one.edges), "ranges": list(one.ranges)}
    known = {"mean": one.mean, "share": one.share, "cut": one.cut, "measure": one.measure}
    return {**known, **listed, "chosen": chosen, "seen": seen}


def with_choices(kept: object, runs: Iterable[int], told: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the setting CHOSEN with new entries, and without runs that are gone. A project may hold anything."""
    known = set(map(str, runs))
    before = {run: found for run, found in kept.items() if run in known} if isinstance(kept, dict) else {}
    return before | {str(run): dict(found) for run, found in told.items()}


def measure_in(found: Mapping[str, Any]) -> str:
    """Return the measure that a search chose by, of an entry of CHOSEN."""
    measure = found.get("measure")
    return measure if measure in MEASURES else MEASURES[0]


def known_baselines(kept: object, run: int) -> tuple[BaselineResult, ...]:
    """Return the simple methods that were compared with a run; a project may hold anything."""
    from mcsvm_gui.core.compare.baselines import BaselineResult

    listed = kept.get(str(run)) if isinstance(kept, dict) else None
    if not isinstance(listed, list):
        return ()
    try:
        return tuple(BaselineResult.from_document(document) for document in listed)
    except ValueError:
        return ()


def baseline_rows(found: Sequence[BaselineResult]) -> tuple[list[RunRecord], dict[int, Standing]]:
    """Return simple methods as rows of the leaderboard, which have negative numbers and no place."""
    records = [
        RunRecord(-number, "", one.title, "", {}, state="done", document=_baseline_document(one))
        for number, one in enumerate(found, start=1)
    ]
    return records, {record.id: Standing(None, one) for record, one in zip(records, found, strict=True)}


def _baseline_document(one: BaselineResult) -> dict[str, Any]:
    return {"test_accuracy": one.accuracy, "n_test": one.rows, "class_counts": ()}
