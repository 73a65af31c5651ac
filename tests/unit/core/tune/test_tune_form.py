"""What the Tune page asks for: read from its entries, said as a command, and both mean the same."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.selection import search
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui import cli
from mcsvm_gui.cli.commands import tune as command
from mcsvm_gui.core.base.options import number
from mcsvm_gui.core.data.costs import CostTable
from mcsvm_gui.core.machine.choices import FIRST_MACHINES
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.command import tune_arguments, tune_command
from mcsvm_gui.core.tune.form import DEFAULTS, ENDS, extended, parameters, read_form
from mcsvm_gui.core.tune.options import SEARCHES, TuneRequest
from mcsvm_gui.core.tune.search import check

exponents = st.integers(-40, 40)
ranges = st.tuples(exponents, st.integers(0, 20)).map(lambda ends: (float(ends[0]), float(ends[0] + ends[1])))
numbers = {"C_from": "0", "C_to": "x", "gamma_from": "-1", "gamma_to": "", "step": "0", "time_limit": "-2"}
WRONG = {
    **numbers,
    "class_weight": "heavy",
    "machines": "",
    "jobs": "0.5",
    "repeats": "0",
    "scheduler": "a b",
    "holdout": "1",
}


def test_the_first_entries_search_what_the_command_searches_in_wider_steps() -> None:
    entered = read_form(DEFAULTS)
    plain = TuneRequest()
    assert entered.errors == {}
    assert entered.wanted == replace(
        plain,
        machines=FIRST_MACHINES,
        C=Range(plain.C.low, plain.C.high, 2.0),
        gamma=Range(plain.gamma.low, plain.gamma.high, 2.0),
    )


def test_a_search_is_kept_with_its_costs_and_files_of_before_are_read() -> None:
    """Before costs were of errors, the ranges were called costs and gammas."""
    costs = CostTable(("a", "b"), ((0.0, 3.0), (1.0, 0.0)))
    wanted = TuneRequest(score="cost", costs=costs, gamma=None)
    document = json.loads(json.dumps(wanted.document()))
    assert TuneRequest.from_document(document) == wanted
    old = {**TuneRequest().document(), "costs": asdict(Range(-1, 2)), "gammas": asdict(Range(0, 1))}
    read = TuneRequest.from_document({name: old[name] for name in old if name not in ("C", "gamma")})
    assert read == TuneRequest(C=Range(-1, 2), gamma=Range(0, 1))
    entered = read_form({**DEFAULTS, "score": "cost", "costs": json.dumps(costs.plain())})
    assert entered.wanted is not None
    assert entered.wanted.costs == costs


def test_every_search_is_offered() -> None:
    assert set(SEARCHES) == set(search.SEARCHES)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_entry_is_told_where_it_stands(name: str) -> None:
    entered = read_form({**DEFAULTS, name: WRONG[name]})
    assert entered.wanted is None
    assert list(entered.errors) == [name]
    assert all(entered.errors.values())


def test_a_share_takes_the_place_of_folds() -> None:
    wanted = read_form({**DEFAULTS, "holdout": "0.3", "repeats": "3"}).wanted
    assert wanted is not None
    assert (wanted.holdout, wanted.repeats, wanted.parts) == (0.3, 1, 1)
    assert not {"--folds", "--repeats"} & set(tune_arguments(Request(data="x.csv"), wanted))


def test_a_cluster_takes_the_place_of_threads_here() -> None:
    wanted = read_form({**DEFAULTS, "jobs": "3", "scheduler": " 10.0.0.7 "}).wanted
    assert (wanted.jobs, wanted.scheduler) == (None, "tcp://10.0.0.7:8786")


def test_what_cannot_be_nested_is_told() -> None:
    assert (
        "nested" in read_form({**DEFAULTS, "machines": "ovo", "search": "per-pair", "nested": "yes"}).errors["search"]
    )


def test_a_range_that_runs_backwards_is_wrong_at_its_end() -> None:
    assert list(read_form({**DEFAULTS, "C_from": "8", "C_to": "4"}).errors) == ["C_to"]
    assert list(read_form({**DEFAULTS, "gamma_from": "8", "gamma_to": "4"}).errors) == ["gamma_to"]


@pytest.mark.parametrize("kernel", [name for name in KERNELS if name != "precomputed"])
def test_only_what_the_kernel_declares_is_read(kernel: str) -> None:
    undeclared = {
        field: "nonsense"
        for parameter, fields in {
            "gamma": ("gamma_from", "gamma_to"),
            "degree": ("degree",),
            "coef0": ("coef0",),
        }.items()
        for field in fields
        if parameter not in KERNELS[kernel].parameters
    }
    entered = read_form({**DEFAULTS, "kernel": kernel, **undeclared})
    assert entered.errors == {}
    assert entered.wanted is not None
    assert (entered.wanted.gamma is None) == ("gamma" not in KERNELS[kernel].parameters)
    assert parameters({"kernel": kernel}) == KERNELS[kernel].parameters


@given(st.sets(st.sampled_from(list(ENDS))))
def test_ranges_are_extended_where_the_best_cells_lie_and_nowhere_else(edges: set[str]) -> None:
    moved = extended(DEFAULTS, tuple(edges))
    assert set(moved) == {ENDS[edge] for edge in edges}
    for edge in edges:
        here, there = (math.log2(number(texts[ENDS[edge]])) for texts in (DEFAULTS, moved))
        assert there - here == (-4.0 if edge.endswith("low") else 4.0)
        assert read_form({**DEFAULTS, **moved}).errors == {}


def test_there_is_an_end_to_extending() -> None:
    texts = dict(DEFAULTS)
    for _ in range(100):
        texts |= extended(texts, ("C high",))
    assert extended(texts, ("C high",)) == {}


@pytest.mark.slow
@given(
    ranges,
    ranges | st.none(),
    st.sampled_from([0.25, 0.5, 1.0, 2.0]),
    st.sets(st.sampled_from(FIRST_MACHINES), min_size=1),
    st.sampled_from(["grid", "coarse-to-fine", "halving"]),
    st.integers(2, 12),
    st.integers(1, 4),
    st.booleans(),
    st.none() | st.integers(1, 16) | st.sampled_from(["tcp://10.0.0.7:8786", "tls://[::1]:1"]),
    st.builds(
        Request,
        kernel=st.sampled_from(["polynomial", "sigmoid"]),
        degree=st.integers(1, 9),
        class_weight=st.sampled_from([None, "balanced"]),
        time_limit=st.none() | st.floats(1e-3, 1e6),
        seed=st.integers(0, 2**40),
        data=st.sampled_from(["a b.csv", "-x.csv", "ü'.csv"]),
    ),
)
@settings(max_examples=40, deadline=None)
def test_the_command_means_what_is_searched(
    costs: tuple,
    gammas: tuple | None,
    step: float,
    machines: set,
    how: str,
    folds: int,
    repeats: int,
    nested: bool,
    who: int | str | None,
    asked: Request,
) -> None:
    request = replace(asked, kernel="linear") if gammas is None else asked
    wide = None if gammas is None else Range(*gammas, step)
    crew = {"scheduler": who} if isinstance(who, str) else {"jobs": who}
    wanted = TuneRequest(
        tuple(machines), Range(*costs, step), wide, how, folds=folds, repeats=repeats, nested=nested, **crew
    )
    check(request, wanted)
    options = cli._parser().parse_args(tune_arguments(request, wanted)[1:])
    assert command.read(options) == (request, wanted)
    assert shlex.split(tune_command(request, wanted)) == tune_arguments(request, wanted)
