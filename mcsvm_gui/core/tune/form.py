"""From the entries of the Tune page to what is searched, with a sentence for every entry that is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.choices import FIRST_MACHINES

if TYPE_CHECKING:
    from mcsvm_gui.core.tune.search import TuneRequest

EXTENDED_BY = 4.0  # powers of two: as far as the widest step goes
LEAST, GREATEST = -60.0, 60.0  # powers of two between which kernels and costs still mean something
ENDS = {"C low": "C_from", "C high": "C_to", "gamma low": "gamma_from", "gamma high": "gamma_to"}
SEARCHES = "grid", "coarse-to-fine", "two-line", "halving", "per-pair"
OF_KERNEL = {"gamma_from": "gamma", "gamma_to": "gamma", "degree": "degree", "coef0": "coef0"}

# As `mcsvm tune` searches, but in steps of two: a whole map soon, and a finer one where it is worth it.
DEFAULTS = {
    "machines": ",".join(FIRST_MACHINES),
    "kernel": "rbf",
    "C_from": "2^-2",
    "C_to": "2^12",
    "gamma_from": "2^-10",
    "gamma_to": "2^4",
    "step": "2",
    "folds": "5",
    "repeats": "1",
    "holdout": "",
    "nested": "",
    "search": "grid",
    "jobs": "",
    "degree": "3",
    "coef0": "0",
    "class_weight": "",
    "time_limit": "",
    "scheduler": "",
}


class Entered(NamedTuple):
    values: dict[str, Any]  # for the request
    wanted: TuneRequest | None  # none where an entry is wrong
    errors: dict[str, str]  # by field; a field's own first


def read_form(texts: Mapping[str, str]) -> Entered:
    from solvers.errors import InputError

    errors: dict[str, str] = {}
    declared = parameters(texts)

    def read(name: str, reader: Callable[[str], Any]) -> Any:
        try:
            return reader(texts.get(name, "").strip())
        except InputError as error:
            errors[name] = str(error)
            return None

    readers = _readers()
    asked = [name for name in readers if OF_KERNEL.get(name) in (None, *declared)]
    read_values = {name: read(name, readers[name]) for name in asked}
    ends = {name: read_values.pop(name, None) for name in (*ENDS.values(), "step")}
    how = {name: read_values.pop(name) for name in ("folds", "repeats", "holdout", "jobs", "scheduler")}
    if how["scheduler"] is not None:
        how["jobs"] = None  # of threads here
    if how["holdout"] is not None:
        how["repeats"] = 1  # of folds
    values = {name: value for name, value in read_values.items() if value is not None} | {"kernel": texts["kernel"]}
    if errors:
        return Entered(values, None, errors)
    return _together(texts, values, ends, how, "gamma" in declared)


def _together(
    texts: Mapping[str, str], values: dict[str, Any], ends: dict[str, float], how: dict[str, Any], gamma: bool
) -> Entered:
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.tune.search import TuneRequest, check
    from solvers.errors import InputError
    from solvers.selection.grid import Grid, Range

    field = "C_to"
    try:
        costs = Range.between(ends["C_from"], ends["C_to"], ends["step"])
        field = "gamma_to"
        gammas = Range.between(ends["gamma_from"], ends["gamma_to"], ends["step"]) if gamma else None
        machines = tuple(filter(None, texts["machines"].split(",")))
        if not machines:
            return Entered(values, None, {"machines": tr("Tick a machine at the left.")})
        field = "step"
        Grid(machines, costs, gammas)
        field = "search"
        wanted = TuneRequest(machines, costs, gammas, texts["search"], nested=bool(texts.get("nested")), **how)
        check(Request(**values), wanted)
    except InputError as error:
        return Entered(values, None, {field: str(error)})
    return Entered(values, wanted, {})


def _readers() -> dict[str, Callable[[str], Any]]:
    """Empty entries are values that were not said, where there is a default for them."""
    from mcsvm_gui.core.base.options import number, whole_number
    from mcsvm_gui.core.machine.request import OPTIONS
    from mcsvm_gui.core.tune.cluster.address import checked
    from solvers.posing import positive, whole
    from solvers.selection.folds import checked_share

    def above_zero(name: str) -> Callable[[str], float]:
        return lambda text: positive(name, number(text))

    def or_nothing(reader: Callable[[str], Any]) -> Callable[[str], Any]:
        return lambda text: reader(text) if text else None

    return {
        **{name: above_zero(name.partition("_")[0]) for name in ENDS.values()},
        "step": above_zero("step"),
        "folds": lambda text: whole("folds", whole_number(text)),
        "repeats": lambda text: whole("repeats", whole_number(text)),
        "holdout": or_nothing(lambda text: checked_share(number(text))),
        "jobs": or_nothing(lambda text: whole("jobs", whole_number(text))),
        "degree": or_nothing(lambda text: whole("degree", whole_number(text))),
        "coef0": or_nothing(number),
        "class_weight": or_nothing(OPTIONS["class_weight"].read),
        "time_limit": or_nothing(above_zero("time_limit")),
        "scheduler": or_nothing(checked),
    }


def extended(texts: Mapping[str, str], edges: tuple[str, ...]) -> dict[str, str]:
    """The ends on which the best cells lie, moved outwards; `edges` as Grid.edges names them."""
    from mcsvm_gui.core.base.options import number

    moved = {}
    for edge in edges:
        name, outwards = ENDS[edge], -EXTENDED_BY if edge.endswith("low") else EXTENDED_BY
        here = math.log2(number(texts[name]))
        there = min(max(here + outwards, LEAST), GREATEST)
        if (there - here) * outwards > 0.0:
            moved[name] = f"2^{there:.12g}"
    return moved


def parameters(texts: Mapping[str, str]) -> tuple[str, ...]:
    """That the kernel declares."""
    from solvers.kernels import KERNELS

    return KERNELS[texts["kernel"]].parameters if texts["kernel"] in KERNELS else ()
