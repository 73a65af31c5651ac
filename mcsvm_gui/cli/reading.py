"""Read options into values: the request, the way to read files, and the files themselves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.options import Option, options_of
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.machine.request import OPTIONS, Request
from mcsvm_gui.core.machine.trained import TrainedModel


def read_options(options: argparse.Namespace, before: ReadOptions | None = None) -> ReadOptions:
    return replace(before or ReadOptions(), **given_values(options_of(ReadOptions), options))


def request_of(options: argparse.Namespace) -> Request:
    """Return the request of the options; names that only the solvers know are checked by them."""
    rules = Rules(**given_values(options_of(Rules), options))
    return Request(
        **{**given_values(OPTIONS, options), "rules": rules, "read": read_options(options), "data": options.data}
    )


def given_values(table: Mapping[str, Option], options: argparse.Namespace) -> dict[str, Any]:
    """Return the values of the given options."""
    given = {name: getattr(options, name, None) for name, option in table.items() if option.commands}
    return {
        name: table[name].read_argument(value) if isinstance(value, str) else value
        for name, value in given.items()
        if value is not None
    }


@contextmanager
def naming(argument: str) -> Iterator[None]:
    """Add the argument's name to an error of its value."""
    try:
        yield
    except InputError as error:
        raise InputError("{argument}: {error}", argument=argument, error=error) from None


def with_missing_rule(trained: TrainedModel, options: argparse.Namespace) -> TrainedModel:
    """Return the model with the requested rule for missing cells; scaling is the model's own."""
    rules = trained.preparation.rules
    if options.scale not in (None, rules.scale):
        raise InputError(f"--scale {options.scale}: the model scales its features itself ({rules.scale}); leave it out")
    if options.missing in (None, rules.missing):
        return trained
    changed = replace(rules, missing=options.missing)
    if changed.fills:
        raise InputError(
            f"--missing {options.missing}: the model was trained with --missing {rules.missing} and knows no values"
            " to fill in; train it again, or say drop"
        )
    return replace(trained, preparation=replace(trained.preparation, rules=changed))
