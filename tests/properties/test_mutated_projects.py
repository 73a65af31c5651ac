"""Projects whose tables were altered: a report is written, or refused in one line."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, mcsvm
from report_makers import written_project

from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.run_document import OPTIONAL, REQUIRED, check_document
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.tune import cells as tuning_cells
from mcsvm_gui.core.tune import document as tuning_document
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuning

MUTATIONS = 20  # of each test
IRIS = str(ROOT / "resources" / "datasets" / "iris.csv")
VALUES = 0, -1, 1, 2.5, 1e308, 2**70, None, True, "", "x", "ww", "\x1b[31m", "2026-13-45", [], [1], {}, {"a": 1}
CELLS = 0, -1, "text", b"\xff\x00", 1.5, "{}", "[]", '{"value": 3}', "null", 2**62, "", "NaN"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, one of them calibrated, and a search."""
    path = tmp_path_factory.mktemp("mutated") / "p.mcsvmproj"
    requests = [
        Request(machine="ww", holdout=0.3, data=IRIS),
        Request(machine="ovo", holdout=0.3, data=IRIS, calibrate="temperature"),
    ]
    written_project(path, requests, ["one", "two"])
    wanted = TuneRequest(C=Range(-1, 1, 2), gamma=Range(-1, 1, 2), folds=2)
    tuned = Tuning(Request(data=IRIS, tol=0.01), wanted, open_dataset(IRIS)).run()
    asked = tuning_document.asked_document(tuned.tuning.request, tuned.tuning.wanted)
    cells = {("a" * 64, *cell): tuning_cells.document(result) for cell, result in tuned.results.items()}
    store = ProjectStore(path)
    store.write(settings={tuning_cells.setting_of("a" * 64): {**asked, "classes": ["a"]}}, cells=cells)
    store.close()
    return path


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(1, 6))])
def test_a_report_is_written_or_refused(seed: int, project: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rng, altered = random.Random(seed), tmp_path / "p.mcsvmproj"
    written = 0
    for _ in range(MUTATIONS):
        shutil.copy(project, altered)
        what = mutate(rng, altered)
        with warnings.catch_warnings(record=True, action="always") as warned:
            answer = mcsvm("report", altered, "-o", tmp_path / "r.md")
        said = f"seed {seed}: {what}: {answer}"
        assert [str(one.message) for one in warned] == [], said
        assert answer.code in (0, 2), said
        assert answer.code == 0 or answer.complaint, said
        written += answer.code == 0
    assert written > MUTATIONS // 2, "most of a project is still there"


@pytest.mark.slow
def test_what_every_training_writes_is_accepted_and_nothing_less(project: Path) -> None:
    store = ProjectStore(project)
    records = store.records()
    store.close()
    assert [record.state for record in records] == ["done", "done"]
    for record in records:
        assert record.document is not None
        document = dict(record.document)
        check_document(document)
        for name in REQUIRED:
            with pytest.raises(ValueError, match=f"it has no {name}$"):
                check_document({key: value for key, value in document.items() if key != name})
        for name in document.keys() & (REQUIRED.keys() | OPTIONAL.keys()):
            with pytest.raises(ValueError, match=f"its {name} is none of a training$"):
                check_document({**document, name: object()})


def mutate(rng: random.Random, path: Path) -> list[object]:
    """Alter one or two cells of the tables, most of them inside the documents."""
    what: list[object] = []
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    for _ in range(rng.choice((1, 1, 2))):
        table = rng.choice(("runs", "runs", "runs", "parts", "settings", "cells"))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        documents = [name for name in columns if name in ("document", "request", "value", "content")]
        column = rng.choice(columns + 3 * documents)
        row, value = rng.choice(connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall())
        new = altered_value(rng, value)
        what.append((table, row, column, new if not isinstance(new, str) else new[:2000]))
        try:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))
        except sqlite3.Error:
            what.append("which the table refuses")
    connection.close()
    return what


def altered_value(rng: random.Random, value: Any) -> Any:
    if isinstance(value, bytes) and rng.random() < 0.6:
        place = rng.randrange(len(value))
        return value[:place] if rng.random() < 0.3 else value[:place] + bytes([rng.randrange(256)]) + value[place + 1 :]
    if isinstance(value, str) and value.startswith(("{", "[")) and rng.random() < 0.9:
        document = json.loads(value)
        paths = list(leaves(document))
        if paths:
            *path, last = rng.choice(paths)
            holder = document
            for key in path:
                holder = holder[key]
            if rng.random() < 0.3:
                del holder[last]
            else:
                holder[last] = rng.choice(VALUES)
            return json.dumps(document)
    return rng.choice(CELLS)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from leaves(inner, (*path, key))
