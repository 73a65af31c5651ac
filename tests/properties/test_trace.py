"""A trace of any length stays short and keeps its ends."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsvm.solvers.run.trace import COLUMNS, Sample, Trace

LENGTHS = st.integers(1, 400)
LIMITS = st.integers(2, 50)


def sample(number: int) -> Sample:
    return Sample(number, number / 7.0, -1.0 / (number + 1), number * np.pi, 1.0 / (number + 3), number % 5, number % 3)


def trace_of(length: int, limit: int) -> Trace:
    trace = Trace(limit)
    for number in range(length):
        trace.append(sample(number))
    return trace


@settings(deadline=None)
@given(length=LENGTHS, limit=LIMITS)
def test_first_and_last_are_kept_and_the_rest_in_even_steps(length: int, limit: int) -> None:
    kept = [entry.iteration for entry in trace_of(length, limit)]
    assert kept[0] == 0
    assert kept[-1] == length - 1
    assert len(kept) <= limit + 1
    assert kept == sorted(set(kept))
    assert len(set(np.diff(kept[:-1]))) <= 1
    assert length <= limit + 1 or len(kept) >= limit // 2


@settings(deadline=None)
@given(length=LENGTHS, limit=LIMITS, more=st.integers(0, 100))
def test_packing_is_exact_and_goes_on_the_same(length: int, limit: int, more: int) -> None:
    trace = trace_of(length, limit)
    again = Trace.unpack(trace.pack())
    assert list(again) == list(trace)
    for number in range(length, length + more):
        trace.append(sample(number))
        again.append(sample(number))
    assert list(again) == list(trace)
    assert again.limit == trace.limit


@given(length=LENGTHS)
def test_the_table_has_a_column_of_every_number(length: int) -> None:
    trace = trace_of(length, 500)
    table = trace.table()
    assert tuple(table) == COLUMNS
    assert all(column.shape == (len(trace),) for column in table.values())
    np.testing.assert_array_equal(trace["primal"], [entry.primal for entry in trace])


def test_an_empty_trace_packs_too() -> None:
    empty = Trace.unpack(Trace(7).pack())
    assert len(empty) == 0
    assert empty.limit == 7
    assert all(column.size == 0 for column in empty.table().values())
    empty.append(sample(3))
    assert list(empty) == [sample(3)]
