"""Rule: a machine's table as seven numbers, the argument of compiled loops (the one type declared outside of jit/)."""

from typing import NamedTuple


class Rule(NamedTuple):
    """The gradient of slot p of an example of class y, from the class functions f.

    The own slot (p = y) has margin_own - own * f_y, any other slot margin_other - cross * f_y - other * f_p. A
    direction has these coefficients plus a constant on all outputs (`constant_own`, `constant_other`), which drops out
    of gradients because the functions sum to zero. ww: cross = 1, other = -1; llw: other = -1, constant_other = 1/k.
    """

    margin_own: float
    own: float
    constant_own: float
    margin_other: float
    cross: float
    other: float
    constant_other: float
