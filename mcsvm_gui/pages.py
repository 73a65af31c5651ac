"""The pages, one function and one line in PAGES each: a view, its presenter, and their connections.

A page's modules are imported when it is created: the window appears before all pages but the first exist.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.shell.main_window import MainWindow
    from mcsvm_gui.ui.shell.presenter import ShellPresenter


class Desk(QObject):
    """The part of the assembly that the functions of pages use."""

    window: MainWindow
    workspace: Workspace
    shell: ShellPresenter

    def show(self, page: str, what: str = "") -> None:
        """Show a page, and in it `what`: a tab, a stop of a tour, or "model" for the selected run."""
        raise NotImplementedError

    def page(self, name: str) -> Any:
        """Return the presenter of a page."""
        raise NotImplementedError

    def open_example(self, name: str) -> None:
        raise NotImplementedError


def data(desk: Desk) -> Any:
    from mcsvm_gui.ui.data.page import DataPage
    from mcsvm_gui.ui.data.presenter import DataPresenter

    page = DataPage()
    desk.window.add_page("data", page)
    page.example_chosen.connect(desk.open_example)
    return DataPresenter(page, desk.workspace, desk)


def train(desk: Desk) -> Any:
    from mcsvm_gui.core.project.columns import columns
    from mcsvm_gui.ui.runs.presenter import RunListPresenter
    from mcsvm_gui.ui.runs.table import RunPanel
    from mcsvm_gui.ui.train.baselines import Baselines
    from mcsvm_gui.ui.train.find_best import FindBest
    from mcsvm_gui.ui.train.leaderboard import LeaderboardPresenter
    from mcsvm_gui.ui.train.next_steps import NextSteps
    from mcsvm_gui.ui.train.page import TrainPage
    from mcsvm_gui.ui.train.presenter import TrainPresenter
    from mcsvm_gui.ui.train.reuse import Reuse
    from mcsvm_gui.ui.train.uncertified import Uncertified

    page, table = TrainPage(), RunPanel(columns())
    page.set_run_table(table)
    desk.window.add_page("train", page)
    presenter = TrainPresenter(page, desk.workspace, desk)
    page.tour_asked.connect(lambda stop: desk.show("playground", stop))
    RunListPresenter(table, desk.workspace, presenter)
    board = LeaderboardPresenter(page, desk.workspace, presenter)
    page.board.continue_asked.connect(desk.workspace.continue_runs)
    finder = FindBest(page, presenter, board)
    Baselines(page, presenter, board)
    Uncertified(presenter)
    Reuse(page, presenter)
    NextSteps(page, board, desk.workspace, finder.start).page_asked.connect(desk.show)
    return presenter


def tune(desk: Desk) -> Any:
    from mcsvm_gui.ui.tune.page import TunePage
    from mcsvm_gui.ui.tune.presenter import TunePresenter

    page = TunePage()
    desk.window.add_page("tune", page)
    page.tour_asked.connect(lambda stop: desk.show("playground", stop))
    return TunePresenter(page, desk.workspace, desk)


def compare(desk: Desk) -> Any:
    from mcsvm_gui.core.project.columns import columns
    from mcsvm_gui.ui.compare.page import ComparePage
    from mcsvm_gui.ui.compare.presenter import ComparePresenter
    from mcsvm_gui.ui.runs.presenter import RunListPresenter
    from mcsvm_gui.ui.runs.table import RunPanel

    page, table = ComparePage(), RunPanel(columns())
    page.set_run_table(table)
    desk.window.add_page("compare", page)
    presenter = ComparePresenter(page, desk.workspace, desk)
    RunListPresenter(table, desk.workspace, presenter)

    def explain_rows(run: int | None, which: str, **more: Any) -> None:
        desk.show("explain")
        desk.page("explain").show_rows(run, which, **more)

    page.cell_chosen.connect(lambda run, true, decided: explain_rows(run, "all", true=true, decided=decided))
    page.disagreement_chosen.connect(lambda row: explain_rows(None, "apart", row=row))
    return presenter


def explain(desk: Desk) -> Any:
    from mcsvm_gui.ui.explain.page import ExplainPage
    from mcsvm_gui.ui.explain.presenter import ExplainPresenter

    page = ExplainPage()
    desk.window.add_page("explain", page)
    return ExplainPresenter(page, desk.workspace, desk)


def playground(desk: Desk) -> Any:
    from mcsvm_gui.ui.playground.page import PlaygroundPage
    from mcsvm_gui.ui.playground.presenter import PlaygroundPresenter

    page = PlaygroundPage()
    desk.window.add_page("playground", page)
    presenter = PlaygroundPresenter(page, desk.workspace, desk)
    desk.shell.add_undo_stack("playground", presenter.undo_stack)
    return presenter


def predict(desk: Desk) -> Any:
    from mcsvm_gui.ui.predict.page import PredictPage
    from mcsvm_gui.ui.predict.presenter import PredictPresenter

    page = PredictPage()
    desk.window.add_page("predict", page)
    return PredictPresenter(page, desk.workspace, desk)


PAGES: dict[str, Callable[[Desk], Any]] = {
    "data": data,
    "train": train,
    "tune": tune,
    "compare": compare,
    "explain": explain,
    "playground": playground,
    "predict": predict,
}

HEAVY = {  # slow imports of pages, 0.2 to 2 s, done in a worker thread before the pages are created
    "tune": "mcsvm_gui.core.data.splitting",
    "compare": "mcsvm_gui.core.compare.evaluated_runs",
    "explain": "mcsvm_gui.core.explain.looked_at",
}


def load(name: str) -> None:
    """Import the slow modules of a page; any thread may call this."""
    if name in HEAVY:
        import_module(HEAVY[name])
