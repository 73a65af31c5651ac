"""The commands of the menus: each with its text, keys and icon, in one table."""

from __future__ import annotations

from dataclasses import dataclass

from mcsvm_gui.core.compare.examples import examples
from mcsvm_gui.ui.kit.i18n import tr

EXAMPLE = "example-"  # the names of commands that open an example begin with it


@dataclass(frozen=True)
class Command:
    name: str  # of the QAction
    text: str
    tip: str
    keys: str = ""
    icon: str = ""
    to_focus: bool = False  # the keys belong to the focused widget; the menu passes them on


@dataclass(frozen=True)
class Page:
    name: str
    button: str
    text: str
    tip: str
    keys: str


def pages() -> tuple[Page, ...]:
    return (
        Page("data", "navData", tr("Data"), tr("Open, inspect and prepare data"), "Ctrl+1"),
        Page("train", "navTrain", tr("Train"), tr("Train machines and watch them converge"), "Ctrl+2"),
        Page("tune", "navTune", tr("Tune"), tr("Search for the best C and gamma"), "Ctrl+3"),
        Page("compare", "navCompare", tr("Compare"), tr("Compare the chosen runs"), "Ctrl+4"),
        Page("explain", "navExplain", tr("Explain"), tr("Explain individual predictions"), "Ctrl+5"),
        Page(
            "playground",
            "navPlayground",
            tr("Playground"),
            tr("Draw points and see how six machines classify them"),
            "Ctrl+6",
        ),
        Page("predict", "navPredict", tr("Predict"), tr("Apply a model to other data"), "Ctrl+7"),
    )


def file_commands() -> tuple[Command | None, ...]:
    return (
        Command("openDataAction", tr("Open data…"), tr("Open a file of examples"), "Ctrl+O", "open"),
        Command("openFolderAction", tr("Open folder…"), tr("Open the files of a folder as one table"), "", "open"),
        Command("openModelAction", tr("Open model…"), tr("Open a trained model to predict with"), "Ctrl+M", "model"),
        Command(
            "newProjectAction",
            tr("New project"),
            tr("Begin an empty project; the current one stays in File > Open recent"),
            "Ctrl+Shift+N",
        ),
        Command(
            "openProjectAction", tr("Open project…"), tr("Open a project with its runs"), "Ctrl+Shift+O", "project"
        ),
        Command(
            "saveProjectAction",
            tr("Save project as…"),
            tr("Choose a file name for this project; changes are saved automatically"),
            "Ctrl+Shift+S",
            "save",
        ),
        Command(
            "saveSessionAction",
            tr("Save session as experiment…"),
            tr("All trainings of this project in one file, which mcsvm run replays to the same numbers"),
        ),
        None,
        Command("exportModelAction", tr("Export model…"), tr("Write the selected run's model"), "Ctrl+E", "export"),
        None,
        Command("settingsAction", tr("Settings…"), tr("Change how the program looks and works"), "Ctrl+,", "settings"),
        Command("quitAction", tr("Quit"), tr("Close the window"), "Ctrl+Q"),
    )


def edit_commands() -> tuple[Command | None, ...]:
    return (
        Command("undoAction", tr("Undo"), tr("Undo the last change"), "Ctrl+Z", "undo"),
        Command("redoAction", tr("Redo"), tr("Redo the last undone change"), "Ctrl+Shift+Z", "redo"),
        None,
        Command("copyAction", tr("Copy"), tr("Copy the selection"), "Ctrl+C", "copy", to_focus=True),
        Command("deleteAction", tr("Delete"), tr("Delete the selection"), "Del", "trash", to_focus=True),
    )


def run_commands() -> tuple[Command | None, ...]:
    return (
        Command("trainAction", tr("Train"), tr("Train the machine of the Train page's form"), "Ctrl+T", "train"),
        Command(
            "trainAllAction",
            tr("Train all six machines"),
            tr("Train each of them with the options of the form"),
            "Ctrl+Shift+T",
        ),
        Command(
            "findBestAction",
            tr("Find the best model"),
            tr("Compare all machines within the time budget; press again to stop and keep the best model"),
            "Ctrl+B",
        ),
        None,
        Command("pauseAction", tr("Pause or resume"), tr("Pause or resume the selected trainings"), "Ctrl+P", "pause"),
        Command(
            "continueAction",
            tr("Continue"),
            tr("Continue the selected runs from where they were stopped"),
            "Ctrl+Shift+P",
            "play",
        ),
        Command("stopKeepAction", tr("Stop and keep"), tr("End now and keep the model so far"), "Ctrl+.", "stop-keep"),
        Command("discardAction", tr("Discard"), tr("End now and keep nothing"), "Ctrl+Shift+D", "discard"),
    )


def help_commands() -> tuple[Command | None, ...]:
    return (
        Command("guideAction", tr("Guide"), tr("How to use this program, with pictures"), "F1", "help"),
        Command(
            "whatsThisAction",
            tr("What's this?"),
            tr("Then click a field or a column heading to read its explanation"),
            "Shift+F1",
        ),
        Command("tourAction", tr("Tour"), tr("From data to an answer in three steps")),
        *(Command(EXAMPLE + example.name, example.title, example.sentence) for example in examples()),
        Command("shortcutsAction", tr("Keyboard shortcuts"), tr("List every shortcut"), "Ctrl+F1", "keyboard"),
        None,
        Command("doctorAction", tr("Check this installation"), tr("Versions, threads, caches, what is missing")),
        Command("crashLogAction", tr("Crash log"), tr("Logged errors, to copy")),
        Command("aboutAction", tr("About mcsvm"), tr("Versions, licence, sources"), icon="info"),
    )
