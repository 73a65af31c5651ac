"""Words, parts of dates and joined categories: the column of the file is the player, and says what a row holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.explain.columns import ExplainedColumns, dense
from mcsvm_gui.core.explain.explanation import explain_rows, prepared_rows
from mcsvm_gui.core.explain.flips import flip_row
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train

TABLE = "when,note,size,colour,label\n" + "".join(
    f"2024-{1 + j % 12:02}-0{1 + j % 9} {j % 24:02}:15,{['corn wheat', 'gold silver'][j % 2]} {'abcde'[j % 5]}x,"
    f"{j % 7},{['red', 'blue', 'green', ''][j % 4]},{'ab'[j % 2]}\n"
    for j in range(40)
)


def test_a_column_is_one_player_whatever_it_became(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    read = ReadOptions(text=("note",), dates=("when",))
    dataset = open_dataset(path, read)
    rules = Rules(missing="category", min_frequency=11)
    trained = train(Request(kernel="linear", rules=rules, read=read), dataset).trained
    columns = ExplainedColumns.of(trained.preparation)
    assert set(columns.names) == {"when", "note", "size", "colour"}
    data = prepared_rows(trained, dataset, 20)
    rows, background = dense(data.rows), dense(data.background)
    found = explain_rows(trained, data, range(4))
    values = trained.model.decision(rows[:4]) - trained.model.decision(background).mean(axis=0)
    assert np.allclose(found.values.sum(axis=1), values)
    held = {name: columns.shown(rows[0], place) for place, name in enumerate(columns.names)}
    assert held["when"] == "2024-01-01 00:15"
    assert set(held["note"].split(", ")) == {"corn", "wheat", "ax"}
    assert held["colour"] == "others"
    assert columns.shown(rows[3], columns.names.index("colour")) == "missing"
    changed = flip_row(trained, dataset, data, 0)
    assert {change.column for change in changed.changes} <= {"size", "when"}
    assert set(changed.held) == {"note", "colour"}
