"""Which method does the work, and why one cannot."""

from __future__ import annotations

from solvers.errors import InputError
from solvers.methods import METHODS, Method
from solvers.problem import Part, Problem, with_offset
from solvers.run import multipliers as balance


def find_method(name: str | Method) -> Method:
    """By its name in the registry, or a method that is none of those."""
    if not isinstance(name, str) and hasattr(name, "advance"):
        return name
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"There is no solver {name!r}; choose one of {', '.join(METHODS)}.")
    return METHODS[name]


def chosen(problem: Problem, method: Method) -> Method:
    """The method at work: `auto` may leave a problem to another."""
    delegate = getattr(method, "delegate", None)
    return method if delegate is None else METHODS[delegate(problem.part(0))]


def keeps_balance(method: Method, part: Part) -> bool:
    """Whether the method itself keeps sum_i W_i = 0; otherwise b is found by an outer iteration."""
    return part.form.outputs == 1 or getattr(method, "KEEPS_BALANCE", False)


def refuse(problem: Problem, method: Method) -> None:
    """Refuse what the method cannot do before anything starts, in a sentence that says what would work."""
    part = problem.part(0)
    view = part if not part.balanced or keeps_balance(method, part) else with_offset(part, balance.SIGMA)
    reason = method.refuse(view)
    if reason is not None:
        raise InputError(reason)
