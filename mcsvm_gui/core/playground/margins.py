"""How far beyond the margin a place lies: what a point there, of the class decided on, would have to spare.

Negative where such a point would still cost something; zero is the margin line. What a machine asks of a point is
read off its dual form: relative machines compare class functions, absolute ones look at each on its own.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mcsvm.solvers.problem import Problem


def clearance(problem: Problem, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(...) from values (outputs, ...) and the classes decided on (...)."""
    if problem.machine.split == "pairs":
        return _of_pairs(problem, values, labels)
    chosen = np.take_along_axis(values, labels[None], axis=0)[0]
    others = values.copy()
    np.put_along_axis(others, labels[None], -np.inf, axis=0)
    rival = others.max(axis=0)
    if problem.machine.split == "one-vs-rest":
        return np.minimum(chosen, -rival) - problem.margin
    return _joint(problem, chosen, rival)


def _joint(problem: Problem, chosen: np.ndarray, rival: np.ndarray) -> np.ndarray:
    """The largest gradient among the variables a point of the chosen class would have, negated.

    Wrong slots read the functions with a negative sign, so the rival's is the largest of them.
    """
    rule, form = problem.form.rule, problem.form
    own = rule.own * chosen - rule.margin_own
    other = rule.cross * chosen + rule.other * rival - rule.margin_other
    if not form.real[0, 0]:
        return other
    return np.minimum(own, other) if form.real[0, 1] else own


def _of_pairs(problem: Problem, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    spare = np.full(labels.shape, np.inf)
    for function, (first, second) in zip(values, combinations(range(problem.classes), 2), strict=True):
        np.minimum(spare, function, out=spare, where=labels == first)
        np.minimum(spare, -function, out=spare, where=labels == second)
    return spare - problem.margin
