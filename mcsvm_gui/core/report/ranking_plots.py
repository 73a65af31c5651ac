"""The figures of an evaluation: ROC, precision-recall and reliability, between 0 and 1 both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm_gui.core.report import plots, style


@dataclass(frozen=True, eq=False)
class UnitLine:
    """A line; `band` is (places, lower, upper), drawn behind it."""

    label: str
    x: np.ndarray
    y: np.ndarray
    band: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    faint: bool = False


@dataclass(frozen=True, eq=False)
class UnitFigure:
    """A figure of lines; `chance` is a dashed line from corner to corner."""

    lines: Sequence[UnitLine]
    machine: str
    x: str
    y: str
    chance: bool = False
    dots: bool = False
    size: tuple[float, float] = (6.8, 4.2)

    def draw(self, axes: Any) -> None:
        if self.chance:
            axes.plot([0, 1], [0, 1], color=style.FAINT, linewidth=1, dashes=(4, 4))
        for number, line in enumerate(self.lines):
            colour, dashes, marker = style.machine(self.machine, number)
            look = {"color": colour, "dashes": dashes or (None, None), "alpha": 0.6 if line.faint else 1.0}
            if self.dots:
                look |= {"marker": marker, "markersize": 5}
            if line.band is not None:
                axes.fill_between(*line.band, color=colour, alpha=0.15, linewidth=0)
            axes.plot(line.x, line.y, **look, linewidth=0.8 if line.faint else 1.6, label=plots.name(line.label))
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        if len(self.lines) > 1:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
