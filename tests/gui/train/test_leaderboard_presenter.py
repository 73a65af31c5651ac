"""When the leaderboard concludes: of runs that have ended, and not before the one that a search chose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_queue import FakeQueue
from page_desk import FormView, PageDesk
from PySide6.QtCore import Signal
from pytestqt.qtbot import QtBot
from run_examples import document

from mcsvm.solvers.run.trace import Trace
from mcsvm_gui.core.machine.session import Outcome
from mcsvm_gui.ui.train.leaderboard import CHOSEN, LeaderboardPresenter


class View(FormView):
    chosen, step_asked, use_asked = Signal(list), Signal(object), Signal()

    def __init__(self) -> None:
        super().__init__()
        self.said = ""

    def show_conclusion(self, words: str, steps: Any, quality: str, verdict: str, tip: str) -> None:
        self.said = words

    def show_standings(self, records: Any, standings: Any) -> None: ...
    def put_standing(self, record: Any) -> None: ...
    def choose(self, runs: Any) -> None: ...


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[PageDesk]:
    made = PageDesk(tmp_path / "a.mcsvmproj", FakeQueue(), View(), LeaderboardPresenter)
    qtbot.waitUntil(lambda: made.collection.loaded)
    made.open()
    yield made
    made.space.tasks.shut_down(5000)
    made.collection.close()


def ended(run: int) -> Outcome:
    return Outcome(None, document(run, test_accuracy=0.9, n_test=45), Trace(), ())  # type: ignore[arg-type]


def test_nothing_is_concluded_while_what_a_search_chose_is_trained(desk: PageDesk, qtbot: QtBot) -> None:
    """The chosen one is calibrated, fold after fold, and the others end before it."""
    queue, board = desk.space.queue, desk.presenter
    requests = [desk.space.base_request(machine=machine) for machine in ("ovo", "ww")]
    best, other = desk.space.train(requests)
    desk.collection.keep_setting(CHOSEN, {str(best): {"mean": 0.95, "chosen": True}, str(other): {"mean": 0.9}})
    for run in (best, other):
        queue.run(run)  # type: ignore[attr-defined]
    queue.end(other, ended(other))  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: other in board._scores and not desk.space.tasks.busy and not board._soon.isActive())
    assert (board.conclusion, desk.presenter._view.said) == (None, "")
    queue.end(best, ended(best))  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: board.conclusion is not None)
    assert board.conclusion.run == best
    assert desk.presenter._view.said.startswith("Best model: ")
    assert f"({desk.collection.record(best).name})" in desk.presenter._view.said
