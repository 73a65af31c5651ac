"""What the shell decides, with views that only remember."""

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QUndoCommand, QUndoStack
from pytestqt.qtbot import QtBot
from shell_fakes import FakeDialogs, FakeWindow, FakeWorkspace

from mcsvm_gui.core.base.settings import SETTINGS, Settings
from mcsvm_gui.ui.shell.presenter import ShellPresenter


class Stage:
    """A shell with everything it talks to."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.window, self.dialogs, self.workspace = FakeWindow(), FakeDialogs(), FakeWorkspace(settings)
        self.shell = ShellPresenter(self.window, self.dialogs, self.workspace)  # type: ignore[arg-type]
        self.settings = self.workspace.settings


@pytest.fixture
def stage(qtbot: QtBot) -> Stage:
    return Stage()


@pytest.mark.parametrize(
    ("name", "page", "told"),
    [("a.csv", "data", "open_data"), ("A.MCSVM", "predict", None), ("b.mcsvmproj", None, "open"), ("x", "data", None)],
)
def test_a_dropped_file_goes_where_its_kind_belongs(stage: Stage, tmp_path: Path, name, page, told) -> None:
    path = tmp_path / name
    path.write_text("")
    stage.window.calls.clear()
    models: list[str] = []
    stage.shell.model_chosen.connect(models.append)
    stage.window.files_dropped.emit([str(path)])
    assert models == ([str(path)] if name.endswith("MCSVM") else [])
    assert [values[0] for called, values in stage.window.calls if called == "show_page"] == ([page] if page else [])
    if told is not None:
        receiver = stage.workspace if told == "open_data" else stage.workspace.runs
        assert receiver.last(told) == (str(path),)


def test_opening_begins_in_the_last_folder(stage: Stage) -> None:
    stage.settings["last_folder"] = "/soil"
    stage.window.asked.emit("openDataAction")
    assert stage.window.last("choose") == ("data", "/soil")


def test_a_model_is_recent_and_a_cleared_list_is_empty(stage: Stage, tmp_path: Path) -> None:
    model = tmp_path / "m.mcsvm"
    model.write_text("")
    stage.window.recent_chosen.emit(str(model))
    assert stage.window.last("set_recent") == ([str(model)],)
    stage.window.recent_cleared.emit()
    assert stage.window.last("set_recent") == ([],)


@pytest.mark.parametrize("source", ["window", "dialog"])
def test_a_theme_that_is_chosen_is_shown_everywhere(stage: Stage, source: str) -> None:
    if source == "window":
        stage.window.theme_chosen.emit("dark")
    else:
        stage.dialogs.setting_changed.emit("theme", "dark")
    assert stage.window.last("set_theme") == ("dark",)
    assert stage.dialogs.last("set_setting") == ("theme", "dark")
    assert stage.settings["theme"] == "dark"


def test_the_number_of_jobs_reaches_the_queue_and_resetting_takes_it_back(stage: Stage) -> None:
    stage.dialogs.setting_changed.emit("parallel_jobs", 1)
    assert stage.workspace.queue.limit == 1
    stage.dialogs.settings_reset_asked.emit()
    assert stage.workspace.queue.limit == SETTINGS["parallel_jobs"].default


def test_a_changed_setting_is_in_the_file_soon(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    stage = Stage(Settings(path))
    stage.window.theme_chosen.emit("dark")
    qtbot.waitUntil(path.exists, timeout=3000)
    assert json.loads(path.read_text()) == {"theme": "dark"}


def test_the_frame_is_kept_and_comes_back(qtbot: QtBot, tmp_path: Path) -> None:
    first = Stage(Settings(tmp_path / "settings.json"))
    assert not first.window.called("restore_frame")
    first.window.closed.emit()
    again = Stage(Settings(tmp_path / "settings.json"))
    assert again.window.last("restore_frame") == (b"geometry", b"state")


@pytest.mark.parametrize("opened", [False, True])
def test_it_begins_on_the_last_page_unless_a_file_leads_elsewhere(qtbot: QtBot, tmp_path: Path, opened: bool) -> None:
    settings = Settings()
    settings["page"] = "train"
    stage = Stage(settings)
    stage.window.page_shown.emit("data")  # the first page that is added
    if opened:
        stage.shell.open(str(tmp_path / "a.csv"))
    stage.window.shown.emit()
    assert stage.window.last("show_page") == ("data" if opened else "train",)


def test_undo_means_the_stack_of_the_page(stage: Stage) -> None:
    class Note(QUndoCommand):
        undone = False

        def undo(self) -> None:
            self.undone = True

    drawing, of_runs, of_drawing = QUndoStack(), Note("rename"), Note("point")
    stage.shell.add_undo_stack("playground", drawing)
    stage.workspace.runs.undo_stack.push(of_runs)
    drawing.push(of_drawing)
    stage.window.page_shown.emit("playground")
    assert stage.window.last("set_text") in [("undoAction", "Undo: point"), ("redoAction", "Redo")]
    stage.window.asked.emit("undoAction")
    assert (of_drawing.undone, of_runs.undone) == (True, False)
    stage.window.page_shown.emit("train")
    stage.window.asked.emit("undoAction")
    assert of_runs.undone
    assert stage.window.last("set_enabled") in [("undoAction", False), ("redoAction", True)]


# -- the end --------------------------------------------------------------------------------------


def test_nothing_runs_nothing_is_asked(stage: Stage) -> None:
    assert stage.window.may_close()
    assert not stage.dialogs.called("ask_to_stop")


def test_trainings_are_stopped_and_kept_before_the_window_closes(qtbot: QtBot, stage: Stage) -> None:
    queue = stage.workspace.queue
    queue.running = [3, 4]
    assert not stage.window.may_close()
    assert stage.dialogs.last("ask_to_stop") == (2,)
    assert not queue.stopped
    stage.dialogs.stop_chosen.emit()
    assert queue.stopped
    queue.end(3)
    qtbot.wait(10)
    assert not stage.window.called("close")
    queue.end(4)
    qtbot.waitUntil(lambda: stage.window.called("close"), timeout=1000)
    assert stage.window.may_close()


def test_who_does_not_want_to_be_asked_is_not(stage: Stage) -> None:
    stage.settings["confirm_close"] = False
    stage.workspace.queue.running = [1]
    assert not stage.window.may_close()
    assert stage.workspace.queue.stopped
    assert not stage.dialogs.called("ask_to_stop")


def test_staying_leaves_the_trainings_alone(stage: Stage) -> None:
    stage.workspace.queue.running = [1]
    stage.window.may_close()
    stage.workspace.queue.end(1)
    assert not stage.workspace.queue.stopped
    assert not stage.window.called("close")


# -- help -----------------------------------------------------------------------------------------


def test_the_doctor_speaks_in_lines(stage: Stage) -> None:
    stage.window.asked.emit("doctorAction")
    problems, sections = stage.dialogs.last("set_findings")
    facts = {name: value for _, lines in sections for name, value in lines}
    assert isinstance(problems, list)
    assert facts["numpy"]
    assert all(isinstance(text, str) for pair in facts.items() for text in pair)


@pytest.mark.slow
def test_about_names_every_package_it_stands_on_with_its_licence(stage: Stage) -> None:
    stage.window.asked.emit("aboutAction")
    version, text, inside = stage.dialogs.last("show_about")
    import tomllib

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
    licences = {part.name: part.licence for part in inside if part.version}
    assert {requirement.split(">")[0] for requirement in project["dependencies"]} < set(licences)
    assert "unknown" not in licences.values()
    assert (inside[0].name, inside[0].version) == ("mcsvm", version)
    assert "UCI" in text


def test_an_unforeseen_error_is_told_once_in_the_status(stage: Stage) -> None:
    stage.shell.unforeseen.emit("KeyError: 3")
    assert "KeyError: 3" in stage.window.last("set_status")[0]
