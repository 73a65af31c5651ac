"""From the texts of a form to the machine's part of a request, with a sentence for every entry that is wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.request import OPTIONS
from solvers.errors import InputError

ASKED = {name: option for name, option in OPTIONS.items() if option.train}
NAMES = tuple(name for name in ASKED if name in names.WORDS)  # chosen from lists
TYPED = tuple(name for name in ASKED if name not in names.WORDS)
# What is not named here is empty: nothing said, and the request's own default holds.
DEFAULTS = {
    name: option.default_text for name, option in ASKED.items() if option.train == "first" and option.default_text
}


def read_form(texts: Mapping[str, str], parameters: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """(values that differ from nothing said, what is wrong by field); `parameters` are those of the kernel."""
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
