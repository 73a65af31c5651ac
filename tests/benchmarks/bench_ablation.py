"""What each phase of `auto` is worth: every phase switched off in turn, its CPU seconds as a ratio to those of all.

    python -m pytest tests/benchmarks/bench_ablation.py -s
    ABLATION_RESUME=1 python -m pytest tests/benchmarks/bench_ablation.py -s   # goes on with what RESULTS holds

Rows: the six sets of bench_speed.py with five machines at a violation of 1e-3 (`speed`); the forty rows of table_3.py
at a violation of 1e-3 (`hard`) and at a relative gap of 1e-6 (`gap`); the curve over C of bench_cost.py, page-blocks
and vehicle with llw, ww and cs at C = 2^8, 2^14 and 2^20 (`curve`); a search over 9 x 5 cells of segment in 3 folds
(`search`). No shared set has a linear kernel that `auto` solves on kernel rows: all have fewer features than examples
and at most 1600 weights, so that linear-newton takes them. Stand-ins (`linear`, counted apart): the polynomial kernel
of degree 1, which is the linear kernel but not delegated; the first 150 rows of dna, with 180 features; optdigits with
all products of two features. `-k "curve and page-blocks and ww"` chooses some of them.

A phase is switched off by a `Budget` alone: `phases` without it, or a price or patience that is never reached. Seconds
are those of the process, on one thread, with the proofs of the run, without compiling; a run is given up after LIMIT of
them. `run.decisions` say which phases acted; one that did not is not switched off on that row. Polishing, the Newton
steps within blocks, is no decision: it acted where the run without it takes another number of steps. Runs below a
second are done twice and those below a tenth five times; the least counts. (Single runs of the same work have differed
by a tenth, on letter by half.) Where splitting or another phase is missed (MISSED times the seconds), two phases are
switched off at once: is one there in place of the other? The homotopy in C (ww, cs) and proximal steps (llw, ova) never
meet on one row; these end with the exact rounds of the homotopy, at the full cost, which are counted apart (`rounds`)
and have the same switch.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from math import exp, inf, log
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import bench_cost
import bench_speed
import numpy as np
import pytest
import table_3

from mcsvm.solvers.budget import BUDGET, Budget, Phase
from mcsvm.solvers.decision import Decision
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.auto.conductor import Auto, Why
from mcsvm.solvers.posing import pose
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run import loop
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.run.loop import Run
from mcsvm.solvers.run.warmup import once, warm_up
from mcsvm.solvers.selection.grid import Range
from mcsvm.solvers.selection.trials import rising, whole
from mcsvm.solvers.work import limited
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.search import TuneRequest, Tuning

DATA = table_3.DATA
pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.timeout(0),
    pytest.mark.skipif(not DATA.exists(), reason="needs the measuring data sets"),
]
LIMIT = 40.0  # seconds of one training
VIOLATION, GAP = Limits(1e-3, seconds=LIMIT), Limits(1e-9, 1e-6, seconds=LIMIT)
REPEATED = ((0.1, 5), (1.0, 2))  # runs shorter than so many seconds are done so often
MISSED, HURTS = 1.5, 0.8  # ratios from which, and down to which, a row is named
RESULTS = Path(os.environ.get("ABLATION", Path(__file__).resolve().parents[2] / "build" / "ablation.json"))
GROUPS = "speed", "hard", "gap", "curve", "search", "linear"
COUNTED = "speed", "hard", "gap", "curve", "search"


# -- the switches -----------------------------------------------------------------------------------


def without(phase: Phase) -> Callable[[Budget], Budget]:
    return lambda budget: replace(budget, phases=budget.phases - {phase})


def without_polishing(budget: Budget) -> Budget:
    """Blocks never tire, and polish only where a round moves nothing at all.

    `newton_most=0` would do more than that: it also ends the homotopy, proximal steps and the finishing systems.
    """
    return replace(budget, short_rounds=sys.maxsize)


def without_race(budget: Budget) -> Budget:
    """The interior point takes over where blocks stall or claim in vain, never for its price."""
    return replace(budget, interior_race=False)


OFF: dict[str, Callable[[Budget], Budget]] = {
    "splitting": without(Phase.SPLITTING),
    "homotopy": without(Phase.HOMOTOPY),
    "rounds": without(Phase.HOMOTOPY),
    "proximal": without(Phase.PROXIMAL),
    "polishing": without_polishing,
    "interior": without(Phase.INTERIOR),
    "race": without_race,
}
TWO_OFF = {"splitting+homotopy": ("ww", "cs"), "splitting+proximal": ("llw", "ova", "ovo")}  # and for which machines


def budget_without(phases: Sequence[str]) -> Budget:
    budget = BUDGET
    for phase in phases:
        budget = OFF[phase](budget)
    return budget


@contextmanager
def in_searches(auto: Auto) -> Iterator[list[Decision]]:
    """Searches name their method: `auto` and what derives from it have this budget. Collects their decisions."""
    decisions: list[Decision] = []
    result_of = whole.result_of

    def noted(run: Run, *given: Any) -> Any:
        decisions.extend(run.decisions)
        return result_of(run, *given)

    with ExitStack() as stack:
        stack.enter_context(patch.dict(METHODS, auto=auto))
        stack.enter_context(patch.object(Auto.__init__, "__defaults__", (auto.budget,)))
        stack.enter_context(patch.object(whole, "result_of", noted))
        yield decisions


@contextmanager
def counting_cpu() -> Iterator[None]:
    """The clock of runs counts the seconds of the process."""
    with patch.object(loop, "time", SimpleNamespace(perf_counter=time.process_time)):
        yield


def acting(decisions: Iterable[Decision]) -> dict[str, int]:
    """How often each phase began; a part has its first burst of ADMM alone on record.

    `Rising` notes the Newton steps of searches as proximal too, without numbers: no switch here is for them.
    """
    acts: Counter[str] = Counter()
    for one in decisions:
        name = "rounds" if one.reason == Why.SETTLED else one.phase
        if name in OFF and one.numbers:
            acts[name] += 1
        acts["race"] += one.phase == Phase.INTERIOR.value and one.reason == Why.INTERIOR_PAID
    return {phase: acts[phase] for phase in OFF if acts[phase]}


# -- the rows ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    seconds: float  # of the process
    training: float  # of them without proofs
    ending: str
    steps: int

    @property
    def solved(self) -> bool:
        return self.ending == "converged"

    @property
    def text(self) -> str:
        return f"{'' if self.solved else '>='}{self.seconds:.3g} s" + (
            f" ({self.ending})" if self.ending not in ("converged", "time limit") else ""
        )


@dataclass(frozen=True)
class Training:
    group: str
    data: str
    machine: str
    problem: Callable[[], Problem]
    limits: Limits = VIOLATION
    at: str = ""  # which of several rows of this set and machine

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.data, self.machine, self.at)))

    def run(self, budget: Budget) -> tuple[Found, dict[str, int]]:
        problem, auto = self.problem(), Auto(budget)
        warm_up(auto, problem.part(0))
        began = time.process_time()
        run = Run(problem, auto, self.limits)
        while run.running and time.process_time() - began < LIMIT:
            run.advance()
        seconds = time.process_time() - began
        ending = Ending.TIME_LIMIT if run.ending is None else run.ending
        assert run.current.solver is auto, "not delegated"
        return Found(seconds, run.seconds, ending.value, run.iterations), acting(run.decisions)


@dataclass(frozen=True)
class Search:
    machine: str
    group: str = "search"
    data: str = "segment"

    @property
    def name(self) -> str:
        return f"{self.data} {self.machine}"

    def run(self, budget: Budget) -> tuple[Found, dict[str, int]]:
        dataset = open_dataset(str(resources.dataset("segment")), ReadOptions())
        costs, gammas = Range(-2.0, 12.0, 1.75), Range(-10.0, 4.0, 3.5)
        wanted = TuneRequest(machines=(self.machine,), C=costs, gamma=gammas, folds=3, jobs=1)
        began = time.process_time()
        with in_searches(Auto(budget)) as decisions:
            tuned = Tuning(Request(time_limit=LIMIT), wanted, dataset).run()
        seconds = time.process_time() - began
        trainings = [one for cell in tuned.results.values() for one in cell.by_fold.values()]
        late = sum(one.ending is not Ending.CONVERGED for one in trainings)
        training, steps = sum(one.seconds for one in trainings), sum(one.steps for one in trainings)
        return Found(seconds, training, f"{late} late" if late else "converged", steps), acting(decisions)


Row = Training | Search


def speed(name: str, machine: str) -> Problem:
    features, labels = bench_speed.read(name)
    cost, gamma = bench_speed.cost_and_gamma(bench_speed.SETTINGS[name], machine, int(labels.max()) + 1)
    return pose(features, labels, machine=machine, kernel=KERNELS["rbf"](gamma=gamma), cost=cost)


def hard(row: table_3.Row) -> Problem:
    given: dict[str, Any] = {"machine": row.machine, "kernel": KERNELS["rbf"](gamma=row.gamma), "cost": row.cost}
    return pose(*table_3.read(row.data), **given, margin=table_3.MARGINS[row.machine], bias="none")


def degree_1(name: str, machine: str) -> Problem:
    kernel = KERNELS["polynomial"](gamma=1.0, degree=1, coef0=0.0)
    return pose(*bench_speed.read(name), machine=machine, kernel=kernel, cost=16.0)


def wide(name: str, machine: str) -> Problem:
    if name == "dna, 150 rows":
        features, labels = (array[:150] for array in bench_speed.read("dna"))
    else:
        features, labels = table_3.read("optdigits")
        first, second = np.triu_indices(features.shape[1])
        features = features[:, first] * features[:, second]
    return pose(features, labels, machine=machine, kernel=KERNELS["linear"](), cost=1.0)


def rows() -> Iterator[Row]:
    for group, limits in (("hard", VIOLATION), ("gap", GAP)):
        for row in table_3.ROWS:
            yield Training(group, row.data, row.machine, partial(hard, row), limits)
    for row in bench_cost.CASES:
        for exponent in EXPONENTS:
            at = row._replace(cost=2.0**exponent)
            yield Training("curve", row.data, row.machine, partial(hard, at), at=f"C{exponent}")
    for name, machine in product(bench_speed.SETTINGS, ("ww", "cs", "llw", "ova", "ovo")):
        yield Training("speed", name, machine, partial(speed, name, machine))
    for machine in ("ww", "llw"):
        yield Search(machine)
    for name, machine in product(("vehicle", "segment", "satimage", "dna"), JOINT):
        yield Training("linear", f"{name}, degree 1", machine, partial(degree_1, name, machine))
    for name, machine in product(("dna, 150 rows", "optdigits, products"), JOINT):
        yield Training("linear", name, machine, partial(wide, name, machine))


EXPONENTS = 8, 14, 20  # of C on the curve
JOINT = "ww", "cs", "llw", "ova"
ROWS = {f"{row.group}: {row.name}": row for row in rows()}


# -- measuring --------------------------------------------------------------------------------------


@dataclass
class Measured:
    """One row: with all phases, how often each acted, and with some of them off, by their names joined with +."""

    full: Found
    acts: dict[str, int]
    off: dict[str, Found]

    def ratio(self, off: str) -> float:
        """Without bound where it was solved with all phases and not without."""
        found = self.off[off]
        if not found.solved and found.ending != Ending.TIME_LIMIT.value:
            return inf if self.full.solved else 1.0
        return found.seconds / self.full.seconds

    def acted(self, off: str) -> bool:
        """Whether the run without it was another one."""
        return off in self.off and (off != "polishing" or self.off[off].steps != self.full.steps)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Measured:
        off = {name: Found(**found) for name, found in plain["off"].items()}
        return cls(Found(**plain["full"]), plain["acts"], off)

    def plain(self) -> dict[str, Any]:
        off = {name: vars(found) for name, found in self.off.items()}
        return {"full": vars(self.full), "acts": self.acts, "off": off}


def timed(row: Row, phases: Sequence[str] = ()) -> tuple[Found, dict[str, int]]:
    budget = budget_without(phases)
    with counting_cpu():
        best, acts = row.run(budget)
        times = next((times for seconds, times in REPEATED if best.seconds < seconds), 1)
        for _ in range(times - 1):
            best = min(best, row.run(budget)[0], key=lambda found: found.seconds)
    return best, acts


def with_all(row: Row) -> Measured:
    rehearse()
    found, acts = timed(row)
    return Measured(found, acts, {})


@cache
def rehearse() -> None:
    """What is imported or compiled on first use, for every form of a part."""
    once("rising", rising.compile_steps)
    features, labels = bench_speed.read("vowel")
    for machine in ("ww", "cs", "llw", "ova", "ovo"):
        for bias in ("none", "exact"):
            for kernel in (KERNELS["rbf"](gamma=1.0), KERNELS["linear"]()):
                part = pose(features, labels, machine=machine, kernel=kernel, bias=bias).part(0)
                warm_up(METHODS["auto"], part)
                warm_up(METHODS["ipm"], part)


@pytest.fixture(scope="module")
def table() -> Iterator[dict[str, Measured]]:
    found: dict[str, Measured] = {}
    if os.environ.get("ABLATION_RESUME") and RESULTS.exists():
        found = {key: Measured.of(plain) for key, plain in json.loads(RESULTS.read_text()).items()}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    yield found
    show(found)


def keep(table: dict[str, Measured]) -> None:
    RESULTS.write_text(json.dumps({key: measured.plain() for key, measured in table.items()}, indent=1))


@pytest.mark.parametrize("key", ROWS)
def test_row(key: str, table: dict[str, Measured], capsys: pytest.CaptureFixture[str]) -> None:
    row = ROWS[key]
    with limited(1):
        if key not in table:
            table[key] = with_all(row)
            keep(table)
        measured = table[key]
        for name in [*(phase for phase in OFF if phase in measured.acts or phase == "polishing"), *TWO_OFF]:
            if name not in measured.off and (name in OFF or (row.machine in TWO_OFF[name] and missed(measured, name))):
                measured.off[name], _ = timed(row, name.split("+"))
                keep(table)
    with capsys.disabled():
        acts = ", ".join(f"{phase} {count}" for phase, count in measured.acts.items())
        ratios = "  ".join(f"-{name} {measured.ratio(name):.2f}" for name in measured.off if measured.acted(name))
        print(f"\n{key}: {measured.full.text}; {acts or 'blocks alone'}  {ratios}", end="", flush=True)


def missed(measured: Measured, two: str) -> bool:
    return any(phase in measured.off and measured.ratio(phase) >= MISSED for phase in two.split("+"))


# -- the table --------------------------------------------------------------------------------------


def show(table: dict[str, Measured]) -> None:
    for title, groups in (("counted", COUNTED), ("stand-ins for linear kernels", ("linear",))):
        chosen_rows = {key: found for key, found in table.items() if ROWS[key].group in groups}
        print(f"\n\n{title}: {len(chosen_rows)} rows")
        for name in [*OFF, *TWO_OFF]:
            show_phase(name, {key: found for key, found in chosen_rows.items() if found.acted(name)})
    for group in GROUPS:
        seconds = [found.full.seconds for key, found in table.items() if ROWS[key].group == group]
        print(f"{group}: {len(seconds)} rows, {sum(seconds):.1f} s with all phases")


def show_phase(name: str, table: dict[str, Measured]) -> None:
    """On how many rows it acted, the mean ratio there, and every row where it is missed or hurts.

    The mean takes a run that failed for as long as it lasted.
    """
    ratios = {key: found.ratio(name) for key, found in table.items()}
    least = [log(found.off[name].seconds / found.full.seconds) for found in table.values()]
    mean = exp(sum(least) / len(least)) if least else 1.0
    sign = "" if all(found.off[name].solved for found in table.values()) else ">="
    print(f"without {name}: {len(table)} rows, geometric mean {sign}{mean:.2f}", end="")
    sets = {ROWS[key].data for key, ratio in ratios.items() if ratio >= MISSED}
    print(f"; missed on {sum(ratio >= MISSED for ratio in ratios.values())} rows of {len(sets)} sets", end="")
    print(f"; all {sum(found.full.seconds for found in table.values()):.1f} s,", end="")
    print(f" without {sum(found.off[name].seconds for found in table.values()):.1f} s")
    for key, ratio in sorted(ratios.items(), key=lambda item: -item[1]):
        if ratio >= MISSED or ratio <= HURTS:
            found = table[key]
            sign = "" if found.off[name].solved else ">="
            kind = "missed" if ratio >= MISSED else "hurts "
            print(f"  {kind} {sign}{ratio:6.2f}  {key:34} {found.full.text} -> {found.off[name].text}")
