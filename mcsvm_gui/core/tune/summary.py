"""Texts on a search: each cell, the best ones, the edges they lie on, its progress and its time left."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import TYPE_CHECKING

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.base.options import written
from mcsvm_gui.core.machine.summary import time_left_text
from mcsvm_gui.core.tune.options import SCORES

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell, CellResult
    from mcsvm.solvers.selection.study import Nested
    from mcsvm.solvers.selection.trials.per_pair import Composite, PairChoice


def place(cell: Cell | PairChoice) -> str:
    cost = figures.entry(written(cell.C, powers=True))
    if cell.gamma is None:
        return tr("C {cost}", cost=cost)
    return tr("C {cost}, gamma {gamma}", cost=cost, gamma=figures.entry(written(cell.gamma, powers=True)))


def mean(result: CellResult) -> str:
    """Write the mean of the measure that cells are compared by."""
    return figures.score(result.score.name, result.mean)


def score(result: CellResult) -> str:
    """Write mean and deviation over the folds, such as 97.3% ± 0.8, with the measure unless it is accuracy."""
    deviation = figures.spread(result.score.name, result.std)
    said = mean(result) if result.folds < 2 else f"{mean(result)} ± {deviation}"
    return said if result.score.name == "accuracy" else f"{tr(SCORES[result.score.name])} {said}"


def cell_text(cell: Cell, result: CellResult, folds: int) -> str:
    parts = [f"{place(cell)}: {score(result)}"]
    if result.share < 1.0:
        parts.append(tr("trained on {share} of the rows", share=Fraction(result.share).limit_denominator(99)))
    if result.folds < folds:
        parts.append(tr("{done} of {folds} folds", done=result.folds, folds=folds))
    parts.append(tr("{count} support vectors", count=figures.count(round(result.n_support))))
    parts.append(figures.seconds(result.seconds))
    parts.append(ending_text(result))
    return " · ".join(parts)


def ending_text(result: CellResult) -> str:
    if result.converged:
        return settled_text(result) or tr("solved")
    gap = figures.gap(max(result.worst.relative_gap, 0.0))
    ending = next(ending.value for ending in result.endings if ending.value != "converged")
    return {
        "time limit": tr("not solved: time limit, gap {gap}", gap=gap),
        "step limit": tr("not solved: step limit, gap {gap}", gap=gap),
    }.get(ending, tr("not solved: gap {gap}", gap=gap))


def settled_text(result: CellResult) -> str:
    """Describe folds that ended before the tolerance; empty without such folds."""
    settled = [ending.value for ending in result.settled]
    if "decisions unchanged" in settled:
        return tr("ended as decisions did not change")
    return tr("ended as decisions were proved") if settled else ""


def folds_so_far(result: CellResult, folds: int) -> str:
    """Describe the folds and rows of an incomplete mean; empty if it is complete."""
    parts = [] if result.folds >= folds else [tr("{done} of {folds} folds", done=result.folds, folds=folds)]
    if result.share < 1.0:
        parts.append(tr("trained on {share} of the rows", share=Fraction(result.share).limit_denominator(99)))
    return f" ({', '.join(parts)})" if parts else ""


def best_text(
    title: str,
    cell: Cell,
    result: CellResult,
    composite: Composite | None = None,
    nested: Nested | None = None,
    folds: int = 0,
) -> str:
    """Describe the best combination. `folds`: number of a complete validation; a smaller number is shown."""
    known = score(result) + folds_so_far(result, folds)
    said = tr("{machine}: {score} at {place}", machine=title, score=known, place=place(cell))
    if composite is not None:
        together = _mean(result, composite.fold_accuracy)
        said = tr("{said}; {mean} with C and gamma of its own for each pair", said=said, mean=together)
    if nested is not None:
        judged = _mean(result, nested.by(result.score))
        said = tr("{said}; {mean} where each fold's choice was made without it", said=said, mean=judged)
    return said


def _mean(result: CellResult, folds: Collection[float]) -> str:
    return figures.score(result.score.name, sum(folds) / len(folds))


def progress_text(done: int, expected: int | None, seconds_left: float | None = None) -> str:
    fits = figures.count(done)
    if expected is None:
        return tr("{done} fits", done=fits)
    said = tr("{done} of {expected} fits", done=fits, expected=figures.count(expected))
    left = time_left_text(seconds_left)
    return f"{said}, {left}" if left else said
