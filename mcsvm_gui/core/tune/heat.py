"""The results of a search as maps over C and gamma, all machines on one scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.tune.options import SCORES

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell, CellResult
    from mcsvm.solvers.selection.grid import Grid

SPREAD = "std"  # of the folds, by the measure that compares the cells
FEW = 100  # cells of one size: contours of fewer would be jagged, and outlines mark the cells near the best
WITHIN = 0.005, 0.01, 0.02, 0.05  # distances from the best mean at which contours run
SLACK = 1e-6  # times a step: rounding of powers
APART = 2.0  # steps between the cells without gamma and the others


@dataclass(frozen=True)
class HeatCell:
    """One cell in powers of two; `shade` is the place of its value on the scale, from 0 to 1."""

    cost: float
    gamma: float | None
    x: float
    y: float
    side: float
    shade: float
    value: float
    partial: bool = False  # its mean has fewer folds, or fewer training rows, than the best one


@dataclass(frozen=True)
class Scale:
    low: float
    high: float
    logarithmic: bool = False
    cut: bool = False  # values worse than the worst end are shown as that end
    falls: bool = False  # the lowest value is the best, and shown as such

    @property
    def best(self) -> float:
        return self.low if self.falls else self.high

    def shade(self, value: float) -> float:
        low, high, here = map(math.log, self._held(value)) if self.logarithmic else self._held(value)
        share = (here - low) / (high - low) if high > low else 1.0
        return 1.0 - share if self.falls and high > low else share

    def _held(self, value: float) -> tuple[float, float, float]:
        return self.low, self.high, min(max(value, self.low), self.high)

    def at(self, shade: float) -> float:
        shade = 1.0 - shade if self.falls else shade
        if self.logarithmic:
            return self.low ** (1.0 - shade) * self.high**shade
        return self.low + shade * (self.high - self.low)


@dataclass(frozen=True)
class HeatMap:
    """The map of one machine; `left` to `right` and `bottom` to `top` are the ranges, in powers of two."""

    machine: str
    title: str
    short: str  # shown if there is no room for the title
    brief: str  # shown if there is no room for `short` either
    cells: tuple[HeatCell, ...]
    best: int | None  # its place among the cells
    left: float
    right: float
    bottom: float
    top: float
    step: float
    linear: float | None  # height of the cells without gamma
    first_cost: float  # of the cells of the grid
    first_gamma: float | None
    levels: tuple[tuple[float, float], ...]  # values of the contours, and their places on the scale
    ticks: tuple[tuple[float, str], ...]  # of the scale: place, from 0 to 1, and label
    words: Callable[[int], str] = field(compare=False)  # describes a cell, by its place
    near: tuple[int, ...] = ()  # cells no worse than the best one by more than a standard error of its mean
    rivals: tuple[tuple[str, float, float], ...] = ()  # the best cells of the other machines: name and place


def scale_of(value: str, results: Iterable[CellResult], *, robust: bool = False) -> Scale | None:
    """Return the scale from the worst to the best value of all machines; None without values.

    With `robust`, the scale begins at the median, so that colours distinguish the good cells.
    """
    found = [number for result in results if not math.isnan(number := value_of(value, result))]
    if not found:
        return None
    low, high = min(found), max(found)
    if value == "seconds":
        return Scale(max(low, 1e-6), max(high, 1e-6), True)
    falls = value == SPREAD or (value in SCORES and not _rises(value))
    middle = float(np.median(found))
    if not robust or value not in SCORES or not low < middle < high:
        return Scale(low, high, falls=falls)
    return Scale(low, middle, cut=True, falls=True) if falls else Scale(middle, high, cut=True)


def near_best(cells: Sequence[Cell], results: Mapping[Cell, CellResult], best: Cell) -> tuple[int, ...]:
    """Return the places of the cells that are worse than the best by at most a standard error of its mean."""
    found = results[best]
    if found.folds < 2 or math.isnan(found.mean):
        return ()
    least = found.worth - float(np.std(found.fold_scores, ddof=1)) / math.sqrt(found.folds)
    rivals = (number for number, cell in enumerate(cells) if cell != best and not is_partial(results[cell], found))
    return tuple(number for number in rivals if results[cells[number]].worth >= least)


def is_partial(result: CellResult, best: CellResult | None) -> bool:
    """Return whether a mean is incomplete, after a stop or during a search.

    100 % of one fold is weaker evidence than 99 % of five.
    """
    return best is not None and (result.folds < best.folds or result.share < best.share)


def value_of(value: str, result: CellResult) -> float:
    """Return the mean by a measure, or another number of a cell; NaN if it is unknown."""
    return result.scored(result.score.beside(value)).mean if value in SCORES else float(getattr(result, value))


def _rises(name: str) -> bool:
    from mcsvm.solvers.selection import scores

    return scores.SCORES[name].higher_is_better


def heat_map(
    machine: str,
    title: str,
    short: str,
    brief: str,
    grid: Grid,
    results: Mapping[Cell, CellResult],
    best: Cell | None,
    words: Callable[[Cell], str],
    value: str,
    scale: Scale | None,
) -> HeatMap:
    step, low = grid.costs.step, 0.0 if grid.gammas is None else grid.gammas.low
    strip = low - APART * step if any(cell.gamma is None for cell in results) else None
    linear = 0.0 if grid.gammas is None else strip
    tried = tuple(cell for cell, result in results.items() if not math.isnan(value_of(value, result)))
    places = [_place(cell, linear) for cell in tried]
    sides = _sides(places, step)
    known = None if best is None else results.get(best)
    cells = tuple(
        _cell(cell, *at, side, value_of(value, results[cell]), scale, is_partial(results[cell], known))
        for cell, at, side in zip(tried, places, sides, strict=True)
    )
    half, top = 0.5 * step, low if grid.gammas is None else grid.gammas.exponents[-1]
    bottom = low if strip is None or grid.gammas is None else strip
    return HeatMap(
        machine=machine,
        title=title,
        short=short,
        brief=brief,
        cells=cells,
        best=tried.index(best) if best in tried else None,
        left=grid.costs.low - half,
        right=grid.costs.exponents[-1] + half,
        bottom=bottom - half,
        top=top + half,
        step=step,
        linear=linear,
        first_cost=grid.costs.low,
        first_gamma=None if grid.gammas is None else grid.gammas.low,
        levels=_levels(value, scale) if len(cells) >= FEW and len(set(sides)) == 1 else (),
        ticks=() if scale is None else ticks(value, scale),
        words=lambda number: words(tried[number]),
        near=near_best(tried, results, best) if best in tried else (),
    )


def with_rivals(shown: HeatMap, best: Mapping[str, Cell | None]) -> HeatMap:
    """Return the map with the best cells of the other machines; `best` has those of every machine."""
    others = {name: cell for name, cell in best.items() if name != shown.machine and cell is not None}
    return replace(shown, rivals=tuple((name, *_place(cell, shown.linear)) for name, cell in others.items()))


def _place(cell: Cell, linear: float | None) -> tuple[float, float]:
    return math.log2(cell.C), (linear or 0.0) if cell.gamma is None else math.log2(cell.gamma)


def _sides(places: Sequence[tuple[float, float]], step: float) -> list[float]:
    """Return the sides of cells: a step, or less if another cell is nearer, so that none hides another."""
    points = np.array(places).reshape(-1, 2)
    nearest = np.full(len(points), step) if _on_one_grid(points, step) else np.minimum(_apart(points), step)
    return np.round(nearest, 9).tolist()


def _on_one_grid(points: np.ndarray, step: float) -> bool:
    """Return whether whole steps lie between all points; then no neighbours need to be searched."""
    steps = (points - points[:1]) / step
    return bool((np.abs(steps - np.rint(steps)) < SLACK).all())


def _apart(points: np.ndarray) -> np.ndarray:
    """Return the distance to the nearest other point, along the axis with the larger distance."""
    from scipy.spatial import cKDTree

    distances, _ = cKDTree(points).query(points, k=2, p=np.inf)  # the nearest point is the point itself
    return distances[:, 1]


def _cell(cell: Cell, x: float, y: float, side: float, number: float, scale: Scale | None, partial: bool) -> HeatCell:
    return HeatCell(cell.C, cell.gamma, x, y, side, 1.0 if scale is None else scale.shade(number), number, partial)


def _levels(value: str, scale: Scale | None) -> tuple[tuple[float, float], ...]:
    if value not in SCORES or scale is None:
        return ()
    inside = (scale.best + (within if scale.falls else -within) for within in WITHIN)
    return tuple((level, scale.shade(level)) for level in inside if scale.low < level < scale.high)


def ticks(value: str, scale: Scale) -> tuple[tuple[float, str], ...]:
    shades: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0) if scale.high > scale.low else (1.0,)
    texts = [printed(value, scale.at(shade)) for shade in shades]
    if scale.cut:
        texts[0] = f"{'≥' if scale.falls else '≤'} {texts[0]}"
    return tuple(zip(shades, texts, strict=True))


def printed(value: str, number: float) -> str:
    if value in SCORES:
        return figures.score(value, number)
    if value == SPREAD:
        return figures.percent(number)
    return figures.seconds(number) if value == "seconds" else figures.count(round(number))
