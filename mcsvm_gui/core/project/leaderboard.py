"""The leaderboard: runs that were tested on the same rows, the best first, as columns of a table of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.columns import RunColumn, columns
from mcsvm_gui.core.project.records import RunRecord

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.standings import RunScores

ROWS = "digest", "test_digest", "read", "holdout", "split", "seed"  # of a request: what decides which rows test it
MOST = 100  # runs shown
ROOMY = "C", "gamma", "kernel"  # likewise, where the window is wide


@dataclass(frozen=True, eq=False)
class Standing:
    """`place`: None of a run that goes on, or was not tested. `validation`: mean of the search that chose it."""

    place: int | None = None
    scores: RunScores | None = None
    validation: float | None = None


Standings = Mapping[int, Standing]
NOWHERE = Standing()


def tested_on(record: RunRecord) -> list[Any]:
    """Equal for runs that were tested on the same rows."""
    return [record.plain_request.get(name) for name in ROWS]


def peers(record: RunRecord, records: Iterable[RunRecord]) -> list[RunRecord]:
    """The runs to be compared with this one: those that ended well, the best MOST of them, and those that go on."""
    mine = tested_on(record)
    alike = [one for one in records if (one.active or one.document is not None) and tested_on(one) == mine]
    ended = sorted((one for one in alike if not one.active), key=lambda one: -(one.test_accuracy or 0.0))
    return [*ended[:MOST], *(one for one in alike if one.active)]


def standings(
    records: Iterable[RunRecord], scores: Mapping[int, RunScores], validations: Mapping[int, float]
) -> dict[int, Standing]:
    runs = list(records)
    ranked = places([run.test_accuracy for run in runs])
    return {
        run.id: Standing(place, scores.get(run.id), validations.get(run.id))
        for run, place in zip(runs, ranked, strict=True)
    }


def places(values: Iterable[float | None]) -> list[int | None]:
    """1 for the largest; equal ones share a place, and what has no value has none."""
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
        """Equal ones as a search ranks them: the better validated first, then the smaller model."""
        mine = standing(run)
        return None if mine.place is None else (mine.place, -(mine.validation or 0.0), run.n_support or 0)

    def placed(run: RunRecord) -> str:
        """Equal ones share their place: =2."""
        mine = standing(run).place
        if mine is None:
            return figures.NONE
        return f"={mine}" if sum(one.place == mine for one in of().values()) > 1 else str(mine)

    known = {column.name: column for column in columns()}
    return (
        RunColumn("place", "#", tr("The best on the test rows first; equal ones share a place"), place, placed, True),
        RunColumn(
            "machine", tr("Run"), tr("Its name, and the mark of its machine in the plots"), _machine, _name, width=10
        ),
        _measure(
            "test_accuracy", tr("Accuracy"), tr("Rows decided rightly, of those it was not trained on"), _accuracy
        ),
        _difference(baseline),
        RunColumn(
            "interval",
            tr("95%"),
            tr("Where the accuracy lies with 95% certainty, by bootstrap over the test rows"),
            lambda run: _interval(standing(run)),
            lambda run: _interval_text(standing(run)),
            number=True,
            width=10,
        ),
        _measure(
            "balanced_accuracy",
            tr("Balanced"),
            tr("Accuracy in which every class counts alike"),
            lambda run: getattr(standing(run).scores, "balanced", None),
        ),
        _measure(
            "validation",
            tr("Validated"),
            tr("Mean of the cross-validation that chose C and gamma"),
            lambda run: standing(run).validation,
        ),
        replace(known["seconds"], width=7),
        replace(known["n_support"], title=tr("Vectors"), width=6),
        RunColumn("state", tr("Certificate"), known["state"].tip, known["state"].value, _certificate, width=13),
        *(known[name] for name in ROOMY),
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
