"""Random problems of any scale, and their certificates once more in extended precision.

`python -m tests.random_problems FIRST LAST` solves the problems of these numbers and prints what came of them.
Kernels are written out here by differences and sums in long double, machines are those of oracles.py: nothing of the
solvers is used but the dual variables and b.
"""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

try:
    from oracles import SUMS, direction
except ImportError:  # as a module of the package
    from tests.oracles import SUMS, direction

from mcsvm import InputError, Limits, Run, pose
from mcsvm.solvers.arguments import gamma_of
from mcsvm.solvers.kernels import KERNELS, Points
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.loop import refuse

Long = np.longdouble
KNOWN = 2e-6  # share of primal and dual to which a certificate is known (solvers/dual/rounding.py), doubled
ROUNDING = 2.0**-47  # share of the costs that is rounding of a sum of losses


@dataclass
class RandomProblem:
    number: int
    rows: np.ndarray
    labels: np.ndarray
    kernel: str
    parameters: dict[str, Any]
    arguments: dict[str, Any]
    solver: str
    limits: Limits
    sparse: bool
    weights: np.ndarray | None

    @property
    def text(self) -> str:
        given = {name: value for name, value in self.arguments.items() if name not in ("class_weight",)}
        return (
            f"{self.number}: {self.rows.shape} {self.kernel} {self.parameters} {given} {self.solver} {self.limits}"
            f" sparse={self.sparse} weighted={self.weights is not None} {'class_weight' in self.arguments}"
        )


def random_problem(number: int) -> RandomProblem:
    rng = np.random.default_rng([20261120, number])
    n, columns, classes = int(rng.integers(6, 50)), int(rng.integers(1, 9)), int(rng.integers(2, 6))
    classes = min(classes, n // 2)
    rows = _rows(rng, n, columns)
    labels = np.concatenate([np.arange(classes), np.arange(classes), rng.integers(classes, size=n - 2 * classes)])
    labels = rng.permutation(labels)
    kernel = str(rng.choice(["rbf", "linear", "polynomial", "sigmoid", "precomputed"], p=[0.4, 0.2, 0.15, 0.1, 0.15]))
    spread = float(np.abs(rows).max()) or 1.0
    fitting = rng.random() < 0.6
    gamma: Any = "scale" if rng.random() < 0.3 else 10.0 ** rng.uniform(-2, 2) / columns
    if not isinstance(gamma, str):
        with np.errstate(over="ignore", divide="ignore"):
            fitted = gamma / np.float64(spread) ** 2
        gamma = float(fitted) if fitting and np.isfinite(fitted) and fitted > 0.0 else gamma
        gamma = gamma if fitting else 10.0 ** rng.uniform(-12, 12)
    choices = {
        "gamma": gamma,
        "degree": int(rng.integers(1, 10)),
        "coef0": float(rng.choice([0.0, 1.0, 10.0 ** rng.uniform(-3, 6), -1.0])),
    }
    if kernel == "precomputed":
        rows = _matrix(rng, rows)
    cost = 10.0 ** (rng.uniform(-12, 12) if rng.random() < 0.5 else rng.uniform(-2, 3))
    arguments: dict[str, Any] = {"machine": str(rng.choice(list(MACHINES))), "cost": cost}
    if rng.random() < 0.7:
        arguments["bias"] = str(rng.choice(["none", "regularized", "exact"]))
    if rng.random() < 0.25:
        arguments["class_weight"] = 10.0 ** rng.uniform(-6, 6, size=classes)
    if rng.random() < 0.1:
        arguments["margin"] = 10.0 ** rng.uniform(-3, 3)
    weights = 10.0 ** rng.uniform(-3, 3, size=n) if rng.random() < 0.2 else None
    solver = "auto" if rng.random() < 0.45 else str(rng.choice(list(METHODS)))
    gap = 10.0 ** rng.uniform(-6, -1) if rng.random() < 0.25 else None
    limits = Limits(10.0 ** rng.uniform(-5, -1) if rng.random() < 0.4 else 1e-3, gap, 200_000, 2.0)
    names = KERNELS[kernel].parameters
    return RandomProblem(
        number=number,
        rows=rows,
        labels=labels,
        kernel=kernel,
        parameters={name: choices[name] for name in names},
        arguments=arguments,
        solver=solver,
        limits=limits,
        sparse=kernel != "precomputed" and bool(rng.random() < 0.25),
        weights=weights,
    )


def _rows(rng: np.random.Generator, n: int, columns: int) -> np.ndarray:
    rows = rng.normal(size=(n, columns))
    kind = rng.integers(6)
    if kind == 0:
        rows = np.round(rows)
    elif kind == 1:
        rows[n // 2 :] = rows[: n - n // 2]  # every row twice
    elif kind == 2:
        rows += 10.0 ** rng.uniform(0, 9)
    elif kind == 3:
        rows[rng.random(rows.shape) < 0.6] = 0.0
    scale = rng.integers(5)
    if scale == 0:
        rows = rows * 10.0 ** rng.uniform(-300, 300)
    elif scale == 1:
        rows = rows * 10.0 ** rng.uniform(-160, 160, size=columns)
    elif scale == 2:
        rows = rows * 10.0 ** rng.uniform(-12, 12, size=columns)
    elif scale == 3:
        rows = rows * 10.0 ** rng.uniform(-10, 20)
    return rows


def _matrix(rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
    features = rng.normal(size=rows.shape)
    matrix = features @ features.T * 10.0 ** rng.choice([0.0, rng.uniform(-300, 300), rng.uniform(-9, 14)])
    if rng.random() < 0.2:
        noise = rng.normal(size=matrix.shape) * np.abs(matrix).max()
        matrix = matrix + noise + noise.T  # indefinite
    return matrix


# -- in extended precision ------------------------------------------------------------------------


def long_kernel(problem: RandomProblem, gamma: float) -> np.ndarray:
    rows = problem.rows.astype(Long)
    if problem.kernel == "precomputed":
        return rows
    if problem.kernel == "rbf":
        return np.exp(-Long(gamma) * np.square(rows[:, None] - rows[None]).sum(axis=2))
    products = (rows[:, None] * rows[None]).sum(axis=2)
    if problem.kernel == "linear":
        return products
    values = Long(gamma) * products + Long(problem.parameters["coef0"])
    return values ** problem.parameters["degree"] if problem.kernel == "polynomial" else np.tanh(values)


@dataclass(frozen=True)
class Truth:
    primal: float
    dual: float
    noise: float  # what extended precision may have lost


def truth_of(problem: RandomProblem, run: Run, kernel: np.ndarray) -> Truth:
    """Primal and dual of the dual variables, summed over the parts."""
    posed, sums = run.problem, [Long(0.0), Long(0.0), Long(0.0)]
    begun, bias = len(run.proofs()), run.model().bias  # of the rows as they are: a training may move them to their mean
    biases = [bias] if posed.machine.split == "joint" else [bias[number : number + 1] for number in range(begun)]
    biases += [_bias_at_zero(posed, number) for number in range(begun, posed.part_count)]
    for number, (alpha, bias) in enumerate(zip(run.alphas(), biases, strict=True)):
        where = np.arange(len(posed))[posed.rows_of(number)]
        here = _part(posed, number, where, alpha.astype(Long), bias, kernel[np.ix_(where, where)])
        sums = [a + b for a, b in zip(sums, here, strict=True)]
    return Truth(*(float(one) for one in sums))


def _bias_at_zero(posed: Problem, number: int) -> np.ndarray:
    """The best b of a binary machine that was not begun: the margin, for the side of larger cost."""
    first = number if posed.machine.split == "one-vs-rest" else posed.pairs[number][0]
    where = posed.rows_of(number)
    positive = posed.labels[where] == first
    more = posed.upper[where][positive].sum() > posed.upper[where][~positive].sum()
    return np.array([posed.margin if more else -posed.margin])


def _part(posed: Any, number: int, where: np.ndarray, alpha: Any, bias: Any, kernel: Any) -> tuple[Any, Any, Any]:
    name, y, upper, m = posed.machine.name, posed.labels[where], posed.upper[where].astype(Long), Long(posed.margin)
    offset = Long(1.0 if posed.bias == "regularized" else 0.0)
    whole = kernel + offset
    if posed.machine.split == "joint":
        k = posed.classes
        steps = np.zeros((k, k, k), Long)  # own class, variable, output
        for own in range(k):
            for c in range(k):
                step = direction(name, own, c, k)
                steps[own, c] = 0.0 if step is None else step.astype(Long)
        if name == "mmr" and alpha.shape[1] == 1:
            weights = alpha * steps[y, y]
        else:
            weights = np.einsum("ic,ico->io", alpha, steps[y])
        used = np.abs(steps).sum(axis=2) > 0.0
        linear = m * (alpha.sum() if alpha.shape[1] == 1 else (alpha * used[y]).sum())
    else:
        first = number if posed.machine.split == "one-vs-rest" else posed.pairs[number][0]
        sign = np.where(y == first, Long(1.0), Long(-1.0))
        weights, linear = alpha * sign[:, None], m * alpha.sum()
    functions = whole @ weights
    energy = Long(0.5) * (weights * functions).sum()
    values = functions + (bias.astype(Long) if posed.bias == "exact" else Long(0.0))
    if posed.machine.split == "joint":
        hinges = np.maximum(Long(0.0), m - np.einsum("io,ico->ic", values, steps[y]))
        hinges[~used[y]] = 0.0
        losses = hinges.max(axis=1) if name in ("cs", *SUMS) else hinges.sum(axis=1)
    else:
        losses = np.maximum(Long(0.0), m - sign * values[:, 0])
    size = np.abs(whole) @ np.abs(weights)
    unit = Long(2.0) ** -60
    noise = unit * ((np.abs(weights) * size).sum() + (upper * size.sum(axis=1)).sum() * max(1, weights.shape[1]))
    return energy + (upper * losses).sum(), linear - energy, noise


# -- what comes of it -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    kind: str  # solved, stopped, refused, WRONG, CRASHED
    text: str = ""


def solve(problem: RandomProblem) -> Answer:
    """Solve the problem, every warning being an error, and compare the certificate with the truth."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            run, gamma = _run(problem)
            certificate, scores = run.certificate(), _scores(problem, run)
        except InputError as refusal:
            return Answer("refused", str(refusal))
        except Exception:
            return Answer("CRASHED", "\n   ".join(traceback.format_exc().strip().splitlines()[-5:]))
    with np.errstate(all="ignore"):
        truth = truth_of(problem, run, long_kernel(problem, gamma))
    return _judged(problem, run, certificate, scores, truth)


def _run(problem: RandomProblem) -> tuple[Run, float]:
    rows: Any = sp.csr_array(problem.rows) if problem.sparse else problem.rows
    parameters = dict(problem.parameters)
    if "gamma" in parameters:
        parameters["gamma"] = gamma_of(parameters["gamma"], rows)
    kernel = KERNELS[problem.kernel](**parameters)
    posed = pose(rows, problem.labels, kernel=kernel, sample_weight=problem.weights, **problem.arguments)
    run = Run(posed, _applicable(problem, posed), problem.limits)
    began = time.perf_counter()
    while run.running:
        run.advance()
        if time.perf_counter() - began > 30.0:
            run.stop()
    return run, parameters.get("gamma", 1.0)


def _applicable(problem: RandomProblem, posed: Problem) -> str:
    """The solver of the problem, or the next one that can solve it."""
    names = list(METHODS)
    start = names.index(problem.solver)
    for name in names[start:] + names[:start]:
        with suppress(InputError):
            refuse(posed, name)
            problem.solver = name
            return name
    raise AssertionError("auto solves everything")


def _scores(problem: RandomProblem, run: Run) -> np.ndarray:
    if problem.kernel == "precomputed":
        return run.problem.points.rows[:, :1]
    return np.asarray(run.model().decision(Points(run.problem.points.rows[:3])))


def _judged(problem: RandomProblem, run: Run, said: Any, scores: np.ndarray, truth: Truth) -> Answer:
    figures = f"said {said.primal:.10g} {said.dual:.10g} true {truth.primal:.10g} {truth.dual:.10g} {run.ending}"
    numbers = said.primal, said.dual, said.violation, said.infeasibility
    if not (np.isfinite(numbers).all() and np.isfinite(scores).all()):
        return Answer("WRONG", f"not a number: {numbers} {figures}")
    size = max(abs(truth.primal), abs(truth.dual), abs(said.primal), abs(said.dual))
    losses = said.scale * run.problem.form.slots * max(1.0, run.problem.margin)
    room = KNOWN * size + 0.1 * max(said.gap, 0.0) + ROUNDING * losses + truth.noise
    if truth.primal > said.primal + room or truth.dual < said.dual - room:
        return Answer("WRONG", figures)
    goal = problem.limits.gap_tolerance
    if run.ending is Ending.CONVERGED and goal is not None and not said.is_zero:
        gap = (truth.primal - truth.dual) / size if size else 0.0
        if gap > goal + room / size:
            return Answer("WRONG", f"asked for a gap of {goal:.3g}, {figures}")
    return Answer("solved" if run.ending is Ending.CONVERGED else "stopped", figures)


def main(first: int, last: int) -> None:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    solvers: Counter[str] = Counter()
    for number in range(first, last):
        problem = random_problem(number)
        answer = solve(problem)
        counts[answer.kind] += 1
        solvers[problem.solver] += answer.kind in ("solved", "stopped")
        if answer.kind in ("WRONG", "CRASHED"):
            print(problem.text, answer.kind, answer.text, sep="\n   ", flush=True)
        if answer.kind == "refused":
            reasons[answer.text[:60]] += 1
    print(dict(counts))
    print(dict(solvers))
    print(*reasons.most_common(12), sep="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
