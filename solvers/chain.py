"""Chain: a sequence of kernel matrices of the active examples, each of which keeps values of the previous one.

A matrix begins with the examples that stay, in their old order. Their values are kept, and all others are computed.
BLAS rounds a value by its place in a tile, so the bits of a matrix follow from the lists of examples back to the first
matrix, which kept nothing. A checkpoint contains these lists, and `replay` computes the same tiles again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcsvm.solvers.interrupt import tick
from mcsvm.solvers.kernels import Kernel, Points
from mcsvm.solvers.products import kernel_matrix, scattered_matrix
from mcsvm.solvers.work import MOVE, pieces

MOST = 8  # largest number of matrices of a chain, which a run computes again if it continues from a checkpoint


@dataclass(frozen=True)
class Chain:
    """Lists of examples of `points`; the last list is that of the current matrix."""

    points: Points
    lists: list[np.ndarray]

    def followed_by(self, examples: np.ndarray) -> Chain:
        """Return the chain with a next matrix, which keeps nothing if less than half of its examples stay.

        A chain that has MOST matrices also starts again.
        """
        longer = Chain(self.points, [*self.lists, examples])
        enough = len(self.lists) < MOST and 2 * longer.kept().size >= examples.size
        return longer if enough else Chain(self.points, [examples])

    def kept(self, number: int = -1) -> np.ndarray:
        """Return the places that the first examples of a list have in the previous list.

        Only as many first examples count as are in the previous list, and in its order.
        """
        number %= len(self.lists)
        if number == 0:
            return np.empty(0, np.int64)
        places = _places(len(self.points), self.lists[number - 1])[self.lists[number]]
        strays = np.flatnonzero(np.diff(places, prepend=-1) <= 0)
        return places[: strays[0]] if strays.size else places

    @property
    def computed(self) -> int:
        """Return the number of values that the last matrix does not keep; a value off the diagonal counts once."""
        count, kept = self.lists[-1].size, self.kept().size
        return (count * (count + 1) - kept * (kept + 1)) // 2

    def extend(self, kernel: Kernel, points: Points, memory: np.ndarray) -> None:
        """Compute the last matrix, of the given points, if the previous matrix is at the beginning of the memory."""
        kept, count = self.kept(), len(points)
        _keep(memory, self.lists[-2].size, kept, count)
        kernel_matrix(kernel, points, memory[: count * count].reshape(count, count), kept.size)

    def replay(self, kernel: Kernel, store: np.ndarray, slots: np.ndarray) -> None:
        """Write rows of the last matrix, with the same bits, into these slots of a store.

        Rows with slot -1 are left out.
        """
        last = self.lists[-1]
        rows, columns = _places(len(self.points), last, slots), _places(len(self.points), last)
        for number, examples in enumerate(self.lists):
            points = self.points.take(examples)
            scattered_matrix(kernel, points, self.kept(number).size, store, rows[examples], columns[examples])


def _places(count: int, examples: np.ndarray, values: np.ndarray | None = None) -> np.ndarray:
    """Return (count,) the place of each example in a list, or its value there; -1 for other examples."""
    places = np.full(count, -1)
    places[examples] = np.arange(examples.size) if values is None else values
    return places


def _keep(memory: np.ndarray, width: int, kept: np.ndarray, wider: int) -> None:
    """Move the rows and columns `kept`, ascending, of a matrix of this width to the beginning of one of width `wider`.

    As long as rows do not become longer, moving them forward overwrites no row that has still to move. If they do
    become longer, they are first put side by side, and then moved apart from the last to the first.
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
