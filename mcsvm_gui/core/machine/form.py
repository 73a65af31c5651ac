"""Read the texts of a form into the machine's part of a request, with a sentence for every wrong entry."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.base.options import number, written
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.request import OPTIONS, Request

ASKED = {name: option for name, option in OPTIONS.items() if option.train}
NAMES = tuple(name for name in ASKED if name in names.TITLES)  # chosen from lists
TYPED = tuple(name for name in ASKED if name not in names.TITLES)
# Fields without an entry here are empty at first; the request's own default applies.
DEFAULTS = {
    name: option.default_text for name, option in ASKED.items() if option.train == "first" and option.default_text
}

BALANCED, BY_HAND = "balanced", "hand"


def read_form(texts: Mapping[str, str], parameters: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the entered values, and the errors by field; `parameters` are those of the kernel."""
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name, option in ASKED.items():
        text = texts.get(name, "").strip()
        if not text or (option.of_kernel and name not in parameters):
            continue
        try:
            values[name] = option.read(text)
        except InputError as error:
            errors[name] = worded(error)
    return values, errors


def texts_of(request: Request) -> dict[str, str]:
    """Return the texts of a form that has the settings of a request."""
    texts = {}
    for name, option in ASKED.items():
        value = getattr(request, name)
        said = value is not None and (name in DEFAULTS or value != option.default)
        texts[name] = option.kind.written(value) if said else ""
    return texts


# -- class weights --------------------------------------------------------------------------------


def class_factors(entry: str, totals: Mapping[str, float]) -> tuple[str, dict[str, str]]:
    """Return how an entry weighs classes (not at all, balanced, by hand), and the factor of each class as text.

    `totals` has the number of rows of each class, or the sum of their weights. An invalid entry weighs nothing.
    """
    try:
        value = ASKED["class_weight"].read(entry.strip()) if entry.strip() else None
    except InputError:
        value = None
    if value is None:
        return "", dict.fromkeys(totals, "1")
    if value == BALANCED:
        mean = sum(totals.values()) / len(totals)
        return BALANCED, {name: f"{mean / total:.4g}" for name, total in totals.items()}
    given = dict(value)
    return BY_HAND, {name: written(given.get(name, 1.0)) for name in totals}


def class_weight_text(factors: Mapping[str, str]) -> str:
    """Return the entry for factors typed by hand, without factors of 1. Raise InputError for an invalid factor."""
    option = ASKED["class_weight"]
    values = {name: _factor(name, text) for name, text in factors.items()}
    said = {name: value for name, value in values.items() if value != 1.0}
    return option.kind.written(option.kind.loaded(said)) if said else ""


def _factor(name: str, text: str) -> float:
    try:
        return number(text.strip())
    except InputError as error:
        raise InputError("class {name}: {error}", name=name, error=error) from None
