"""Export the points as a table that any program can read, and the machines on them as an experiment."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from mcsvm_gui.core.base.writing import csv_text, write_text
from mcsvm_gui.core.playground.drawing import Drawing
from mcsvm_gui.core.playground.fit_options import FitOptions


def table(drawing: Drawing) -> str:
    """Return the points as CSV; classes have their numbers on the canvas, from 1 on."""
    rows = zip(drawing.places.tolist(), drawing.classes.tolist(), strict=True)
    return csv_text(("x", "y", "class"), ((repr(x), repr(y), number + 1) for (x, y), number in rows))


def write_table(path: str, drawing: Drawing) -> None:
    write_text(path, table(drawing))


def write_experiment_of(path: str, drawing: Drawing, setting: FitOptions) -> str:
    """Write an experiment and, in a new file next to it, the points as drawn, not scaled; return the file's name."""
    from mcsvm_gui.core.data.options import Rules
    from mcsvm_gui.core.experiment import Experiment, write_experiment

    points = _unused(Path(path))
    write_table(str(points), drawing)
    rules = Rules(scale="none")
    runs = [(name, setting.request(name, data=str(points), rules=rules)) for name in setting.machines]
    write_experiment(path, Experiment.of_requests("Playground", runs))
    return str(points)


def _unused(path: Path) -> Path:
    """Return a path for the table that no file uses yet."""
    names = (path.with_name(f"{path.stem}-points{number or ''}.csv") for number in count())
    return next(name for name in names if not name.exists())
