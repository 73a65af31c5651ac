"""Read the entries of the Tune page into a search, with a sentence for every wrong entry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.base.options import Choice, Option, number
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.request import OPTIONS, Request
from mcsvm_gui.core.tune.options import RANGES, SEARCH_OPTIONS, TuneRequest

EXTENDED_BY = 4.0  # powers of two: as far as the widest step
LEAST, GREATEST = -60.0, 60.0  # powers of two between which kernels and costs are meaningful
SIDES = {"low": "from", "high": "to"}
ENDS = {f"{name} {side}": f"{name}_{end}" for name in RANGES for side, end in SIDES.items()}
OF_REQUEST = {name: option for name, option in OPTIONS.items() if option.tune}
ASKED = {**OF_REQUEST, **SEARCH_OPTIONS}


def _shows_default(option: Option) -> bool:
    """Return whether a field shows its default as an entry; a field under More shows it as a hint."""
    return option.tune == "first" or bool(option.spin) or isinstance(option.kind, Choice)


# The defaults of `mcsvm tune`, but in steps of two: a full map soon, and a finer one if needed.
DEFAULTS = {
    "machines": ",".join(names.MACHINES),
    **{ENDS[f"{name} low"]: option.searched.partition(":")[0] for name, option in RANGES.items()},
    **{ENDS[f"{name} high"]: option.searched.partition(":")[2] for name, option in RANGES.items()},
    **{name: option.default_text if _shows_default(option) else "" for name, option in ASKED.items()},
    "step": "2",
}


class Entered(NamedTuple):
    values: dict[str, Any]  # for the request
    wanted: TuneRequest | None  # None if an entry is wrong
    errors: dict[str, str]  # by field; errors of single fields come first


def read_form(texts: Mapping[str, str]) -> Entered:
    """Read the form; an empty entry means the default."""
    declared = parameters(texts)
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for option in (*OF_REQUEST.values(), *SEARCH_OPTIONS.values(), *RANGES.values()):
        if not option.of_kernel or option.name in declared:
            values |= _read(option, texts, errors)
    of_request = {name: values.pop(name) for name in OF_REQUEST if name in values}
    if errors:
        return Entered(of_request, None, errors)
    if "scheduler" in values:
        values.pop("jobs", None)  # threads on this computer
    if "holdout" in values:
        values.pop("repeats", None)  # repetitions of folds
    return _together(texts, of_request, values, "gamma" in declared)


def _read(option: Option, texts: Mapping[str, str], errors: dict[str, str]) -> dict[str, Any]:
    """Return the value of a field, or those of both ends of a range."""
    found = {}
    ends = [ENDS[f"{option.name} {side}"] for side in SIDES] if option.searched else []
    for field in ends or [option.name]:
        text = texts.get(field, "").strip()
        if text or ends:
            try:
                found[field] = _positive(option, text) if ends else option.read(text)
            except InputError as error:
                errors[field] = worded(error)
    return found


def _positive(option: Option, text: str) -> float:
    value = number(text)
    option.check(value)
    return value


def _together(texts: Mapping[str, str], of_request: dict[str, Any], how: dict[str, Any], gamma: bool) -> Entered:
    from mcsvm.solvers.selection.grid import Grid, Range
    from mcsvm_gui.core.tune.search import check

    field = "C_to"
    try:
        step = how.pop("step", SEARCH_OPTIONS["step"].default)
        costs = Range.between(how.pop("C_from"), how.pop("C_to"), step)
        field = "gamma_to"
        gammas = Range.between(how.pop("gamma_from"), how.pop("gamma_to"), step) if gamma else None
        machines = tuple(filter(None, texts["machines"].split(",")))
        if not machines:
            return Entered(of_request, None, {"machines": tr("Tick a machine at the left.")})
        field = "step"
        Grid(machines, costs, gammas)
        field = "search"
        wanted = TuneRequest(machines, costs, gammas, **how)
        check(Request(**of_request), wanted)
    except InputError as error:
        return Entered(of_request, None, {field: worded(error)})
    return Entered(of_request, wanted, {})


def extended(texts: Mapping[str, str], edges: tuple[str, ...]) -> dict[str, str]:
    """Return the changed texts: range ends with best cells, moved outwards; `edges` as Grid.edges names them."""
    moved = {}
    for edge in edges:
        name, outwards = ENDS[edge], -EXTENDED_BY if edge.endswith("low") else EXTENDED_BY
        here = math.log2(number(texts[name]))
        there = min(max(here + outwards, LEAST), GREATEST)
        if (there - here) * outwards > 0.0:
            moved[name] = f"2^{there:.12g}"
    return moved


def parameters(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the parameters of the chosen kernel."""
    from mcsvm.solvers.kernels import KERNELS

    return KERNELS[texts["kernel"]].parameters if texts["kernel"] in KERNELS else ()
