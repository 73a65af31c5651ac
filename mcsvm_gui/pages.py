"""The pages, one function and one line in PAGES each: a view, its presenter, and what else it is connected to.

What a page needs is imported where it is made: the window stands before the pages behind the first one do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcsvm_gui.assembly import Assembly


def data(assembly: Assembly) -> Any:
    from mcsvm_gui.presenters.data import DataPresenter
    from mcsvm_gui.views.data_page import DataPage

    page = DataPage()
    assembly.window.add_page("data", page)
    return DataPresenter(page, assembly.workspace, assembly)


def train(assembly: Assembly) -> Any:
    from mcsvm_gui.core.project.columns import columns
    from mcsvm_gui.presenters.run_list import RunListPresenter
    from mcsvm_gui.presenters.train import TrainPresenter
    from mcsvm_gui.views.run_table import RunPanel
    from mcsvm_gui.views.train_page import TrainPage

    page, table = TrainPage(), RunPanel(columns())
    page.set_run_table(table)
    assembly.window.add_page("train", page)
    presenter = TrainPresenter(page, assembly.workspace, assembly)
    RunListPresenter(table, assembly.workspace, presenter)
    return presenter


def predict(assembly: Assembly) -> Any:
    from mcsvm_gui.presenters.predict import PredictPresenter
    from mcsvm_gui.views.predict_page import PredictPage

    page = PredictPage()
    assembly.window.add_page("predict", page)
    return PredictPresenter(page, assembly.workspace, assembly)


PAGES: dict[str, Callable[[Assembly], Any]] = {"data": data, "train": train, "predict": predict}
