"""Runs of one machine are told apart, and stay of its family."""

from __future__ import annotations

import colorsys
from itertools import pairwise, product

import pytest

from mcsvm_gui.core.compare import variants
from mcsvm_gui.core.report import style


def test_each_run_is_numbered_within_its_machine() -> None:
    assert variants.numbers(["ww", "cs", "ww", "ww", "cs"]) == [0, 0, 1, 2, 1]


@pytest.mark.parametrize("name", style.MACHINES)
def test_two_dozen_runs_of_a_machine_all_look_different_and_the_first_as_ever(name: str) -> None:
    looks = [style.machine(name, number) for number in range(24)]
    assert looks[0] == style.MACHINES[name]
    assert len({look[:2] for look in looks}) == len(looks)
    assert all(one[1] != other[1] and one[2] != other[2] for one, other in pairwise(looks))


@pytest.mark.parametrize(("colour", "dark"), list(product(style.ON_DARK, (False, True))))
def test_shades_keep_the_hue(colour: str, *, dark: bool) -> None:
    def hue(text: str) -> float:
        return colorsys.rgb_to_hsv(*(int(text[place : place + 2], 16) / 255 for place in (1, 3, 5)))[0]

    shades = [variants.shaded(colour, number, dark=dark) for number in range(4)]
    assert len(set(shades)) == 4
    assert all(abs(hue(shade) - hue(colour)) < 0.02 for shade in shades)
