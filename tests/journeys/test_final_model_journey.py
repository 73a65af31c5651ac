"""The final model: tested on held-out rows, trained on all of them; and the settings of a run, used again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QTableView

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.verification import verify
from mcsvm_gui.core.machine import model_file

pytestmark = pytest.mark.slow


def trained(hand: Hand, data: str = "iris", button: str = "startButton") -> int:
    hand.work.open_data(str(resources.dataset(data)))
    hand.wait(lambda: hand.work.dataset is not None and not hand.work.tasks.busy)
    hand.work.set_preparation(holdout=0.3)
    hand.go("Train")
    hand.type("costEdit", "7")
    hand.click(button)
    hand.wait(lambda: bool(hand.text("conclusionLabel")) and not hand.active and not hand.work.tasks.busy)
    return hand.runs.ids()[0]


def test_a_button_trains_the_tested_settings_on_all_rows(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    hand = open_window()
    tested = hand.runs.record(trained(hand))
    board = hand.find(QTableView, "leaderboard")
    hand.click("step-refit")
    hand.wait(lambda: len(hand.runs.ids()) == 2 and not hand.active)
    final = hand.runs.record(hand.runs.ids()[1])
    hand.wait(lambda: f"The final model, {final.name}, is trained on all 150 rows" in hand.text("conclusionLabel"))
    assert (final.n_train, tested.n_train) == (150, 105)
    assert final.document["refit"]["tested"]["test_accuracy"] == tested.test_accuracy
    assert board.runs.shown() == [tested.id], "the final model was not tested itself"  # type: ignore[attr-defined]
    assert "was not tested itself" in hand.text("resultLabel")
    hand.click("saveBestButton")
    hand.answer_file(tmp_path / "final.mcsvm")
    hand.wait(lambda: "final.mcsvm" in hand.text("conclusionNote"))
    model = model_file.load(tmp_path / "final.mcsvm")
    assert model.origin.n_train == 150
    assert verify(model, open_dataset(str(resources.dataset("iris")))).holds
    hand.close()


def test_with_the_check_on_the_final_model_follows_by_itself(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.go("Train")
    hand.find(QCheckBox, "refitCheck").setChecked(True)
    trained(hand)
    hand.wait(lambda: len(hand.runs.ids()) == 2 and not hand.active and not hand.work.tasks.busy)
    assert hand.runs.record(hand.runs.ids()[1]).n_train == 150
    hand.wait(lambda: "The final model" in hand.text("conclusionLabel"))
    assert len(hand.runs.ids()) == 2
    hand.close()


def test_the_settings_of_a_run_go_into_the_form(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    run = trained(hand)
    hand.type("costEdit", "1")
    hand.choose("machineCombo", "ovo")
    hand.work.set_preparation(holdout=0.5, scale="standard")
    hand.runs.select([run])
    hand.find(QAction, "useSettingsAction").trigger()
    request = hand.window.assembly.page("train").request
    assert request == hand.runs.record(run).request
    hand.close()


def test_a_new_file_is_trained_with_the_settings_of_a_run(open_window: Callable[[], Hand], tmp_path: Path) -> None:
    """The file of next week: other rows in the same columns."""
    lines = resources.dataset("iris").read_text("utf-8").splitlines()
    later = tmp_path / "later.csv"
    later.write_text("\n".join([lines[0], *lines[1::2], ""]), "utf-8")
    hand = open_window()
    run = trained(hand)
    hand.find(QAction, "sameSettingsAction").trigger()
    hand.answer_file(later)
    hand.wait(lambda: len(hand.runs.ids()) == 2 and not hand.active)
    new = hand.runs.record(hand.runs.ids()[1])
    assert (new.C, new.data_name, hand.work.path) == (7.0, "later.csv", str(later))
    assert new.n_train + new.n_test == 75
    old, other = hand.runs.record(run).request, new.request
    differing = {name for name, value in old.document().items() if other.document()[name] != value}
    assert differing == {"data", "digest"}
    hand.close()


def test_the_chapters_of_a_report_are_chosen_before_it_is_saved(
    open_window: Callable[[], Hand], tmp_path: Path
) -> None:
    hand = open_window()
    run = trained(hand)
    hand.runs.select([run])
    hand.go("Compare")
    page = hand.window.pages["compare"].page
    hand.wait(lambda: page.tools.report_button.menu() is not None and not hand.work.tasks.busy)
    page.tools.report_chosen.emit(".md")
    hand.wait(lambda: hand.window.findChild(QCheckBox, "chapter-data") is not None)
    assert not hand.find(QCheckBox, "chapter-settings").isChecked()
    hand.find(QCheckBox, "chapter-data").setChecked(False)
    hand.click("saveReportButton")
    hand.answer_file(tmp_path / "boss.md")
    hand.wait(lambda: (tmp_path / "boss.md").exists())
    text = (tmp_path / "boss.md").read_text("utf-8")
    assert text.index("## Result") < text.index("## How it was made")
    assert "Data: iris.csv" not in text
    share = hand.runs.record(run).test_accuracy
    assert f"{'100' if share == 1.0 else f'{100 * share:.1f}'}% test accuracy" in text
    hand.close()
    again = open_window()
    assert again.window.assembly.page("compare")._chapters[0] == "runs", "the choice is kept"
    again.close()
