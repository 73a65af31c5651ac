"""What tables show of a run is what its document says, and nothing where nothing is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_examples import document, record

from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.core.machine.state import CLOSE, optimality
from mcsvm_gui.core.project.pending import PendingWrites
from mcsvm_gui.core.project.records import RunRecord

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
COLUMNS = [name for name, value in vars(RunRecord).items() if isinstance(value, property)]


@pytest.mark.parametrize("run", range(1, 7))
def test_columns_are_the_documents_numbers(run: int) -> None:
    one, given = record(run), document(run)
    assert (one.seconds, one.iterations, one.n_support) == (given["seconds"], given["iterations"], given["n_support"])
    assert (one.relative_gap, one.gap) == (given["certificate"]["relative_gap"], given["certificate"]["gap"])
    assert (one.solver, one.ending) == (given["solver_used"], given["ending"])
    assert one.gamma == given["kernel"]["gamma"]


def test_a_run_that_goes_on_shows_where_it_stands() -> None:
    here = Sample(12, 0.5, 1.0, 2.0, 0.25, 30, 4)
    going = record(1, "running", live=here)
    assert (going.iterations, going.seconds, going.gap, going.n_support) == (12, 0.5, 1.0, 30)
    assert going.relative_gap == 0.5
    assert (going.optimality, going.test_accuracy) == (None, None)
    assert replace(going, document=document(1)).iterations == document(1)["iterations"]


def test_gamma_belongs_to_kernels_that_have_one() -> None:
    plain = record(1).plain_request
    assert record(1, "queued", plain_request={**plain, "gamma": "scale"}).gamma == "scale"
    assert record(1, "queued", plain_request={**plain, "kernel": "linear"}).gamma is None


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(sorted(document())), JUNK), st.dictionaries(st.text(), JUNK))
def test_whatever_a_file_holds_every_column_has_an_answer(found: dict, request: dict) -> None:  # type: ignore[type-arg]
    one = record(1, document=found, plain_request=request)
    for name in COLUMNS:
        value = getattr(one, name)
        assert value is None or isinstance(value, str | float | int)


# -- the badge ------------------------------------------------------------------------------------

ENDINGS = st.sampled_from(["converged", "step limit", "time limit", "stopped", "stalled"])


@given(ENDINGS, st.floats(-1e-12, 1e9), st.floats(0.0, 1e9), st.sampled_from(["rbf", "linear", "sigmoid"]))
def test_a_larger_gap_never_has_a_better_badge(ending: str, gap: float, more: float, kernel: str) -> None:
    order = ["solved", "close", "not solved"]
    assert order.index(optimality(ending, gap, kernel)) <= order.index(optimality(ending, gap + more, kernel))


@given(ENDINGS, st.floats(0.0, 1e9))
def test_only_what_converged_is_solved(ending: str, gap: float) -> None:
    assert (optimality(ending, gap, "rbf") == "solved") == (ending == "converged" and gap <= CLOSE)


@given(ENDINGS, st.floats(0.0, 1.0), st.floats(1e-12, 1.0))
def test_a_gap_that_was_asked_for_decides_alone(ending: str, gap: float, asked: float) -> None:
    assert (optimality(ending, gap, "rbf", asked) == "solved") == (gap <= asked)


def test_zero_within_rounding_counts_as_solved_only_if_the_run_has_converged() -> None:
    assert optimality("converged", 1.0, "linear", zero=True) == "solved"
    assert optimality("stopped", 1.0, "linear", zero=True) == "not solved"


def test_where_the_dual_is_no_bound_nothing_is_claimed() -> None:
    assert optimality("stalled", 1e-9, "sigmoid") == "not solved"
    assert optimality("stopped", float("nan"), "rbf") == "not solved"


# -- the backlog ----------------------------------------------------------------------------------


def test_the_newest_is_written_and_parts_add_up() -> None:
    backlog = PendingWrites()
    backlog.put(record(1, "running"), parts={"trace": lambda: b"1", "checkpoint": lambda: b"c"})
    backlog.put(record(1, "done"), parts={"trace": lambda: b"2", "checkpoint": None})
    (change,) = (pending.encoded() for pending in backlog.take().runs.values())
    assert change.record == record(1, "done")
    assert change.parts == {"trace": b"2", "checkpoint": None}
    assert not backlog


def test_what_could_not_be_written_goes_under_what_is_newer() -> None:
    backlog = PendingWrites()
    backlog.put(record(1, "running"), parts={"trace": lambda: b"1", "readings": lambda: b"r"})
    backlog.set("page", "old")
    batch = backlog.take()
    assert backlog.holds(1)
    backlog.put(record(1, "done"), parts={"trace": lambda: b"2"})
    backlog.put(record(2))
    backlog.set("page", "new")
    backlog.give_back(batch)
    again = backlog.take()
    changes = {pending.record.id: pending.encoded() for pending in again.runs.values()}
    assert changes[1].record.state == "done"
    assert changes[1].parts == {"trace": b"2", "readings": b"r"}
    assert (list(changes), again.settings) == ([1, 2], {"page": "new"})


def test_cells_that_could_not_be_written_go_under_newer_ones() -> None:
    backlog, key, other = PendingWrites(), ("s", "ww", 1.0, None), ("s", "ww", 2.0, 0.5)
    backlog.put_cells({key: lambda: {"folds": "old"}, other: lambda: {"folds": "other"}})
    batch = backlog.take()
    assert batch
    assert not backlog
    backlog.put_cells({key: lambda: {"folds": "new"}})
    backlog.give_back(batch)
    assert (len(backlog), backlog.results) == (2, 2)
    written = {cell: document() for cell, document in backlog.take().cells.items()}
    assert written == {key: {"folds": "new"}, other: {"folds": "other"}}


def test_one_that_cannot_be_written_stands_in_nobodys_way() -> None:
    backlog = PendingWrites()
    for run in (1, 2):
        backlog.put(record(run))
    backlog.give_back(backlog.take(1))
    assert list(backlog.take(1).runs) == [2]


def test_what_is_set_aside_waits_for_something_newer() -> None:
    backlog, cell = PendingWrites(), ("s", "ww", 1.0, None)
    backlog.put(record(1, "running"), parts={"trace": lambda: b"1"})
    backlog.set("page", object())
    backlog.put_cells({cell: lambda: {"folds": object()}})
    backlog.set_aside(backlog.take())
    assert (backlog.waiting, len(backlog), backlog.results, backlog.holds(1)) == (False, 3, 0, True)
    backlog.put(record(1, "done"), parts={"model": lambda: b"m"})
    backlog.set("page", "train")
    backlog.put_cells({cell: lambda: {"folds": 1}})
    again = backlog.take()
    assert (len(again), backlog.waiting, len(backlog)) == (3, False, 0)
    assert again.runs[1].encoded().parts == {"trace": b"1", "model": b"m"}


def test_what_is_set_aside_goes_under_what_came_meanwhile() -> None:
    backlog = PendingWrites()
    backlog.put(record(1, "running"))
    batch = backlog.take()
    backlog.put(record(1, "done"))
    backlog.set_aside(batch)
    assert (backlog.waiting, len(backlog)) == (True, 1)


def test_what_is_settled_is_held_no_more() -> None:
    backlog = PendingWrites()
    backlog.put(record(1))
    assert backlog.holds(1)
    backlog.take()
    backlog.settle()
    assert not backlog.holds(1)
