"""A machine's directions as a few numbers: an argument of compiled loops whose type is declared outside of jit/."""

from typing import NamedTuple


class Rule(NamedTuple):
    """How slot p of an example of class y reads the class functions.

    own slot (p = y): gradient = margin_own - own * f_y; any other: margin_other - before * f_y - other * f_p.
    A direction is its reading plus a constant on all outputs, which the zero sum of the functions hides.
    """

    margin_own: float
    own: float
    constant_own: float
    margin_other: float
    before: float
    other: float
    constant_other: float
