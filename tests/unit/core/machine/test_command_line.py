"""The command in the window means the request in the window."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm_gui import cli
from mcsvm_gui.cli.reading import request_of
from mcsvm_gui.core.base.options import number, written
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.options import HEADERS, MISSING, SCALES, ReadOptions
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.machine.command_line import _for_windows, arguments_of, command, shell_line
from mcsvm_gui.core.machine.request import Request

finite = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=0.0, exclude_min=True, allow_infinity=False) | st.sampled_from([2.0**-7, 0.1, 64.0])
text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
count = st.integers(1, 10**9)
weights = st.dictionaries(text, positive, max_size=3).map(lambda given: tuple(given.items()))
readings = st.builds(
    ReadOptions,
    label=st.none() | text,
    format=st.sampled_from(["auto", *READERS]),
    header=st.sampled_from(list(HEADERS)),
    separator=st.none() | text,
    decimal=st.sampled_from([None, ".", ","]),
    encoding=st.none() | text,
)
requests = st.builds(
    Request,
    machine=st.sampled_from(list(MACHINES)),
    solver=st.sampled_from(list(METHODS)),
    kernel=st.sampled_from([name for name in KERNELS if name != "precomputed"]),
    C=positive,
    gamma=positive | st.just("scale"),
    degree=count,
    coef0=finite,
    margin=st.none() | positive,
    bias=st.sampled_from([None, *BIASES]),
    class_weight=st.none() | st.just("balanced") | weights,
    tol=positive,
    gap_tol=st.none() | positive,
    max_iter=st.none() | count,
    time_limit=st.none() | positive,
    cache_mb=positive,
    threads=st.none() | count,
    seed=st.integers(0, 2**53),
    holdout=st.none() | st.floats(0.01, 0.99),
    rules=st.builds(Rules, scale=st.sampled_from(list(SCALES)), missing=st.sampled_from(list(MISSING))),
    read=readings,
    data=text,
    test=st.none() | text,
    digest=st.none() | text,
    test_digest=st.none() | text,
)


def parsed(line: list[str]) -> Request:
    assert line[0] == "mcsvm"
    return request_of(cli._parser().parse_args(line[1:]))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(requests)
def test_parsing_the_command_gives_the_request(request: Request) -> None:
    assert parsed(arguments_of(request)) == replace(request, digest=None, test_digest=None)


@settings(max_examples=100, deadline=None)
@given(st.lists(text, min_size=1))
def test_a_shell_splits_it_into_the_same_words(line: list[str]) -> None:
    assert shlex.split(shell_line(line)) == line


@given(finite)
def test_all_digits_are_kept(value: float) -> None:
    assert number(written(value)) == value
    assert number(written(value, powers=True)) == value


def test_defaults_are_not_said() -> None:
    assert command(Request(data="my iris.csv")) == "mcsvm train 'my iris.csv'"


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Request(C=2.0**-3, gamma=0.1, tol=1e-5, data="d.csv"), "mcsvm train d.csv --C '2^-3' --gamma 0.1 --tol 1e-05"),
        (Request(coef0=-1.5, machine="cs", data="d.csv"), "mcsvm train d.csv --machine cs --coef0=-1.5"),
        (Request(time_limit=4.0, holdout=0.3, data="-d"), "mcsvm train --holdout 0.3 --time-limit 4 -- -d"),
        (Request(class_weight=(("a b", 2.0),)), "mcsvm train DATA --class-weight '{\"a b\": 2.0}'"),
    ],
)
def test_as_a_person_would_write_it(request_: Request, line: str) -> None:
    assert command(request_) == line


def test_what_no_option_says_is_not_left_out_in_silence() -> None:
    with pytest.raises(InputError, match="unknown levels"):
        arguments_of(Request(rules=Rules(unknown="reject")))


def test_windows_takes_no_power_for_its_own_sign() -> None:
    assert [_for_windows(word) for word in ("2^-3", "a b", "plain")] == ['"2^-3"', '"a b"', "plain"]
