"""From options to values: the request, how to read files, and the files themselves."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.data.readers import ReadOptions
from mcsvm_gui.core.machine import request as requests
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import TrainedModel
from solvers.errors import InputError

READ = "label", "format", "header", "separator", "decimal", "encoding"
RULES = "scale", "missing"
NUMBERS = "C", "coef0", "margin", "tol", "gap_tol", "time_limit", "cache_mb", "holdout"
WHOLE = "degree", "max_iter", "threads", "seed"
WORDS = "machine", "solver", "kernel", "bias"
PARSERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(NUMBERS, requests.number),
    **dict.fromkeys(WHOLE, requests.whole_number),
    **dict.fromkeys(WORDS, str),
    "gamma": requests.gamma,
    "class_weight": requests.class_weight,
}


def read_options(options: argparse.Namespace, before: ReadOptions | None = None) -> ReadOptions:
    return replace(before or ReadOptions(), **_given(options, READ))


def request_of(options: argparse.Namespace) -> Request:
    """What the user asked for; names that only the solvers know are judged by them."""
    values = {name: _parsed(name, text) for name, text in _given(options, PARSERS).items()}
    rules = Rules(**_given(options, RULES))
    return Request(**values, rules=rules, read=read_options(options), data=options.data, test=options.test)


def _given(options: argparse.Namespace, names: Any) -> dict[str, str]:
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _parsed(name: str, text: str) -> Any:
    try:
        return PARSERS[name](text)
    except InputError as error:
        raise InputError(f"--{name.replace('_', '-')}: {error}") from None


def with_missing_rule(trained: TrainedModel, options: argparse.Namespace) -> TrainedModel:
    """A model whose rows with missing cells are treated as asked now; scaling is the model's own."""
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
