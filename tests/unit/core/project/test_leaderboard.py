"""Who is on the leaderboard, and where."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from run_examples import document, record

from mcsvm_gui.core.project.leaderboard import MOST, leaderboard_columns, peers, places, standings
from mcsvm_gui.core.project.records import RunRecord


def ended(run: int, accuracy: float | None, **request: object) -> RunRecord:
    made = record(run, document=document(run, test_accuracy=accuracy, n_test=200))
    return replace(made, plain_request={**made.plain_request, "seed": 0, "digest": "d", "holdout": 0.3, **request})


@given(st.lists(st.one_of(st.none(), st.sampled_from([0.5, 0.7, 0.9])), max_size=12))
def test_equal_ones_share_the_place_that_the_first_of_them_has(values: list[float | None]) -> None:
    wanted = [None if v is None else 1 + sum(w is not None and w > v for w in values) for v in values]
    assert places(values) == wanted


def test_ties_are_marked_and_who_was_not_tested_has_no_place() -> None:
    runs = [ended(1, 0.9), ended(2, 0.8), ended(3, 0.9), ended(4, None)]
    found = standings(runs, {}, {})
    column = next(column for column in leaderboard_columns(lambda: found) if column.name == "place")
    assert [column.text(run) for run in runs] == ["=1", "3", "=1", "–"]  # noqa: RUF001


def test_only_runs_on_the_same_rows_are_peers() -> None:
    mine = ended(1, 0.9)
    others = [ended(2, 0.8), ended(3, 0.7, seed=1), ended(4, 0.7, digest="e"), ended(5, 0.7, holdout=0.2)]
    running = replace(ended(6, None), state="running", document=None)
    failed = replace(ended(7, None), state="failed", document=None)
    assert [run.id for run in peers(mine, [mine, *others, running, failed])] == [1, 2, 6]


def test_of_many_the_best_are_shown() -> None:
    runs = [ended(run, run / 1000) for run in range(1, MOST + 20)]
    assert [run.id for run in peers(runs[0], runs)] == list(range(MOST + 19, 19, -1))


def test_runs_that_leave_rows_out_have_other_test_rows() -> None:
    mine, mean, left_out = (ended(n, 0.9, rules={"missing": m}) for n, m in enumerate(("reject", "mean", "drop"), 1))
    assert [run.id for run in peers(mine, [mine, mean, left_out])] == [1, 2]
    assert [run.id for run in peers(left_out, [mine, mean, left_out])] == [3]


def test_runs_without_baselines_load_nothing_for_them() -> None:
    """The standings are shown by the window's thread, where an import is a stall."""
    code = (
        "import sys; from mcsvm_gui.core.project.leaderboard import known_baselines;"
        "assert known_baselines(None, 1) == known_baselines({}, 1) == ();"
        "assert 'mcsvm_gui.core.compare.baselines' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
