"""Chosen runs as an experiment: a file that redoes all of them from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from mcsvm_gui.core.experiment import DataSpec, Experiment, Plan, RunSpec
from mcsvm_gui.core.request import Request
from solvers.errors import InputError


def experiment_of(title: str, runs: Sequence[tuple[str, Request]]) -> Experiment:
    """(name, request) of each. Every run keeps its own hold-out, so its numbers come again."""
    specs: dict[Any, DataSpec] = {}
    found = []
    for name, request in runs:
        if request.data is None:
            raise InputError(f"{name} does not say what file it was trained on, so it cannot be redone from a file")
        key = request.data, request.test, request.digest, request.read, request.rules
        if key not in specs:
            specs[key] = DataSpec(
                _unused(request.data, [spec.name for spec in specs.values()]),
                request.data,
                test=request.test,
                digest=request.digest,
                read=request.read,
                rules=request.rules,
            )
        found.append(RunSpec(specs[key].name, name, request))
    return Experiment(title, Plan("none"), tuple(specs.values()), tuple(found))


def _unused(path: str, names: Sequence[str]) -> str:
    stem, number = PurePath(path).stem or "data", 2
    name = stem
    while name in names:
        name, number = f"{stem} ({number})", number + 1
    return name
