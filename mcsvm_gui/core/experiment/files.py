"""Read and write experiments as TOML files."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import tomli_w

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.writing import Named, write_text
from mcsvm_gui.core.experiment.definition import Experiment
from mcsvm_gui.core.experiment.journal import Journal

LARGEST = 16_000_000  # bytes
HEAD = "# An experiment of mcsvm. Replay it with: mcsvm run FILE\n"


def read_experiment(path: Named, folder: Named | None = None) -> Experiment:
    """Read an experiment. Relative paths of data start at `folder`, or at the folder of the file."""
    try:
        with opened(path, LARGEST) as stream:
            text = stream.read(LARGEST).decode("utf-8")
        experiment = Experiment.from_document(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(str(path), "this is no TOML file: {reason}", reason=" ".join(str(error).split())) from None
    except FileError:
        raise
    except InputError as error:
        raise FileError(str(path), error.sentence) from None
    return _placed(experiment, Path(path).parent if folder is None else Path(folder))


def _placed(experiment: Experiment, folder: Path) -> Experiment:
    return _with_paths(experiment, lambda path: str(folder / path))


def _with_paths(experiment: Experiment, place: Callable[[str], str]) -> Experiment:
    data = tuple(
        replace(
            spec,
            path=place(spec.path),
            also=tuple(map(place, spec.also)),
            test=None if spec.test is None else place(spec.test),
        )
        for spec in experiment.data
    )
    return replace(experiment, data=data)


def keep_in(journal: Journal, experiment: Experiment) -> None:
    """Store an experiment in its file of results, with absolute paths."""
    journal.keep_experiment(_with_paths(experiment, os.path.abspath).document())


def experiment_in(journal: Journal) -> Experiment:
    """Return the experiment that a file of results belongs to; raise FileError if it stores none."""
    document = journal.experiment()
    if not isinstance(document, dict):
        raise FileError(journal.path, "this file of results does not say of which experiment it is; run it once more")
    try:
        return Experiment.from_document(document)
    except InputError as error:
        raise FileError(journal.path, error.sentence) from None


def check_names(experiment: Experiment) -> None:
    """Refuse names of data files that cannot be written to an experiment file."""
    for path in (one for spec in experiment.data for one in (spec.path, *spec.also, spec.test) if one is not None):
        if any("\ud800" <= letter <= "\udfff" for letter in path):
            raise FileError(path, "an experiment file is UTF-8 text and cannot hold this file name; rename the file")


def experiment_text(experiment: Experiment) -> str:
    document = experiment.document()
    plain = "\\r" not in repr(document)  # TOML would read a line end of two characters as one
    return HEAD + tomli_w.dumps(document, multiline_strings=plain)


def write_experiment(path: Named, experiment: Experiment) -> None:
    """Write an experiment with absolute paths of its data."""
    check_names(experiment)
    write_text(path, experiment_text(_with_paths(experiment, os.path.abspath)))
