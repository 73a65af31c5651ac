"""The thread that writes the project: what no project can hold is found, told, logged and not tried again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot
from run_examples import record

from mcsvm_gui.core.base import crash_log
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.ui.threads import writer as module
from mcsvm_gui.ui.threads.writer import Writer

RETRY = 0.01  # seconds


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the crash log was told."""
    found: list[str] = []
    monkeypatch.setattr(crash_log, "record", lambda error, where="": found.append(f"{type(error).__name__} {where}"))
    return found


@pytest.fixture
def writer(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: list[str]) -> Iterator[Writer]:
    monkeypatch.setattr(module, "RETRY", RETRY)
    made = Writer(ProjectStore(tmp_path / "a.mcsvmproj"))
    made.may_write = True
    yield made
    made.finish()


class Broken:
    """A part that cannot be encoded, and how often that was tried."""

    def __init__(self) -> None:
        self.tried = 0

    def __call__(self) -> bytes:
        self.tried += 1
        raise ZeroDivisionError("no such part")


def begun(writer: Writer, qtbot: QtBot) -> tuple[list[str], list[str]]:
    told: list[str] = []
    aside: list[str] = []
    writer.write_error.connect(told.append)
    writer.set_aside.connect(aside.append)
    writer.start()
    qtbot.waitUntil(lambda: not writer.backlog.waiting)
    qtbot.wait(20 * int(1000 * RETRY))
    return told, aside


def kept(writer: Writer) -> list[int]:
    return [one.id for one in writer.store.records()]


def test_a_run_that_cannot_be_written_stops_no_other_and_is_tried_no_more(
    writer: Writer, qtbot: QtBot, logged: list[str]
) -> None:
    broken = Broken()
    for run in range(1, 6):
        writer.put(record(run), parts={"trace": broken} if run == 3 else {"trace": lambda: b"t"})
    told, aside = begun(writer, qtbot)
    assert kept(writer) == [1, 2, 4, 5]
    assert told == []
    assert len(aside) == 1
    assert "no such part" in aside[0]
    assert record(3).name in aside[0]
    assert len(logged) == 1
    assert logged[0].startswith("ZeroDivisionError writing")
    assert broken.tried == 2  # among others, and alone
    assert (len(writer.backlog), writer.backlog.holds(3)) == (1, True)
    writer.put(record(3, "done"), parts={"trace": lambda: b"mended"})
    qtbot.waitUntil(lambda: len(writer.backlog) == 0 and kept(writer) == [1, 2, 3, 4, 5])
    assert writer.store.part(3, "trace") == b"mended"
    assert writer.finish()


def test_a_part_that_stays_broken_is_said_again_with_news_of_its_run_only(
    writer: Writer, qtbot: QtBot, logged: list[str]
) -> None:
    broken = Broken()
    writer.put(record(1), parts={"trace": broken})
    _, aside = begun(writer, qtbot)
    writer.put(record(1, "done"))
    qtbot.waitUntil(lambda: len(aside) == 2)
    qtbot.wait(20 * int(1000 * RETRY))
    assert (broken.tried, len(aside), len(logged)) == (2, 2, 2)
    assert not writer.finish()


NO_VALUES: dict[str, Callable[[Writer], None]] = {
    "a setting": lambda writer: writer.set("page", {1, 2}),
    "a number": lambda writer: writer.set("page", float("nan")),
    "a cell": lambda writer: writer.put_cells({("s", "ww", 1.0, None): lambda: {"folds": {1, 2}}}),
    "a name": lambda writer: writer.put(record(7, name="\udcff")),
    "a part": lambda writer: writer.put(record(7), parts={"model": lambda: object()}),  # type: ignore[arg-type,return-value]
    "a note": lambda writer: writer.put(record(7, note=2**70)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", NO_VALUES)
def test_whatever_no_project_can_hold_is_no_damage_of_the_file(
    what: str, writer: Writer, qtbot: QtBot, logged: list[str]
) -> None:
    writer.put(record(1))
    writer.set("seed", 3)
    NO_VALUES[what](writer)
    writer.put(record(9))
    told, aside = begun(writer, qtbot)
    assert told == []
    assert (len(aside), len(logged)) == (1, 1)
    assert "damaged" not in aside[0]
    assert (kept(writer), writer.store.settings()) == ([1, 9], {"seed": 3})


def test_a_disk_without_room_is_tried_again(
    writer: Writer, qtbot: QtBot, logged: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    writer.put(record(1))
    told: list[str] = []
    writer.write_error.connect(told.append)
    with monkeypatch.context() as full:

        def refuse(*values: Any) -> None:
            raise FileError(tmp_path, "there is no room left on the disk")

        full.setattr(ProjectStore, "write", refuse)
        writer.start()
        qtbot.waitUntil(lambda: len(told) == 1)
    qtbot.waitUntil(lambda: len(told) == 2)
    assert (told[-1], kept(writer), logged) == ("", [1], [])


def test_an_errand_that_nobody_foresaw_goes_into_the_crash_log(writer: Writer, qtbot: QtBot, logged: list[str]) -> None:
    said: list[str] = []

    def errand(store: ProjectStore) -> None:
        raise ZeroDivisionError("no such answer")

    writer.start()
    writer.ask(errand, lambda answer: said.append("answered"), said.append)
    qtbot.waitUntil(lambda: bool(said))
    assert "no such answer" in said[0]
    assert logged == ["ZeroDivisionError reading the project"]
