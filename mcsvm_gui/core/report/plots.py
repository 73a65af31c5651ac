"""The figures of reports, as plain numbers that draw themselves with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare import variants
from mcsvm_gui.core.report import style
from mcsvm_gui.core.report.blocks import shortened, undirected

NAME = 24  # characters in a legend
WIDE = 100.0  # times the shortest bar: beyond this, dots on a logarithmic axis replace bars
FIGURE_ROOM = 1.15  # times the axis: room for the number behind the longest bar
FAR = 20.0  # times the shortest: beyond this, short bars are visible on a logarithmic axis only
POINTS = 600  # of a line; more are not visible


@dataclass(frozen=True, eq=False)
class Curve:
    label: str
    machine: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, eq=False)
class CurvePlot:
    lines: Sequence[Curve]
    x: str
    y: str
    log_y: bool = True
    size: tuple[float, float] = (6.8, 3.0)

    def draw(self, axes: Any) -> None:
        for line, number in zip(self.lines, variants.numbers([line.machine for line in self.lines]), strict=True):
            colour, dashes, marker = style.machine(line.machine, number)
            x, y = _thinned(line.x, line.y, positive=self.log_y)
            look = {"color": colour, "dashes": dashes or (None, None), "marker": marker, "markersize": 5}
            end = [x.size - 1] if x.size else None
            axes.plot(x, y, **look, markevery=end, linewidth=1.2, label=name(line.label))
        if self.log_y and any((np.asarray(line.y) > 0.0).any() for line in self.lines):
            _logarithmic(axes, axes.yaxis, axes.set_yscale)
        ends = [float(np.max(line.x)) for line in self.lines if np.size(line.x)]
        if len(ends) > 1 and min(ends) > 0.0 and max(ends) > FAR * min(ends):
            _logarithmic(axes, axes.xaxis, axes.set_xscale)
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        _legend(axes, len(self.lines))


@dataclass(frozen=True, eq=False)
class Bars:
    """One horizontal bar per row, the first on top; dots if the shortest bar would be invisible.

    Bars begin at zero: on a logarithmic axis their lengths would have no meaning.
    """

    labels: Sequence[str]
    machines: Sequence[str]
    values: Sequence[float]
    texts: Sequence[str]  # the number behind each bar
    x: str

    @property
    def size(self) -> tuple[float, float]:
        return 6.8, 0.7 + 0.26 * len(self.labels)

    @property
    def dots(self) -> bool:
        low, high = min(self.values, default=0.0), max(self.values, default=0.0)
        return low > 0.0 and high > WIDE * low

    def draw(self, axes: Any) -> None:
        places = np.arange(len(self.labels))
        (self._draw_dots if self.dots else self._draw_bars)(axes, places)
        for place, value, text in zip(places, self.values, self.texts, strict=True):
            axes.annotate(text, (value, place), (6, 0), textcoords="offset points", va="center", annotation_clip=False)
        _ticks(axes.yaxis, places, [name(label) for label in self.labels])
        axes.set_ylim(len(self.labels) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(self.x)

    def _draw_bars(self, axes: Any, places: np.ndarray) -> None:
        colours = [style.machine(machine)[0] for machine in self.machines]
        axes.barh(places, self.values, color=colours, height=0.6)
        axes.set_xlim(0.0, FIGURE_ROOM * max(self.values, default=0.0) or 1.0)

    def _draw_dots(self, axes: Any, places: np.ndarray) -> None:
        for place, machine, value in zip(places, self.machines, self.values, strict=True):
            colour, _, marker = style.machine(machine)
            axes.plot([value], [place], marker=marker, color=colour, markersize=7, linestyle="none")
        low, high = min(self.values), max(self.values)
        _logarithmic(axes, axes.xaxis, axes.set_xscale)
        axes.set_xlim(0.7 * low, high * (high / low) ** (FIGURE_ROOM - 1.0))


@dataclass(frozen=True, eq=False)
class Spread:
    """The values of every part, and their summary."""

    labels: Sequence[str]
    machines: Sequence[str]
    values: Sequence[Sequence[float]]
    centres: Sequence[float]
    x: str

    @property
    def size(self) -> tuple[float, float]:
        return 6.8, 0.8 + 0.3 * len(self.labels)

    def draw(self, axes: Any) -> None:
        for place, (machine, values, centre) in enumerate(zip(self.machines, self.values, self.centres, strict=True)):
            colour, _, marker = style.machine(machine)
            axes.plot(
                values, [place] * len(values), marker=marker, color=colour, linestyle="none", alpha=0.55, markersize=5
            )
            axes.plot([centre] * 2, [place - 0.3, place + 0.3], color=colour, linewidth=2)
        _ticks(axes.yaxis, range(len(self.labels)), [name(label) for label in self.labels])
        axes.set_ylim(len(self.labels) - 0.4, -0.6)
        axes.set_xlabel(self.x)


@dataclass(frozen=True, eq=False)
class HeatFigure:
    """A heat map; `values` is (rows, columns), NaN if unknown."""

    values: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    y: str
    x: str
    limits: tuple[float, float]
    best: tuple[int, int] | None = None
    falls: bool = False  # the lowest value is the best, and the brightest

    @property
    def size(self) -> tuple[float, float]:
        return 6.8, min(1.2 + 0.24 * len(self.rows), 8.0)

    def draw(self, axes: Any) -> None:
        colours = "viridis_r" if self.falls else "viridis"
        mesh = axes.pcolormesh(self.values, cmap=colours, vmin=self.limits[0], vmax=self.limits[1], edgecolors="none")
        _ticks(axes.xaxis, np.arange(len(self.columns)) + 0.5, self.columns)
        _ticks(axes.yaxis, np.arange(len(self.rows)) + 0.5, self.rows)
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        axes.grid(visible=False)
        if self.best is not None:
            row, column = self.best
            axes.plot(column + 0.5, row + 0.5, marker="o", markersize=9, markerfacecolor="none", color="#ff3b6b")
        axes.figure.colorbar(mesh, ax=axes, pad=0.02).ax.tick_params(labelsize=7)


@dataclass(frozen=True, eq=False)
class CriticalDifference:
    """Demsar's diagram: average ranks on a line, and bars over those that do not differ significantly."""

    names: Sequence[str]
    ranks: Sequence[float]
    difference: float
    cliques: Sequence[Sequence[str]]

    @property
    def size(self) -> tuple[float, float]:
        return 6.8, 1.2 + 0.18 * len(self.names) + 0.14 * len(self.cliques)

    def draw(self, axes: Any) -> None:
        order = np.argsort(self.ranks, kind="stable")
        half = (len(order) + 1) // 2
        low, high = 1.0, float(len(order))
        axes.set_xlim(low - 0.9, high + 0.9)
        depth = 0.6 + 0.34 * len(self.cliques)
        axes.set_ylim(depth + 0.5 * half + 0.2, -1.2)
        axes.axis("off")
        axes.plot([low, high], [0, 0], color=style.INK, linewidth=1)
        for rank in range(1, len(order) + 1):
            axes.plot([rank, rank], [-0.12, 0], color=style.INK, linewidth=1)
            axes.text(rank, -0.2, str(rank), ha="center", va="bottom", color=style.INK)
        axes.plot([low, low + self.difference], [-0.85, -0.85], color=style.INK, linewidth=1.5)
        axes.text(
            low,
            -0.9,
            tr("critical difference {difference:.3g}", difference=self.difference),
            va="bottom",
            color=style.INK,
        )
        for place, index in enumerate(order):
            left = place < half
            row = place if left else len(order) - 1 - place
            self._leader(axes, int(index), depth + 0.5 * row, low - 0.15 if left else high + 0.15, left)
        for place, clique in enumerate(self.cliques):
            ranks = [self.ranks[list(self.names).index(member)] for member in clique]
            height = 0.35 + 0.34 * place
            axes.plot([min(ranks) - 0.04, max(ranks) + 0.04], [height, height], color=style.INK, linewidth=3)

    def _leader(self, axes: Any, index: int, height: float, end: float, left: bool) -> None:
        rank = self.ranks[index]
        axes.plot(
            [rank, rank, end], [0, height, height], color=style.machine(self.names[index].split("/")[0])[0], linewidth=1
        )
        text = f"{name(self.names[index])}  {figures.number(rank)}"
        axes.text(
            end,
            height,
            f"{text} " if left else f" {text}",
            ha="right" if left else "left",
            va="center",
            color=style.INK,
        )


def name(label: str) -> str:
    return undirected(shortened(label, NAME))


def _ticks(axis: Any, places: Sequence[float] | np.ndarray, labels: Sequence[str]) -> None:
    """Set ticks and labels: matplotlib's function for both changes the process's warning filters."""
    from matplotlib.ticker import FixedFormatter

    axis.set_ticks(places)
    axis.set_major_formatter(FixedFormatter(labels))


def _logarithmic(axes: Any, axis: Any, scale: Any) -> None:
    """Label in plain text: with formulas switched off, matplotlib's own labels would show their source."""
    from matplotlib.ticker import LogLocator

    scale("log")
    low, high = axis.get_view_interval()
    if high < WIDE * low:  # powers of ten alone may leave the axis without any tick
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(lambda value, place: figures.number(value, 6))
    axis.set_minor_formatter(lambda value, place: "")


def _thinned(x: np.ndarray, y: np.ndarray, *, positive: bool) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    known = np.isfinite(x) & np.isfinite(y) & ((y > 0.0) | (not positive))
    x, y = x[known], y[known]
    if x.size > POINTS:
        chosen = np.unique(np.linspace(0, x.size - 1, POINTS).astype(int))
        x, y = x[chosen], y[chosen]
    return x, y


def _legend(axes: Any, count: int) -> None:
    if count > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
