"""Reports to look at: of a comparison with hostile names, of a project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mcsvm_gui.core.base.arrays import packed
from mcsvm_gui.core.base.writing import csv_text
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.experiment import DataSpec, Experiment, Plan, Results, RunSpec, perform
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.project.store import Change, ProjectStore

SCRIPT = "<script>document.title='taken'</script>"
HOSTILE = (
    SCRIPT,
    "\" onload='x' & <b>bold</b> --> ]]> </title></style>",
    "long " + "x" * 10_000,
    "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u202etxet",
    r"\input{/etc/passwd} $x^2$ %_#~ | `code` **b** [a](javascript:b)",
)


def hostile_file(folder: Path) -> Path:
    """Five classes and two columns whose names may do harm."""
    rng = np.random.default_rng(0)
    rows = [
        (*map(repr, point), HOSTILE[place]) for place in range(5) for point in rng.normal(place, 0.6, (12, 2)).tolist()
    ]
    path = folder / "hostile.csv"
    path.write_text(csv_text(("<img src=x onerror=alert(1)>", "a|b$c", "label"), rows), "utf-8")
    return path


def hostile_results(folder: Path) -> Results:
    data = DataSpec("<script>data</script>", str(hostile_file(folder)), rules=Rules(scale="standard"))
    runs = tuple(RunSpec(data.name, label, Request(machine=name)) for name, label in (("ww", "ww"), ("ovo", SCRIPT)))
    plan = Plan("folds", folds=2, whole=True)
    return perform(Experiment("Title <i>& </title>", plan, (data,), runs, note="A note: <b>bold</b> & $x$"))


def written_project(path: Path, requests: Sequence[Request], names: Sequence[str]) -> list[Outcome]:
    """A project as the window would leave it."""
    outcomes, changes = [], []
    for number, (request, name) in enumerate(zip(requests, names, strict=True), 1):
        assert request.data is not None
        outcome = train(request, open_dataset(request.data, request.read))
        record = RunRecord(
            number,
            "2026-01-02T03:04:05+00:00",
            name,
            Path(request.data).name,
            request.document(),
            state="done",
            document=outcome.document,
        )
        parts = {"trace": packed(outcome.trace.pack()), "model": model_file.packed(outcome.trained)}
        changes.append(Change(record, parts=parts))
        outcomes.append(outcome)
    store = ProjectStore(path)
    store.write(changes)
    store.close()
    return outcomes
