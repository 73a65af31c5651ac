"""A block of rows from several partitions, solved at the client.

The variables of rows outside the block do not change, so their contribution to the functions is a constant for every
row of the block: f = K_BB W_B + outer. With this constant the block is a training problem like any other, for the
rounds and Newton steps of phase BLOCKS (methods/auto/blocks.py), which call for K_BB W_B to recompute functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.budget import INNER, PARTITIONED
from mcsvm.solvers.dual.quantities import weights_of
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.kernels import Points
from mcsvm.solvers.kernels.points import in_double
from mcsvm.solvers.methods.auto import blocks
from mcsvm.solvers.methods.auto.blocks import BlockState
from mcsvm.solvers.partitioned.messages import RowOffer
from mcsvm.solvers.posing import SharedTerms
from mcsvm.solvers.problem import Part, Problem


@dataclass(frozen=True)
class SolvedBlock:
    rows: Any  # features as the partitions offered them
    weights: np.ndarray  # change of their weights
    alpha: np.ndarray
    steps: int
    evaluations: int  # of kernel values


class BlockGram(Gram):
    """The kernel matrix of a block; `products` of its weights include the contribution of the rows outside."""

    outer: np.ndarray | float = 0.0  # (block, outputs)

    def products(self, weights: np.ndarray) -> np.ndarray:
        return super().products(weights) + self.outer


def stacked(tables: Sequence[Any]) -> Any:
    if any(sp.issparse(table) for table in tables):
        return sp.csr_array(sp.vstack(tables, format="csr"))
    return np.concatenate(tables)


def solve_block(
    terms: SharedTerms, form_of: Problem, offers: Sequence[RowOffer], violation: float, tolerance: float
) -> SolvedBlock:
    """Solve a block; `form_of` has the form and feasible set of the part, `violation` is that of all rows."""
    rows = stacked([offer.rows for offer in offers])
    labels, upper = (np.concatenate([getattr(offer, name) for offer in offers]) for name in ("labels", "upper"))
    alpha, functions = (np.concatenate([getattr(offer, name) for offer in offers]) for name in ("alpha", "functions"))
    gram = BlockGram(terms.kernel, Points(in_double(rows)), terms.cache_mb)
    part = Part(form_of.form, labels, upper, gram, terms.bias, 1.0 if terms.bias == "regularized" else 0.0)
    before = weights_of(part, alpha)
    gram.outer = functions - gram.products(before)
    state = blocks.by_class(BlockState(alpha.copy(), functions.copy(), np.zeros(part.form.outputs)))
    goal = max(0.5 * tolerance, INNER.share * violation)
    blocks.advance(part, state, PARTITIONED.round_steps, goal)
    change = weights_of(part, state.alpha) - before
    return SolvedBlock(rows, change, np.ascontiguousarray(state.alpha), state.steps, gram.evaluations)
