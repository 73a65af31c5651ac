"""Frank-Wolfe and its variants: the direction of a step, and whether a correction follows it."""

from __future__ import annotations

from mcsvm.solvers.methods.frank_wolfe import steps as rules
from mcsvm.solvers.methods.frank_wolfe.method import FrankWolfe

ALL = "every machine, kernel and bias"

PLAIN = FrankWolfe(
    "fw",
    f"{ALL}; it nears the optimum as 1/steps and stops by its gap",
    rules.plain,
    corrective=False,
    natural_gap=1e-3,
)
AWAY = FrankWolfe("fw-away", ALL, rules.away, corrective=True)
PAIRWISE = FrankWolfe("fw-pairwise", ALL, rules.pairwise, corrective=True)

FRANK_WOLFE_METHODS = PLAIN, AWAY, PAIRWISE
