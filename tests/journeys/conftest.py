"""Windows on projects of their own, gone when the test is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from journeys.hand import Hand
from pytestqt.qtbot import QtBot


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path) -> Iterator[Callable[[], Hand]]:
    """Each call opens the same project with the same settings, as another start of the program would."""
    hands: list[Hand] = []

    def open_one() -> Hand:
        hands.append(Hand(qtbot, tmp_path / "story.mcsvmproj", tmp_path / "settings.json"))
        return hands[-1]

    yield open_one
    for hand in hands:
        hand.leave()
