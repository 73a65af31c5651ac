"""The best combination of a search so far. Only complete cross-validations count, so that it never gets worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell, CellResult
    from mcsvm_gui.core.tune.options import TuneRequest


@dataclass
class Leader:
    """The best combination so far. `parts`: number of folds of a complete validation."""

    parts: int
    cell: Cell | None = None
    mean: float = 0.0
    worth: float = float("-inf")
    share: float = 1.0

    def look(self, cells: Mapping[Cell, CellResult], wanted: TuneRequest) -> None:
        """Take the best of these cells if it is better than the leader."""
        for cell, result in cells.items():
            if cell.machine in wanted.machines and result.folds >= self.parts:
                self.take(cell, result, wanted.score)

    def take(self, cell: Cell, result: CellResult, score: str) -> None:
        from mcsvm.solvers.selection.scores import SCORES

        scored = result.scored(result.score.beside(score)) if result.score.name != score else result
        if scored.worth > self.worth and score in SCORES:
            self.cell, self.mean, self.worth, self.share = cell, scored.mean, scored.worth, scored.share
            self._score = score

    _score = "accuracy"

    @property
    def text(self) -> str:
        """Describe the leader; empty until one combination is complete."""
        if self.cell is None:
            return ""
        known = {"machine": self.cell.machine, "score": figures.score(self._score, self.mean)}
        if self.share == 1.0:
            return tr(
                "best so far {machine} {score} ({count} fold)",
                "best so far {machine} {score} ({count} folds)",
                count=self.parts,
                **known,
            )
        return tr(
            "best so far {machine} {score} ({count} fold, {share} of the rows)",
            "best so far {machine} {score} ({count} folds, {share} of the rows)",
            count=self.parts,
            share=figures.percent(self.share),
            **known,
        )
