"""What does not go together is refused by the estimator in a sentence, before anything starts; the rest is trained.

The other laws are collected over what `combinations.accepted` says is trained: they fail where that is refused.
"""

from itertools import product

import pytest
from combinations import BIASES, SQUARE, Y, refusal
from small_data import home

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS


def sentences_of(method: str) -> dict[tuple[str, str, str], str | None]:
    return {of: refusal(of[0], method, *of[1:]) for of in product(MACHINES, BIASES, KERNELS)}


@pytest.mark.parametrize("method", METHODS)
def test_every_refused_combination_is_refused_by_the_estimator_in_a_sentence(method: str) -> None:
    for (machine, bias, kernel), sentence in sentences_of(method).items():
        if sentence is not None:
            svc = MultiClassSVC(machine, method, kernel, bias=bias)
            with pytest.raises(InputError) as refused:
                svc.fit(SQUARE, Y)
            assert str(refused.value) == sentence
            assert sentence.startswith(method)
            assert " use " in sentence  # and says what would work
            assert sentence.endswith(".")
            assert not hasattr(svc, "certificate_")


@pytest.mark.parametrize("method", METHODS)
def test_a_method_trains_what_it_says_that_it_supports(method: str) -> None:
    """So that no refusal can take a combination away from the laws unseen."""
    refused = [of for of, sentence in sentences_of(method).items() if sentence is not None]
    assert (not refused) == METHODS[method].supports.startswith("every machine, kernel and bias")
    if METHODS[method].supports.startswith("every machine"):
        assert not any(kernel == home(method) for _, _, kernel in refused)
    assert len(refused) < len(sentences_of(method))
