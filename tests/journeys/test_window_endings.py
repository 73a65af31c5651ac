"""A window may be closed at any moment: no thread outlives it, and no word of Qt about one that does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from journeys.hand import Hand

from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.tune.search import TuneRequest
from mcsvm_gui.ui.threads import thread as threads

pytestmark = pytest.mark.slow

LONG = TuneRequest(("llw",), Range(-2, 20, 0.25), Range(-10, 4, 0.25), folds=10, jobs=1)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("endings") / "large.csv"
    values = np.random.default_rng(0).integers(0, 1000, size=(60_000, 6))
    lines = [",".join(map(str, row)) + f",{row[0] % 3}\n" for row in values.tolist()]
    path.write_text("a,b,c,d,e,f,label\n" + "".join(lines), "utf-8")
    return path


def no_work(hand: Hand, large: Path) -> None:
    pass


def reading(hand: Hand, large: Path) -> None:
    hand.work.open_data(str(large))


def looking(hand: Hand, large: Path) -> None:
    """At its counts, its advice, its two widest directions."""
    hand.work.open_data(str(large))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.bot.wait(60)


def reading_rows_to_test_on(hand: Hand, large: Path) -> None:
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.open_test(str(large))


def training(hand: Hand, large: Path) -> None:
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    request = hand.work.base_request(machine="llw", solver="smo", C=1e4, gamma=0.01, tol=1e-9)
    hand.work.train(3 * [request])


def searching(hand: Hand, large: Path) -> None:
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.work.searches.start(replace(hand.work.base_request(), holdout=None), LONG, hand.work.dataset)
    hand.wait(lambda: tried(hand) > 5)


def tried(hand: Hand) -> int:
    (search,) = hand.work.searches.active
    return 0 if search.progress is None else search.progress.tried


def test_leaving_asks_about_a_search_and_keeps_its_cells(open_window: Callable[[], Hand], large: Path) -> None:
    hand = open_window()
    searching(hand, large)
    training(hand, large)
    (search,) = hand.work.searches.active
    assembly, before = hand.window.assembly, tried(hand)
    hand.window.close()
    assert hand.window.isVisible(), "it was asked first"
    assert "4" in hand.text("leavingQuestion")
    hand.click("stopAllButton", inside="leavingDialog")
    hand.wait(lambda: assembly.ended)
    hand.close()
    again = open_window()
    cells = again.work.searches.cells
    again.wait(lambda: cells.ready(search.conditions))
    assert sum(result.folds for result in cells.of(search.conditions).values()) >= before
    assert again.work.searches.interrupted() == []
    states = {again.runs.record(run).state for run in again.runs.ids()}
    assert states <= {"done", "discarded"}
    assert "done" in states
    again.close()


@pytest.mark.parametrize("work", [no_work, reading, looking, reading_rows_to_test_on, training, searching])
def test_closing_ends_whatever_is_under_way(
    open_window: Callable[[], Hand], large: Path, work: Callable[[Hand, Path], None]
) -> None:
    others = set(threads.running())
    hand = open_window()
    work(hand, large)
    assembly = hand.window.assembly
    hand.work.settings["confirm_close"] = False
    hand.window.close()
    hand.wait(lambda: assembly.ended)
    hand.work.open_data(str(large))
    assert set(threads.running()) <= others, "nothing begins after the end"
    hand.close()
