"""Endings, errors and names: the words that users read."""

import numpy as np
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.posing import listing, positive, whole
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.selection.cell import SETTLED
from mcsvm.solvers.work import limited


def test_endings_are_the_contracts_words() -> None:
    """And two more, which only folds of a search have."""
    words = {ending.value for ending in Ending if ending not in SETTLED}
    assert words == {"converged", "step limit", "time limit", "stopped", "stalled"}


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_has_its_sentence(ending: Ending) -> None:
    assert ending.sentence.endswith(".")


def test_an_input_error_is_a_value_error() -> None:
    assert issubclass(InputError, ValueError)


def test_registries_go_by_name() -> None:
    assert list(MACHINES)[:6] == ["ww", "cs", "llw", "ova", "ovo", "dag"]
    assert {"auto", "smo", "s2do", "fw"} <= set(METHODS)
    assert [machine.name for machine in MACHINES.values()] == list(MACHINES)
    assert [method.name for method in METHODS.values()] == list(METHODS)
    assert all(method.supports for method in METHODS.values())
    assert all(machine.title and machine.decides for machine in MACHINES.values())


@pytest.mark.parametrize("value", [1, 2.5, np.float32(3), np.int64(4)])
def test_positive_takes_numbers(value: float) -> None:
    assert positive("C", value) == float(value)


@pytest.mark.parametrize("value", [1, 2.0, np.int64(4)])
def test_whole_takes_whole_numbers(value: float) -> None:
    assert isinstance(whole("degree", value), int)


def test_long_lists_are_cut() -> None:
    assert listing(["a", "b"]) == "'a', 'b'"
    assert listing(list(range(30)), most=2) == "0, 1, ..."


def test_threads_are_limited_and_set_free_again() -> None:
    from threadpoolctl import threadpool_info

    def counts() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before = counts()
    with limited(1):
        assert set(counts()) <= {1}
    assert counts() == before
