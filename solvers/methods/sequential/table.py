"""The sequential methods: one loop (`loop.py`), and the step rule of each method for each feasible set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS, Geometry
from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.methods.base import Method, Progress
from mcsvm.solvers.methods.sequential.loop import SequentialState, WorkingSetSearch, begun
from mcsvm.solvers.methods.sequential.rules import (
    BoxSteps,
    Pairs,
    SelectionRule,
    SimplexPairs,
    WholeExamples,
    WorkingSets,
)
from mcsvm.solvers.problem import Part


@dataclass(frozen=True)
class Sequential(Method[SequentialState]):
    name: str
    supports: str
    rules: Mapping[Geometry, SelectionRule]
    refusals: Mapping[Geometry, Sentence]  # for feasible sets without a rule

    @property
    def geometries(self) -> Collection[Geometry]:
        return self.rules

    def refuse(self, part: Part) -> Sentence | None:
        rule = self.rules.get(part.geometry)
        return rule.refuse(part) if rule else self.refusals.get(part.geometry) or super().refuse(part)

    def start(self, part: Part, seed: int) -> SequentialState:
        return begun(part)

    def advance(self, part: Part, state: SequentialState, steps: int, tolerance: float) -> Progress:
        return WorkingSetSearch(part, state, self.rules[part.geometry], tolerance).go(state.steps + steps)


SMO = Sequential(
    "smo",
    "every machine, kernel and bias: one variable at a time (ww, llw, ova without exact bias),"
    " two of one example (cs), two of a binary machine with exact bias",
    {
        BOX: BoxSteps(pairs=False, scaled=True),
        SUMS: SimplexPairs(second_order=True),
        LINE: Pairs(second_order=True),
    },
    {},
)

# First-order choice, the most violating variables: for comparison with `smo`.
SMO_FIRST_ORDER = Sequential(
    "smo-first-order",
    "every machine, kernel and bias: the variable of largest violation (ww, llw, ova without exact bias),"
    " or the most violating pair (cs; a binary machine with exact bias)",
    {
        BOX: BoxSteps(pairs=False, scaled=False),
        SUMS: SimplexPairs(second_order=False),
        LINE: Pairs(second_order=False),
    },
    {},
)

# Dogan, Glasmachers & Igel 2011: the first variable has the largest |gradient|, the second the largest gain with it.
S2DO = Sequential(
    "s2do",
    "every machine, kernel and bias: two variables at a time;"
    " for cs, and for a binary machine with exact bias, it is the same as smo",
    {**SMO.rules, BOX: BoxSteps(pairs=True, scaled=False)},
    {},
)

_SEPARATE = Sentence(
    "whole-example takes all variables of an example at once, which only pays where their sum is bounded:"
    " it handles cs and adm, not this machine; use s2do, bsvm or auto."
)

# Crammer & Singer's working set: Hsu & Lin 2002, section IV, equations 18 and 20.
WHOLE_EXAMPLE = Sequential(
    "whole-example",
    "cs and adm: machines with one bounded sum per example whose directions there are all alike",
    {SUMS: WholeExamples()},
    {BOX: _SEPARATE, LINE: _SEPARATE},
)

# BSVM's working set: Hsu & Lin 2002, section III.B.
BSVM = Sequential(
    "bsvm",
    "ww, llw and other machines of separate bounds; ova and ovo with a regularized bias or none",
    {BOX: WorkingSets(variables=10, share=1e-3)},
    {
        SUMS: Sentence(
            "bsvm bounds every variable on its own: it handles ww and llw, not this machine; use smo or auto."
        ),
        LINE: Sentence("bsvm knows no exact bias of binary machines: use bias regularized or none, or the solver smo."),
    },
)

SEQUENTIAL_METHODS = S2DO, SMO, SMO_FIRST_ORDER, WHOLE_EXAMPLE, BSVM
