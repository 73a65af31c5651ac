"""The slack of a place beyond the margin, for a point there of the predicted class.

It is negative if such a point would have a loss; zero is the margin line. A machine's demand on a point follows from
its dual form: relative machines compare class functions, absolute ones use each on its own.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mcsvm.solvers.problem import Problem


def clearance(problem: Problem, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return (...) slacks from values (outputs, ...) and predicted classes (...)."""
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
    """Return the negated largest gradient among the variables that a point of the chosen class would have.

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
