"""The guide says what is true: its names are in the window, its commands are understood, its links lead somewhere."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import platformdirs.macos
import platformdirs.unix
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QGroupBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QTableView,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot
from table_headings import headings

from mcsvm_gui.app import create_window
from mcsvm_gui.cli import _parser
from mcsvm_gui.core.base.i18n import catalogue, translation
from mcsvm_gui.core.base.resources import dataset, folder
from mcsvm_gui.ui.shell import guide
from mcsvm_gui.ui.shell.dialogs.guide_text import GuideText, blocks
from mcsvm_gui.ui.shell.dialogs.opener import Dialogs

LANGUAGES = tuple(translation.languages())
README = Path(__file__).resolve().parents[3] / "README.md"
LATER = {
    "Solved",
    "Close to solved",
    "Not solved",
    "Continue the search",
    "Train the best of each machine",
    "Join spellings",
}  # come with results
SMALL = 100_000  # bytes of a picture


def text_of(language: str) -> str:
    text, _ = guide.read(language)
    return text


def prose(language: str) -> str:
    return re.sub(r"```.*?```", "", text_of(language), flags=re.DOTALL)


def names(language: str) -> list[str]:
    return re.findall(r"\*\*(.+?)\*\*", prose(language))


def commands(language: str) -> list[str]:
    fenced = re.findall(r"```\n(.*?)```", text_of(language), flags=re.DOTALL)
    return [line for block in fenced for line in block.splitlines() if line]


def titles(language: str) -> list[str]:
    return re.findall(r"^## (.+)$", text_of(language), flags=re.MULTILINE)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[QMainWindow]:
    window = create_window(tmp_path / "some.mcsvmproj", tmp_path / "settings.json")
    qtbot.addWidget(window)
    yield window
    window.close()


def said_by(window: QMainWindow) -> set[str]:
    """Every word on a control, in a menu, on a tab or in a choice; and what it is called where it bears no word."""
    texts = [action.text().split("\t")[0] for action in window.findChildren(QAction)]
    for kind in (QAbstractButton, QLabel):
        texts += [widget.text() for widget in window.findChildren(kind)]
    texts += [box.title() for box in window.findChildren(QGroupBox)]
    texts += [box.itemText(row) for box in window.findChildren(QComboBox) for row in range(box.count())]
    texts += [tabs.tabText(row) for tabs in window.findChildren(QTabWidget) for row in range(tabs.count())]
    for model in (view.model() for view in window.findChildren(QTableView) if view.model() is not None):
        texts += [str(model.headerData(at, Qt.Orientation.Horizontal) or "") for at in range(model.columnCount())]
    texts += [widget.accessibleName() for widget in window.findChildren(QWidget)]
    return {text.replace("&", "") for text in texts}


def said(language: str) -> dict[str, str]:
    """English texts without the marks of menus, and what they are in a language."""
    known = catalogue.read((folder() / "translations" / f"{language}.po").read_text("utf-8"))
    return {text.template.replace("&", ""): text.said[0].replace("&", "") for text in known}


@pytest.mark.slow
def test_every_name_in_the_guide_is_in_the_window(qtbot: QtBot, window: QMainWindow) -> None:
    window.assembly.workspace.open_data(str(dataset("iris")))
    qtbot.waitUntil(lambda: window.assembly.workspace.dataset is not None)
    assert set(names("en")) - said_by(window) - LATER - headings() == set()
    assert set(said("de")) >= LATER


def test_every_language_uses_the_words_of_the_window() -> None:
    for language in LANGUAGES[1:]:
        words = said(language) | {"#": "#"}
        assert sorted(words[name] for name in names("en")) == sorted(names(language))


@pytest.mark.parametrize("command", commands("en"))
def test_every_command_in_the_guide_is_understood(command: str) -> None:
    program, *words = shlex.split(command)
    assert program == "mcsvm"
    assert _parser().parse_args(words).command == words[0]


def test_every_language_tells_the_same() -> None:
    for language in LANGUAGES[1:]:
        assert commands(language) == commands("en")
        for pattern in (r"\]\((pictures/.*?)\)", r"^(\|)", r"^(\* )", r"^(#+) ", r"(`[^`\n]+`)"):
            there, here = (re.findall(pattern, prose(name), flags=re.MULTILINE) for name in ("en", language))
            assert there == here, pattern


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_lead_to_chapters_and_pictures_are_there(language: str) -> None:
    text, folder = guide.read(language)
    links = re.findall(r"(!?)\[(.+?)\]\((.+?)\)", text)
    assert [place for mark, _, place in links if not mark] == [f"#{guide.anchor(title)}" for title in titles(language)]
    pictures = [folder / place for mark, words, place in links if mark and words]
    assert len(pictures) >= 4
    for path in pictures:
        assert not QImage(str(path)).isNull()
        assert path.stat().st_size <= SMALL


def test_a_language_without_a_guide_reads_english() -> None:
    assert text_of("xx") == text_of("en")


def test_the_readme_tells_the_first_five_minutes_alike() -> None:
    chapter = text_of("en").split("## Five minutes\n\n")[1].split("\n\n## ")[0]
    assert chapter in README.read_text("utf-8")


def test_the_folders_are_those_of_each_system() -> None:
    home = str(Path.home())
    table = [line for line in text_of("en").splitlines() if "%LOCALAPPDATA%" in line]
    kinds = ("user_data_dir", "user_config_dir", "user_cache_dir", "user_log_dir")
    for system, column in ((platformdirs.unix.Unix, 2), (platformdirs.macos.MacOS, 3)):
        told = [line.split("|")[column].strip(" `") for line in table]
        folders = system("mcsvm", appauthor=False)
        with pytest.MonkeyPatch.context() as patch:
            for name in ("DATA", "CONFIG", "CACHE", "STATE"):
                patch.delenv(f"XDG_{name}_HOME", raising=False)
            assert told == [str(getattr(folders, kind)).replace(home, "~") for kind in kinds]


# -- the dialog -----------------------------------------------------------------------------------


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[QDialog]:
    window = QMainWindow()
    qtbot.addWidget(window)
    Dialogs(window).show_guide(*guide.read("en"), guide.anchor)
    dialog = window.findChild(QDialog, "guideDialog")
    chapters = dialog.findChild(QListWidget, "guideChapters")
    qtbot.waitUntil(lambda: chapters.count() == len(titles("en")))
    yield dialog
    dialog.close()
    window.close()


def test_the_guide_can_stay_open_beside_the_window(dialog: QDialog) -> None:
    assert dialog.isVisible()
    assert not dialog.isModal()
    assert dialog.windowFlags() & Qt.WindowType.Window == Qt.WindowType.Window
    assert dialog.windowType() == Qt.WindowType.Window, "a dialog would stay in front of the window"


def top_line(text: GuideText) -> str:
    return text.cursorForPosition(text.viewport().rect().topLeft()).block().text()


def test_chapters_are_reached_from_the_list_by_keys_and_by_links(qtbot: QtBot, dialog: QDialog) -> None:
    chapters, text = dialog.findChild(QListWidget, "guideChapters"), dialog.findChild(GuideText)
    chapters.setCurrentRow(3)
    assert top_line(text) in {"Train", ""}
    qtbot.keyClick(chapters, Qt.Key.Key_Down)
    assert chapters.currentItem().text() == "Is it any good?"
    for row, title in enumerate(titles("en")):
        text.anchorClicked.emit(QUrl(f"#{guide.anchor(title)}"))
        assert chapters.currentRow() == row
    text.anchorClicked.emit(QUrl("https://example.org/"))
    assert text.document().isEmpty() is False


def test_words_are_found_again_and_again_and_their_absence_is_said(qtbot: QtBot, dialog: QDialog) -> None:
    field, text = dialog.findChild(QLineEdit, "guideSearch"), dialog.findChild(GuideText)
    missing = dialog.findChild(QLabel, "guideMissing")
    qtbot.keyClicks(field, "primal")
    places = [text.textCursor().selectionStart()]
    expected = [match.start() for match in re.finditer("primal", text.toPlainText(), re.IGNORECASE)]
    while len(places) < len(expected) + 1:
        qtbot.keyClick(field, Qt.Key.Key_Return)
        places.append(text.textCursor().selectionStart())
    assert places == [*expected, expected[0]]
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert text.textCursor().selectionStart() == expected[-1]
    qtbot.keyClicks(field, "xyz")
    assert missing.text()


def test_pictures_come_after_the_text_and_fit_its_width(qtbot: QtBot, dialog: QDialog) -> None:
    text = dialog.findChild(GuideText)
    qtbot.waitUntil(lambda: not text._waiting)
    for width in (dialog.width(), dialog.width() - 200):
        dialog.resize(width, dialog.height())
        qtbot.waitUntil(lambda: text._width == text._room() and not text._waiting)
        shown = text.document().resource(2, QUrl("pictures/train.png"))
        assert 0.98 * text._room() <= shown.width() / shown.devicePixelRatio() <= text._room()
        assert len({shown.pixel(x, shown.height() // 2) for x in range(shown.width())}) > 8  # not an empty frame


def test_nothing_outside_the_resources_is_loaded(dialog: QDialog) -> None:
    text = dialog.findChild(GuideText)
    for name in ("../../pyproject.toml", "/etc/hostname", "https://example.org/a.png", "pictures/none.png"):
        assert text.loadResource(2, QUrl(name)) is None


@pytest.mark.slow
def test_the_theme_reaches_the_text(qtbot: QtBot, dialog: QDialog) -> None:
    from mcsvm_gui.ui.kit import theme

    def code_colour() -> str:
        code = next(block for block in blocks(text.document()) if block.text().startswith("mcsvm verify"))
        return code.blockFormat().background().color().name()

    text = dialog.findChild(GuideText)
    for name in ("dark", "light"):
        theme.use(name)
        assert code_colour() == theme.current().raised
