"""A session as an experiment file: found in the File menu, and done again by the command that is shown."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.hand import Hand

from mcsvm_gui import cli
from mcsvm_gui.core.base import resources

pytestmark = pytest.mark.slow


def test_a_session_is_saved_and_its_command_does_it_again(
    open_window: Callable[[], Hand], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand = open_window()
    said: list[str] = []
    hand.work.message.connect(said.append)
    hand.window.action("saveSessionAction").trigger()
    hand.answer_file(tmp_path / "early.toml")
    hand.wait(lambda: said == ["There is no trained model to save yet."])
    assert not (tmp_path / "early.toml").exists()
    for data in ("iris", "wine"):
        hand.work.open_data(str(resources.dataset(data)))
        hand.wait(lambda data=data: hand.work.data_name == f"{data}.csv" and hand.work.dataset is not None)
        hand.work.set_preparation(holdout=0.3)
        hand.work.train([hand.work.base_request(machine=machine) for machine in ("ww", "ovo")])
    hand.wait(lambda: len(hand.runs.ids()) == 4 and not hand.active)
    accuracies = [hand.runs.record(run).test_accuracy for run in hand.runs.ids()]
    del said[:]
    hand.window.action("saveSessionAction").trigger()
    hand.answer_file(tmp_path / "session.toml")
    hand.wait(lambda: (tmp_path / "session.toml").exists() and bool(said))
    hand.close()
    command = shlex.split(said[0].partition(": ")[2])
    assert command[:2] == ["mcsvm", "run"]
    assert cli.main([*command[1:], "--json", "--quiet"]) == 0
    again = [run["test_accuracy"] for run in json.loads(capsys.readouterr().out)["runs"]]
    assert again == accuracies
