"""Measures the prices of `Budget` on the machine it runs on, and prints the record as Python source.

    python -m tests.benchmarks.calibrate

Each price is timed on the code that it is the price of, on synthetic data: CPU seconds of one thread, the best of
several repetitions. Only ratios of prices decide anything in `auto`: a machine on which all of them are twice as large
takes the same decisions. So each price is printed as a multiple of `round_price` too, and that is what to compare.

Seconds of Newton steps and of the homotopy depend on the data as much as on the machine. OVERLAP and the costs were
chosen, after a look at the seconds, so that these are as on vehicle and page-blocks: an agreement of their prices with
those in use says little, a difference between two machines says more. Left out is cs at C = 2^18 on this data, whose
last stage alone took 7.8 s. `newton_pair_price` is hardly told apart from `newton_cube_price`; their sum is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import product
from time import process_time
from typing import Any, TypeVar

import numpy as np
from scipy.optimize import nnls

from mcsvm.solvers.budget import BUDGET, Budget
from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import Columns, separable
from mcsvm.solvers.factor.path import Path, PathPoint
from mcsvm.solvers.factor.pivoted import Factor, factor_of
from mcsvm.solvers.gram import Gram
from mcsvm.solvers.jit import box
from mcsvm.solvers.jit.rounds import ROWS
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods.auto import faces, homotopy
from mcsvm.solvers.methods.auto.blocks import BlockState, Workbench, by_class
from mcsvm.solvers.methods.auto.conductor import Auto
from mcsvm.solvers.methods.auto.homotopy import Homotopy
from mcsvm.solvers.methods.auto.splitting import Splitting
from mcsvm.solvers.methods.base import Progress
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Part
from mcsvm.solvers.run.warmup import warm_up
from mcsvm.solvers.work import limited

T = TypeVar("T")
PRICES = tuple(entry.name for entry in fields(Budget) if entry.name.endswith("_price"))
TOLERANCE = 1e-3
OVERLAP = 0.3  # of the classes: distance of their centres, in units of their spread, before chance; 1 is far too easy


@dataclass(frozen=True)
class Sizes:
    """What is measured on; the smaller, the quicker and the less true."""

    repetitions: int = 5
    classes: int = 3
    features: int = 10
    block: int = 2000  # examples, for rounds and pair steps
    rounds: int = 40
    dense: int = 250  # variables of a usual block
    newton: tuple[int, ...] = (150, 300, 600, 1200)  # examples; up to twice as many variables
    interior: tuple[tuple[int, int], ...] = ((1000, 50), (1000, 200), (3000, 50), (3000, 200))  # n, rank
    iterations: int = 6
    factor: tuple[tuple[int, int], ...] = ((6000, 100), (6000, 400), (12_000, 100), (12_000, 400))  # beyond caches
    admm: tuple[tuple[int, int], ...] = ((1000, 50), (1000, 200), (3000, 50), (3000, 200))  # n, rank
    admm_steps: int = 100
    homotopy: int = 850  # examples
    costs: tuple[float, ...] = (2.0**10, 2.0**12, 2.0**14)


FULL = Sizes()


@dataclass(frozen=True)
class Measured:
    price: float
    how: str


Measurement = Iterator[tuple[str, Measured]]


# -- timing ----------------------------------------------------------------------------------------


def timed(action: Callable[[], T]) -> tuple[float, T]:
    began = process_time()
    result = action()
    return process_time() - began, result


def best(action: Callable[[], object], repetitions: int) -> float:
    return min(timed(action)[0] for _ in range(repetitions))


def fitted(terms: Sequence[tuple[float, ...]], seconds: list[float]) -> np.ndarray:
    """Prices of the terms, not below 0, by least squares of relative errors."""
    scale = 1.0 / np.maximum(np.array(seconds), 1e-9)
    table = np.array(terms) * scale[:, None]
    size = np.maximum(table.max(axis=0), 1e-300)  # or columns differ by many powers of ten
    prices: np.ndarray = nnls(table / size, np.ones(len(seconds)))[0] / size
    return prices


def error(terms: Sequence[tuple[float, ...]], seconds: list[float], prices: np.ndarray) -> str:
    """How far a fit is from what it was fitted to, at the most."""
    shares = np.array(terms) @ prices / np.maximum(np.array(seconds), 1e-9)
    return f"{shares.min():.2f} to {shares.max():.2f} of the seconds"


def shown(sizes: tuple[tuple[int, int], ...]) -> str:
    return ", ".join(f"{n} x {rank}" for n, rank in sizes)


# -- what is measured on ---------------------------------------------------------------------------


def cloud(n: int, sizes: Sizes, machine: str, cost: float = 10.0, gamma: float | None = None) -> Part:
    """Overlapping classes, so that many variables are free and many at their bound."""
    rng, labels = np.random.default_rng(n), np.arange(n) % sizes.classes
    centres = rng.normal(size=(sizes.classes, sizes.features))
    points = 0.5 * (OVERLAP * centres[labels] + rng.normal(size=(n, sizes.features)))
    kernel = KERNELS["rbf"](gamma=1.0 / sizes.features if gamma is None else gamma)
    part = pose(points, labels, machine=machine, kernel=kernel, cost=cost, bias="none").part(0)
    warm_up(Auto(), part)
    return part


def started(part: Part) -> BlockState:
    return by_class(BlockState.zero(part))


# -- blocks ----------------------------------------------------------------------------------------


def blocks(sizes: Sizes) -> Measurement:
    """Rounds without their pair steps, and pair steps alone."""
    part = cloud(sizes.block, sizes, "ww")
    for price, count in (("step_price", sizes.dense), ("full_step_price", BUDGET.block_variables)):
        seconds, steps = pair_steps(part, count, sizes.repetitions)
        how = f"{steps} pair steps in a box of {min(count, 2 * len(part))} variables, ww, k = {sizes.classes}"
        yield price, Measured(seconds / steps, how)
    part.gram.products(np.zeros((len(part), part.form.outputs)))  # whatever is made once
    runs = [rounds(part, sizes.rounds) for _ in range(sizes.repetitions)]
    seconds_each = np.min([seconds for seconds, _ in runs], axis=0)
    terms = [(1.0, float(steps)) for steps in runs[0][1]]
    intercept, slope = fitted(terms, list(seconds_each))
    how = f"{len(terms)} rounds, n = {len(part)}, k = {sizes.classes}, ww, rows stored; {slope:.1e} s a step in them"
    yield "round_price", Measured(float(intercept), how)


def pair_steps(part: Part, count: int, repetitions: int) -> tuple[float, int]:
    """Seconds and number of pair steps in a block of so many variables, all of them to be solved for."""
    directions = part.form.real[part.labels]
    chosen = faces.choose(directions, np.where(directions, part.form.margin[part.labels], 0.0))
    member, slot, gradient = (array[:count] for array in (chosen.member, chosen.slot, chosen.gradient))
    some = faces.Selection(chosen.examples[: member.max() + 1], member, slot, gradient)
    labels = part.labels[some.examples[some.member]]
    _, Q = faces.coupled(part, some, part.form.direction[labels, some.slot])
    upper, limit = np.full(some.slot.size, 10.0), BUDGET.block_patience * some.slot.size

    def solve() -> int:
        steps, _ = box.solve_box(Q, some.gradient.copy(), np.zeros(some.slot.size), upper, 0.0, limit)
        return int(steps)

    return best(solve, repetitions), solve()


def rounds(part: Part, count: int) -> tuple[list[float], list[int]]:
    """Seconds and pair steps of each round from zero; the kernel rows of the part are kept from call to call."""
    state, bench, seconds, steps = started(part), Workbench(part), [], []
    for _ in range(count):
        before = state.steps
        seconds.append(timed(partial(one_round, state, bench))[0])
        steps.append(state.steps - before)
    return seconds, steps


def one_round(state: BlockState, bench: Workbench) -> None:
    event, _, wanted = bench.rounds(state, state.steps + 1, TOLERANCE)
    if event == ROWS:
        bench.fetch(wanted)
        one_round(state, bench)


# -- Newton steps ----------------------------------------------------------------------------------


def newton(sizes: Sizes) -> Measurement:
    """Polishing from where rounds left off: all free variables and the worst of the others."""
    terms, seconds = [], []
    for count in sizes.newton:
        part = cloud(count, sizes, "ww", cost=1000.0)
        state, bench = started(part), Workbench(part)
        for _ in range(sizes.rounds // 2):
            one_round(state, bench)
        chosen = faces.select(part, state.alpha, bench.gradient_of_all(state), 0.25 * TOLERANCE)

        seconds.append(best(partial(polish, part, state, chosen), sizes.repetitions))
        terms.append((float(chosen.slot.size) ** 2, float(chosen.slot.size) ** 3))
    prices = fitted(terms, seconds)
    counts = ", ".join(f"{round(pairs**0.5)}" for pairs, _ in terms)
    how = f"faces.polish of {counts} variables, ww, k = {sizes.classes}; fit {error(terms, seconds, prices)}"
    for price, value in zip(("newton_pair_price", "newton_cube_price"), prices, strict=True):
        yield price, Measured(float(value), how)


def polish(part: Part, state: BlockState, chosen: faces.Selection) -> None:
    faces.polish(part, state.alpha, chosen, 0.25 * TOLERANCE, BUDGET)


# -- the interior point ----------------------------------------------------------------------------


def interior(sizes: Sizes) -> Measurement:
    """Iterations at a fixed rank, by the same terms as price.interior_at; and what a factor costs to grow."""
    terms, seconds = [], []
    for (n, rank), machine in product(sizes.interior, ("ww", "llw")):
        part = cloud(n, sizes, machine)
        seconds.append(iteration(part, rank, sizes))
        terms.append(iteration_terms(part, factor_of(part.gram).rank))
    prices = fitted(terms, seconds)
    how = (
        f"Path.advance, ww and llw, k = {sizes.classes}, n x rank = {shown(sizes.interior)};"
        f" fit {error(terms, seconds, prices)}"
    )
    for price, value in zip(("operation_price", "variable_price"), prices, strict=True):
        yield price, Measured(float(value), how)
    yield "entry_price", entries(sizes)


def iteration_terms(part: Part, rank: int) -> tuple[float, float]:
    """Operations and variables of one iteration, as price.interior_at counts them."""
    n, outputs, count = len(part), part.form.outputs, max(1, part.form.outputs - 1)
    if separable(part):
        operations = outputs * (n * rank**2 + 2.0 * rank**3)
    else:
        operations = 0.5 * count * (count + 1) * n * rank**2 + (count * rank) ** 3 / 3.0
    return operations, float(Layout.of(part).slot.size)


def iteration(part: Part, rank: int, sizes: Sizes) -> float:
    """Seconds of one on the central path, in the middle of some."""
    factor_of(part.gram).grow(part.gram, rank)

    def walk() -> list[float]:
        columns = Columns(part.gram, part.offset, exact=False, cap=rank)
        columns.use(rank)
        path = Path(Layout.of(part), columns, np.zeros(part.form.outputs))
        point: PathPoint | None = path.start()
        seconds: list[float] = []
        while point is not None and len(seconds) < sizes.iterations:
            one, point = timed(partial(advance, path, point))
            seconds.append(one)
        return seconds

    walks = [walk() for _ in range(max(1, sizes.repetitions // 2))]
    return float(np.median(np.min(walks, axis=0)))


def advance(path: Path, point: PathPoint) -> PathPoint | None:
    return path.advance(point, TOLERANCE)


def entries(sizes: Sizes) -> Measured:
    """Growing a factor: entries of its triangle, and beside them the kernel columns, which have no price."""
    terms, seconds = [], []
    for n, rank in sizes.factor:
        part = cloud(n, sizes, "ww", gamma=1.0)  # of full rank
        seconds.append(best(partial(grow, part.gram, rank), sizes.repetitions))
        reached = grow(part.gram, rank).rank
        terms.append((float(n) * reached**2, float(n) * reached))
    prices = fitted(terms, seconds)
    fit = error(terms, seconds, prices)
    return Measured(
        float(prices[0]),
        f"Factor.grow, n x rank = {shown(sizes.factor)}, beside {prices[1]:.1e} s a kernel value; fit {fit}",
    )


def grow(gram: Gram, rank: int) -> Factor:
    factor = Factor(gram)
    factor.grow(gram, rank)
    return factor


# -- ADMM ------------------------------------------------------------------------------------------


def admm(sizes: Sizes) -> Measurement:
    """Steps of a burst: what one of more steps takes longer. Examples cost machines different amounts."""
    terms: list[tuple[float, ...]] = []
    seconds, machines = [], ("ww", "llw")
    for (n, rank), machine in product(sizes.admm, machines):
        part = cloud(n, sizes, machine, gamma=1.0)
        carrier, steps = Splitting.prepare(part, 1.0, rank), sizes.admm_steps
        short, long = (
            best(partial(carry, part, carrier, some), sizes.repetitions) for some in (steps // 2, steps + steps // 2)
        )
        seconds.append(max(long - short, 1e-9))
        each = float(steps * n * part.form.outputs)
        terms.append((4.0 * each * carrier.half.shape[1], *(each * (machine == one) for one in machines)))
    product_price, *variable_prices = fitted(terms, seconds)
    fit = error(terms, seconds, np.array([product_price, *variable_prices]))
    how = f"{sizes.admm_steps} steps, k = {sizes.classes}, n x rank = {shown(sizes.admm)}"
    yield "admm_product_price", Measured(float(product_price), f"{how}, ww and llw; fit {fit}")
    each_machine = " and ".join(f"{one} {price:.1e}" for one, price in zip(machines, variable_prices, strict=True))
    yield "admm_variable_price", Measured(mean(variable_prices), f"{how}; geometric mean of {each_machine}")


def carry(part: Part, carrier: Splitting, steps: int) -> None:
    carrier.run(started(part), replace(BUDGET, admm_steps=steps))


def mean(seconds: Sequence[float]) -> float:
    """Geometric."""
    return float(np.exp(np.log(np.maximum(seconds, 1e-15)).mean()))


# -- homotopy in C ---------------------------------------------------------------------------------


def homotopy_stages(sizes: Sizes) -> Measurement:
    """Seconds of the first cost, and of each further one, on the way to several costs."""
    begins, stages = [], []
    for machine, cost in product(("ww", "cs"), sizes.costs):
        each = np.min([costs(sizes, machine, cost) for _ in range(max(1, sizes.repetitions // 2))], axis=0)
        begins.append(each[0])
        stages += list(each[1:])
    largest = ", ".join(f"2^{np.log2(cost):.0f}" for cost in sizes.costs)
    how = f"geometric mean, n = {sizes.homotopy}, k = {sizes.classes}, ww and cs, C = {largest}"
    for price, seconds in (("homotopy_start_price", begins), ("homotopy_stage_price", stages)):
        yield price, Measured(mean(seconds), how)


def costs(sizes: Sizes, machine: str, cost: float) -> list[float]:
    """Seconds at each cost on the way from the first to this one."""
    part = cloud(sizes.homotopy, sizes, machine, cost=cost, gamma=2.0**-7)
    state, way, budget = Auto().start(part, 0), Homotopy(), BUDGET
    homotopy.begin(part, state, way, budget)
    seconds: dict[float, float] = {}
    while True:
        share = way.share
        one, progress = timed(lambda: homotopy.advance(part, state, way, state.steps + 256, TOLERANCE, budget))
        seconds[share] = seconds.get(share, 0.0) + one
        if progress in (Progress.CONVERGED, Progress.STALLED):
            return list(seconds.values())


# -- the record ------------------------------------------------------------------------------------


MEASUREMENTS: tuple[Callable[[Sizes], Measurement], ...] = (blocks, newton, interior, admm, homotopy_stages)


def calibrate(sizes: Sizes = FULL) -> dict[str, Measured]:
    """Every price of the budget, in the order of its fields."""
    with limited(1):
        found = {name: one for measure in MEASUREMENTS for name, one in measure(sizes)}
    unmatched = set(PRICES) ^ set(found)
    if unmatched:
        raise LookupError(f"Budget and calibrate.py differ in {', '.join(sorted(unmatched))}.")
    return {name: found[name] for name in PRICES}


def record(found: dict[str, Measured]) -> list[str]:
    """The prices as Python source."""
    lines = ["PRICES = {"]
    for name, one in found.items():
        used: Any = getattr(BUDGET, name)
        lines.append(f'    "{name}": {one.price:.2g},  # in use {used:.2g}, times {one.price / used:.2f}: {one.how}')
    return [*lines, "}", "MEASURED = replace(BUDGET, **PRICES)"]


def ratios(found: dict[str, Measured]) -> list[str]:
    """Each price in rounds, measured and in use: what decisions follow from."""
    unit, in_use = max(found["round_price"].price, 1e-300), BUDGET.round_price
    lines = [f"{'in rounds':22}{'measured':>12}{'in use':>12}{'ratio':>8}"]
    for name, one in found.items():
        ours, theirs = one.price / unit, getattr(BUDGET, name) / in_use
        lines.append(f"{name:22}{ours:12.3g}{theirs:12.3g}{ours / theirs:8.2f}")
    return lines


def main() -> None:
    found = calibrate()
    print("# CPU seconds on this machine, one thread. Only the ratios of prices matter.")
    print(*record(found), "", *ratios(found), sep="\n")


if __name__ == "__main__":
    main()
