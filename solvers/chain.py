"""Chain: kernel matrices of examples in use, each of which keeps values of the one before.

A matrix begins with the examples that stay, in their old order; the values among these are kept, all others are
computed. BLAS rounds a value by its place in a tile, so the bits of a matrix follow from the lists of examples back to
the first matrix, which kept nothing. A checkpoint holds these lists, and `replay` computes the same tiles again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.products import kernel_matrix, scattered_matrix
from mcsvm.solvers.work import MOVE, pieces

MOST = 8  # matrices of a chain: what a run computes again, at most, that goes on from a checkpoint


@dataclass(frozen=True)
class Chain:
    """Lists of examples of `points`; the last one is that of the matrix."""

    points: Points
    lists: list[np.ndarray]

    def followed_by(self, examples: np.ndarray) -> Chain:
        """The chain of a next matrix; it keeps nothing where less than half of its examples stay."""
        longer = Chain(self.points, [*self.lists, examples])
        enough = len(self.lists) < MOST and 2 * longer.kept().size >= examples.size
        return longer if enough else Chain(self.points, [examples])

    def kept(self, number: int = -1) -> np.ndarray:
        """The places that the first examples of a list have in the list before: as many as are there, in its order."""
        number %= len(self.lists)
        if number == 0:
            return np.empty(0, np.int64)
        places = _places(len(self.points), self.lists[number - 1])[self.lists[number]]
        strays = np.flatnonzero(np.diff(places, prepend=-1) <= 0)
        return places[: strays[0]] if strays.size else places

    @property
    def computed(self) -> int:
        """The number of values that the last matrix does not keep; a value off the diagonal counts once."""
        count, kept = self.lists[-1].size, self.kept().size
        return (count * (count + 1) - kept * (kept + 1)) // 2

    def extend(self, kernel: Kernel, points: Points, memory: np.ndarray) -> None:
        """The last matrix, whose points are given, where that before it lies in the memory, from its beginning."""
        kept, count = self.kept(), len(points)
        _keep(memory, self.lists[-2].size, kept, count)
        kernel_matrix(kernel, points, memory[: count * count].reshape(count, count), kept.size)

    def replay(self, kernel: Kernel, store: np.ndarray, slots: np.ndarray) -> None:
        """Rows of the last matrix with the same bits, into these slots of a store; those at slot -1 are left out."""
        last = self.lists[-1]
        rows, columns = _places(len(self.points), last, slots), _places(len(self.points), last)
        for number, examples in enumerate(self.lists):
            points = self.points.take(examples)
            scattered_matrix(kernel, points, self.kept(number).size, store, rows[examples], columns[examples])


def _places(count: int, examples: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
    """(count,) the place of each example in a list, or its value there; -1 of others."""
    places = np.full(count, -1)
    places[examples] = np.arange(examples.size) if values is None else values
    return places


def _keep(memory: np.ndarray, width: int, kept: np.ndarray, wider: int) -> None:
    """Move the rows and columns `kept`, ascending, of a matrix of this width to the beginning of one of width `wider`.

    Downwards no row overwrites one that is still to move, as long as rows do not become longer; so where they do, they
    are first put side by side, and then moved apart from the last to the first.
    """
    apart = wider if wider <= width else kept.size
    cuts = pieces(kept.size, MOVE * kept.size)
    for some in cuts:
        for row in range(some.start, some.stop):
            start = kept[row] * width
            memory[row * apart : row * apart + kept.size] = memory[start : start + width][kept]
        tick()
    for some in reversed(cuts) if wider > apart else ():
        for row in range(some.stop - 1, some.start - 1, -1):
            memory[row * wider : row * wider + kept.size] = memory[row * apart : row * apart + kept.size]
        tick()
