"""Layout: the variables of a part as a table (n, q), without the slots that are not variables."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from mcsvm.solvers.dual.quantities import gradients, weights_of
from mcsvm.solvers.problem import Part


class Layout:
    """Tables (n, q): every example has the same number q of variables, as machines treat all wrong classes alike."""

    def __init__(self, part: Part) -> None:
        self.part, form = part, part.form
        by_class = np.array([np.flatnonzero(row) for row in form.real])
        self.slot = by_class[part.labels]  # (n, q)
        self.direction = np.stack([form.direction[y, slots] for y, slots in enumerate(by_class)])  # (classes, q, k)
        self.margin = np.stack([form.margin[y, slots] for y, slots in enumerate(by_class)])[part.labels]  # (n, q)
        self.upper = part.upper[:, None]

    @classmethod
    def of(cls, part: Part) -> Layout:
        """Return the layout of a part, which is made once."""
        if "layout" not in part.kept:
            part.kept["layout"] = cls(part)
        layout: Layout = part.kept["layout"]
        return layout

    @cached_property
    def pairs(self) -> int:
        """Return the number of complementarity products x z and t w."""
        return self.slot.size + self.total(self.margin).size

    def total(self, x: np.ndarray) -> np.ndarray:
        """Return the values that U bounds: every variable, (n, q), or the sum of each example, (n, 1)."""
        return self.part.geometry.reach(x)

    def table(self, x: np.ndarray) -> np.ndarray:
        """Return x in the shape of alpha, (n, slots)."""
        table = np.zeros((len(self.part), self.part.form.slots))
        np.put_along_axis(table, self.slot, x, axis=1)
        return table

    def weights(self, x: np.ndarray) -> np.ndarray:
        return weights_of(self.part, self.table(x))

    def gradient(self, functions: np.ndarray) -> np.ndarray:
        """Return margin - <direction, f> of each variable."""
        return np.take_along_axis(gradients(self.part, functions), self.slot, axis=1)

    def read(self, functions: np.ndarray) -> np.ndarray:
        """Return <direction, f> of each variable."""
        return self.margin - self.gradient(functions)
