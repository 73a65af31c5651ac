"""Grids of C and gamma in powers of two: ranges, neighbours and edges, and the choice of the best cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.cell import Cell, CellResult

MOST = 100_000  # largest number of cells of one machine
SLACK = 1e-9  # share of a step, or of a value, that counts as rounding at the ends of a range
DIGITS = 12  # significant digits of a value that was written in decimal


@dataclass(frozen=True)
class Range:
    """2^low, 2^(low + step), ... up to 2^high."""

    low: float
    high: float
    step: float = 1.0

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.low, self.high, self.step))) or max(abs(self.low), abs(self.high)) > 300:
            raise InputError(
                "a range must lie between 2^-300 and 2^300, not 2^{low:g}:2^{high:g}", low=self.low, high=self.high
            )
        if self.step <= 0.0:
            raise InputError("the step of a range must be a positive number, not {step:g}", step=self.step)
        if self.high < self.low:
            raise InputError(
                "a range runs from the smaller to the larger number, not 2^{low:g}:2^{high:g}",
                low=self.low,
                high=self.high,
            )
        if (self.high - self.low) / self.step > MOST:
            raise InputError(
                "a step of {step:g} cuts 2^{low:g}:2^{high:g} into too many values",
                step=self.step,
                low=self.low,
                high=self.high,
            )

    @classmethod
    def between(cls, low: float, high: float, step: float = 1.0) -> Range:
        if not (low > 0.0 and high > 0.0):
            raise InputError("a range holds positive numbers, not {low:g}:{high:g}", low=low, high=high)
        return cls(math.log2(low), math.log2(high), step)

    @cached_property
    def exponents(self) -> tuple[float, ...]:
        count = int((self.high - self.low) / self.step + SLACK) + 1
        return tuple(self.low + number * self.step for number in range(count))

    @cached_property
    def values(self) -> tuple[float, ...]:
        return tuple(as_written(2.0**exponent) for exponent in self.exponents)

    def is_within(self, value: float) -> bool:
        values = self.values
        return values[0] * (1.0 - SLACK) <= value <= values[-1] * (1.0 + SLACK)

    def beside(self, value: float) -> tuple[float, ...]:
        """Return the value and the values half a step below and above it, as far as they are within the range."""
        moved = (value * 2.0 ** (0.5 * steps * self.step) for steps in (-1, 0, 1))
        return tuple(as_written(near) for near in moved if self.is_within(near))

    def ends(self, value: float) -> tuple[str, ...]:
        """Return ("low",) or ("high",) if the value is an end of the range, else (); () for a range of one value."""
        values = self.values
        named = (("low", values[0]), ("high", values[-1])) if len(values) > 1 else ()
        return tuple(side for side, end in named if math.isclose(value, end, rel_tol=SLACK))


def as_written(value: float) -> float:
    """Return the decimal number that was meant: 10 for 2^log2(10), which is 9.999999999999998."""
    written = float(f"{value:.{DIGITS}g}")
    return written if math.isclose(written, value, rel_tol=1e-15) else value


@dataclass(frozen=True)
class Grid:
    """The cells of a search: every machine with every C and gamma; without gammas, every C alone."""

    machines: tuple[str, ...]
    costs: Range
    gammas: Range | None

    def __post_init__(self) -> None:
        if self.size > MOST:
            raise InputError(
                "{size} cells are more than {most}; take wider steps or shorter ranges", size=self.size, most=MOST
            )

    @property
    def size(self) -> int:
        return len(self.costs.exponents) * len(self.gamma_values)

    @property
    def gamma_values(self) -> tuple[float | None, ...]:
        return (None,) if self.gammas is None else self.gammas.values

    def cells(self, machine: str) -> tuple[Cell, ...]:
        return tuple(Cell(machine, cost, gamma) for gamma in self.gamma_values for cost in self.costs.values)

    def at(self, machine: str, column: int, row: int) -> Cell:
        """Return the cell at these indices of the ranges of C and gamma."""
        return Cell(machine, self.costs.values[column], self.gamma_values[row])

    def place(self, cell: Cell) -> tuple[int, int]:
        return self.costs.values.index(cell.C), self.gamma_values.index(cell.gamma)

    def around(self, cell: Cell, distance: int) -> list[Cell]:
        """Return up to eight neighbours at this distance in C and gamma, clipped to the grid."""
        (column, row), width, height = self.place(cell), len(self.costs.exponents), len(self.gamma_values)
        columns = sorted({min(max(column + d, 0), width - 1) for d in (-distance, 0, distance)})
        rows = sorted({min(max(row + d, 0), height - 1) for d in (-distance, 0, distance)})
        return [found for j in rows for i in columns if (found := self.at(cell.machine, i, j)) != cell]

    def beside(self, cell: Cell) -> list[Cell]:
        """Return up to eight neighbours at half a step: cells between those of the grid."""
        gammas = (cell.gamma,) if self.gammas is None or cell.gamma is None else self.gammas.beside(cell.gamma)
        near = [Cell(cell.machine, cost, gamma) for gamma in gammas for cost in self.costs.beside(cell.C)]
        return [found for found in near if found != cell]

    def edges(self, cell: Cell) -> tuple[str, ...]:
        """Return the edges that the cell, which may be off the grid, lies on: "C low", "C high", "gamma low", ..."""
        found = [f"C {side}" for side in self.costs.ends(cell.C)]
        if self.gammas is not None and cell.gamma is not None:
            found += [f"gamma {side}" for side in self.gammas.ends(cell.gamma)]
        return tuple(found)


def best(results: Mapping[Cell, CellResult], machine: str) -> Cell | None:
    """Return the cell with the best mean score; ties go to the smaller C, then to the smaller gamma.

    Candidates are the cells that were tested on the most folds. If these are fewer than half, cells with one fold less
    count too, because after a stop some cells are a fold ahead. Only the cells trained on the largest share of the rows
    remain. The linear cells of a two-line search are no candidates once cells with gamma were tested.
    """
    mine = {cell: result for cell, result in results.items() if cell.machine == machine and result.folds}
    mine = {cell: result for cell, result in mine.items() if not math.isnan(result.mean)}
    if any(cell.gamma is not None for cell in mine):
        mine = {cell: result for cell, result in mine.items() if cell.gamma is not None}
    most = max((result.folds for result in mine.values()), default=0)
    ahead = sum(result.folds == most for result in mine.values())
    enough = most if 2 * ahead >= len(mine) else most - 1
    complete = [cell for cell in mine if mine[cell].folds >= enough]
    largest = max((mine[cell].share for cell in complete), default=1.0)
    rivals = [cell for cell in complete if mine[cell].share == largest]
    return min(rivals, key=lambda cell: preference(cell, mine[cell].worth), default=None)


def preference(cell: Cell, worth: float) -> tuple[float, float, float]:
    """Return the sort key of a cell, the better cell first; worths that agree to 12 decimals tie."""
    return -round(worth, 12), cell.C, -1.0 if cell.gamma is None else cell.gamma
