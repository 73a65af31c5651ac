"""A search as the page shows it: maps, the best cells and the edges they lie on, in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from mcsvm.solvers.machines import MACHINES
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.tune import heat, summary
from mcsvm_gui.core.tune.heat import HeatMap
from mcsvm_gui.core.tune.results import TuneResults

if TYPE_CHECKING:
    from mcsvm.solvers.selection.cell import Cell
    from mcsvm.solvers.selection.study import Nested
    from mcsvm.solvers.selection.trials.per_pair import Composite


class TuneMaps:
    """The maps of a search; `live` while it is running."""

    def __init__(self, results: TuneResults, live: bool) -> None:
        self.results, self._live = results, live
        self._best = {name: results.best(name) for name in results.grid.machines}

    def maps(self, value: str, *, robust: bool = False) -> list[HeatMap]:
        cells = self.results.cells
        bests = {name: cells[best] for name, best in self._best.items() if best is not None}
        known = [one for cell, one in cells.items() if not heat.is_partial(one, bests.get(cell.machine))]
        scale = heat.scale_of(value, known, robust=robust)
        return [self._map(machine, value, scale) for machine in self.results.grid.machines]

    def _map(self, machine: str, value: str, scale: heat.Scale | None) -> HeatMap:
        mine, best = self.results.of(machine), self._best[machine]
        head, short, brief = title(machine), machine, machine
        if best is not None:
            so_far = summary.folds_so_far(mine[best], self.results.folds)
            brief = f"{machine}  {summary.mean(mine[best])}"
            head, short = f"{head}  {summary.mean(mine[best])}{so_far}", f"{brief}{so_far}"
        shown = heat.heat_map(machine, head, short, brief, self.results.grid, mine, best, self._words, value, scale)
        return heat.with_rivals(shown, self._best)

    def _words(self, cell: Cell) -> str:
        return summary.cell_text(cell, self.results.cells[cell], self.results.folds)

    def best(self, machine: str = "") -> dict[str, Cell]:
        """Return the best cell of this machine, or of all machines, the best first."""
        machines = [machine] if machine in self._best else list(self._best)
        there = {name: cell for name in machines if (cell := self._best[name]) is not None}
        return dict(sorted(there.items(), key=lambda entry: -self.results.cells[entry[1]].worth))

    def edges(self, machine: str = "") -> dict[str, tuple[str, ...]]:
        """Return the edges of the ranges on which best cells lie; empty for a running search."""
        if self._live:
            return {}
        found = {name: self.results.grid.edges(cell) for name, cell in self.best(machine).items()}
        return {name: edges for name, edges in found.items() if edges}

    def best_text(self, machine: str, composites: Mapping[str, Composite], nested: Collection[Nested] = ()) -> str:
        """Describe the best cell of all machines, and results of others that the maps cannot show."""
        best, cells = self.best(machine), self.results.cells
        judged = {found.machine: found for found in nested if found.results}
        said = [name for number, name in enumerate(best) if number == 0 or name in composites or name in judged]
        return "\n".join(
            summary.best_text(
                title(name), best[name], cells[best[name]], composites.get(name), judged.get(name), self.results.folds
            )
            for name in said
        )


def title(name: str) -> str:
    machine = MACHINES[name]
    return tr(machine.title)


def titled(cells: Sequence[Cell]) -> str:
    return "; ".join(f"{title(cell.machine)}, {summary.place(cell)}" for cell in cells)
