"""A training that was stopped is continued, today or at the next start, and ends with the bits of one that was not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from journeys.hand import Hand
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.sources import data_of
from mcsvm_gui.core.tune.search import TuneRequest

pytestmark = pytest.mark.slow

PATIENCE = 300_000  # milliseconds for a training of some seconds beside a search on a loaded machine
IRIS = str(resources.dataset("iris"))
LONG: dict[str, Any] = {"machine": "ww", "solver": "smo", "C": 1e5, "gamma": 0.01, "tol": 1e-3}  # takes 5 s
SEARCH = TuneRequest(("llw",), Range(-2, 20, 0.25), Range(-10, 4, 0.25), folds=10, jobs=1)


def begin(hand: Hand, **more: Any) -> int:
    hand.work.open_data(IRIS)
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    (run,) = hand.work.train([hand.work.base_request(**{**LONG, **more})])
    hand.select_runs(run)
    hand.wait(lambda: hand.runs.live(run) is not None and hand.runs.live(run).iteration > 1000)
    return run


def seen(hand: Hand, name: str) -> bool:
    return hand.find(QPushButton, name).isVisible()


def bits(hand: Hand, run: int) -> tuple[bytes, ...]:
    model = hand.runs.model(run)
    return model.model.expansion.tobytes(), model.model.bias.tobytes(), model.duals.alpha.tobytes()


def uninterrupted(request: Request) -> tuple[bytes, ...]:
    trained = train(request, *data_of(request)).trained
    return trained.model.expansion.tobytes(), trained.model.bias.tobytes(), trained.duals.alpha.tobytes()


def test_a_stopped_training_is_continued_to_the_same_bits(open_window: Callable[[], Hand]) -> None:
    """By the button of its card, by the menu Run and by the context menu of the table."""
    hand = open_window()
    run = begin(hand)
    hand.click("stopKeepButton")
    hand.wait(lambda: not hand.active)
    record = hand.runs.record(run)
    assert record.ending == "stopped"
    steps = record.iterations
    hand.wait(lambda: not seen(hand, "stopKeepButton"))
    hand.click("continueButton")
    hand.wait(lambda: hand.runs.live(run) is not None and hand.runs.live(run).iteration > steps)
    hand.window.action("stopKeepAction").trigger()
    hand.wait(lambda: not hand.active)
    hand.close()
    hand = open_window()
    assert hand.runs.record(run).iterations > steps
    steps = hand.runs.record(run).iterations
    hand.go("Train")
    hand.select_runs(run)
    hand.wait(lambda: seen(hand, "continueButton"))
    hand.window.action("continueAction").trigger()
    hand.wait(lambda: hand.runs.live(run) is not None and hand.runs.live(run).iteration > steps)
    hand.click("stopKeepButton")
    hand.wait(lambda: not hand.active)
    table = hand.find(QWidget, "trainPage").findChild(QWidget, "runPanel")
    assert table is not None
    table._show_menu(QPoint(20, 5))  # type: ignore[attr-defined]
    menu = hand.find(QMenu, "runMenu")
    action = menu.findChild(QAction, "continueRunsAction")
    assert action is not None
    action.trigger()
    menu.close()
    hand.wait(lambda: bool(hand.active))
    hand.wait(lambda: not hand.active, PATIENCE)
    record = hand.runs.record(run)
    assert record.ending == "converged"
    assert bits(hand, run) == uninterrupted(record.request)
    hand.wait(lambda: not seen(hand, "continueButton"))
    assert hand.runs.ids() == [run], "it is the same run"
    hand.close()


def test_closing_can_leave_the_jobs_for_the_next_start(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    run = begin(hand)
    hand.work.settings["parallel_jobs"] = 2
    (waiting,) = hand.work.train([hand.work.base_request(**{**LONG, "gamma": 0.011})])  # a short one could end before
    hand.work.searches.start(replace(hand.work.base_request(), holdout=None), SEARCH, hand.work.dataset)
    (search,) = hand.work.searches.active
    assembly, steps = hand.window.assembly, hand.runs.live(run).iteration
    hand.window.close()
    assert hand.window.isVisible(), "it was asked first"
    hand.click("continueLaterButton", inside="leavingDialog")
    hand.wait(lambda: assembly.ended)
    hand.close()
    again = open_window()
    assert {record.id for record in again.runs.interrupted()} == {run, waiting}
    assert [cut.title for cut in again.work.searches.interrupted()] == [search.title]
    assert again.find(QWidget, "recoveryBar").isVisible()
    again.wait(lambda: again.work.dataset is not None)
    again.click("recoverGoOnButton")
    again.wait(lambda: again.runs.live(run) is not None)
    assert again.runs.live(run).iteration >= steps
    again.wait(lambda: waiting in again.active)
    again.work.queue.discard(waiting)
    again.wait(lambda: bool(again.work.searches.active))
    again.work.searches.stop(again.work.searches.active[0])
    again.wait(lambda: not again.active, PATIENCE)
    assert bits(again, run) == uninterrupted(again.runs.record(run).request)
    again.close()


def test_closing_in_the_search_for_the_best_model_trains_nothing(
    open_window: Callable[[], Hand], tmp_path: Path
) -> None:
    hand = open_window()
    hand.work.open_data(IRIS)
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    hand.click("findBestButton")
    hand.wait(lambda: hand.work.searches.active and hand.work.searches.active[0].progress is not None)
    hand.wait(lambda: hand.work.searches.active[0].progress.tried > 20)
    assembly = hand.window.assembly
    hand.window.close()
    hand.click("stopAllButton", inside="leavingDialog")
    hand.wait(lambda: assembly.ended)
    hand.close()
    again = open_window()
    assert again.runs.ids() == []
    assert again.work.searches.interrupted() == []
    again.close()


def test_a_run_that_converged_far_from_its_optimum_is_trained_on(
    open_window: Callable[[], Hand], tmp_path: Path
) -> None:
    """From its dual variables, with a smaller tolerance: it begins at the old objective and ends near the optimum."""
    path = tmp_path / "noise.csv"
    random = np.random.default_rng(0)
    rows = random.normal(size=(200, 40)).cumsum(axis=1)
    names = ",".join(f"a{i}" for i in range(40))
    lines = [",".join(f"{value:.4f}" for value in row) + f",c{random.integers(5)}" for row in rows]
    path.write_text("\n".join([f"{names},label", *lines]) + "\n", "utf-8")
    hand = open_window()
    hand.work.open_data(str(path))
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Train")
    (run,) = hand.work.train([hand.work.base_request(machine="llw", C=1000.0, gamma=5.0)])
    hand.select_runs(run)
    hand.wait(lambda: not hand.active)
    record = hand.runs.record(run)
    assert record.ending == "converged"
    assert record.relative_gap > 0.1
    hand.wait(lambda: hand.window.findChild(QPushButton, "step-tolerance") is not None)
    assert hand.window.findChild(QPushButton, "step-unsolved") is None
    hand.click("step-tolerance")
    hand.wait(lambda: len(hand.runs.ids()) == 2 and not hand.active, PATIENCE)
    further = hand.runs.record(hand.runs.ids()[-1])
    old, new = record.document["certificate"], further.document["certificate"]
    assert hand.runs.trace(further.id).table()["dual"][0] >= old["dual"] * (1.0 - 1e-9)
    assert further.relative_gap < 0.01
    assert new["dual"] >= old["dual"]
    assert further.request.tol < record.request.tol
    hand.wait(lambda: hand.window.findChild(QPushButton, "step-tolerance") is None)
    hand.close()
