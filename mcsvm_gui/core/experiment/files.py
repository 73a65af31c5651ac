"""Experiments as TOML files."""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import tomli_w

from mcsvm_gui.core.errors import FileError
from mcsvm_gui.core.experiment.definition import Experiment
from mcsvm_gui.core.writing import Named, write_text
from solvers.errors import InputError

LARGEST = 16_000_000  # bytes
HEAD = "# An experiment of mcsvm. Replay it with: mcsvm run FILE\n"


def read_experiment(path: Named, folder: Named | None = None) -> Experiment:
    """Relative paths of data begin at `folder`, or where the file is."""
    try:
        if os.path.getsize(path) > LARGEST:
            raise FileError(str(path), "this is too large to be an experiment")
        experiment = Experiment.from_document(tomllib.loads(Path(path).read_text("utf-8")))
    except FileNotFoundError:
        raise FileError(str(path), "there is no such file") from None
    except OSError as error:
        raise FileError(str(path), f"the file cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(str(path), f"this is no TOML file: {' '.join(str(error).split())}") from None
    except FileError:
        raise
    except InputError as error:
        raise FileError(str(path), str(error)) from None
    return _placed(experiment, Path(path).parent if folder is None else Path(folder))


def _placed(experiment: Experiment, folder: Path) -> Experiment:
    data = tuple(
        replace(spec, path=str(folder / spec.path), test=None if spec.test is None else str(folder / spec.test))
        for spec in experiment.data
    )
    return replace(experiment, data=data)


def experiment_text(experiment: Experiment) -> str:
    return HEAD + tomli_w.dumps(experiment.document(), multiline_strings=True)


def write_experiment(path: Named, experiment: Experiment) -> None:
    """Paths of data are written as they can be found from anywhere."""
    data = tuple(
        replace(spec, path=os.path.abspath(spec.path), test=None if spec.test is None else os.path.abspath(spec.test))
        for spec in experiment.data
    )
    write_text(path, experiment_text(replace(experiment, data=data)))
