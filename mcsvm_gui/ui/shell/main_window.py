"""The frame around the pages: navigation, menus, jobs, status. It reports the user's requests and decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWhatsThis,
    QWidget,
)

from mcsvm_gui.core.base.settings import SETTINGS
from mcsvm_gui.core.project.default_project import ENDING, is_kept_by_program, project_name
from mcsvm_gui.ui.kit import file_dialogs, icons, theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.nesting import nest
from mcsvm_gui.ui.kit.page import PageFrame
from mcsvm_gui.ui.kit.status import StatusBar
from mcsvm_gui.ui.shell import commands, menus
from mcsvm_gui.ui.shell.commands import Page
from mcsvm_gui.ui.shell.drop_veil import DropVeil, dropped_files
from mcsvm_gui.ui.shell.navigation import Navigation

SMALLEST, FIRST_SIZE = QSize(800, 560), QSize(1280, 840)


class MainWindow(QMainWindow):
    assembly: Any  # the objects behind the window, which live as long as it does

    asked = Signal(str)  # the name of a command in the menus
    theme_chosen = Signal(str)
    language_chosen = Signal(str)
    recent_chosen = Signal(str)
    recent_cleared = Signal()
    file_chosen = Signal(str, str)  # the kind of file that was asked for, and its path
    files_dropped = Signal(list)
    runs_dropped = Signal(str, list)  # page, and the numbers of the runs
    page_shown = Signal(str)
    shown = Signal()  # once, when the window first appears
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAccessibleName("mcsvm")
        self.setWindowTitle("mcsvm")
        self.setWindowIcon(icons.application_icon())
        self.setMinimumSize(SMALLEST)
        self.resize(FIRST_SIZE)
        self.setAcceptDrops(True)
        self.setAnimated(False)
        self.may_close: Callable[[], bool] = lambda: True
        self._make_page: Callable[[str], object] = lambda name: None
        self._seen = False
        self._awaited = ""  # the page that is loading
        self.pages: dict[str, QWidget] = {}
        self._page_actions: dict[str, QAction] = {}
        self._build_menus()
        self._build_area()
        self._status = StatusBar(self)
        self.setStatusBar(self._status)
        self._veil = DropVeil(self)
        theme.notifier().changed.connect(self._restyle)

    # -- building ---------------------------------------------------------------------------------

    def _build_area(self) -> None:
        self._navigation, self._stack = Navigation(), QStackedWidget()
        self._navigation.runs_dropped.connect(self.runs_dropped)
        self._stack.setObjectName("pages")
        self._loading = wrapped("pageLoading", "muted", tr("Loading…"))
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(self._loading)
        for page in commands.pages():
            self._add_navigation(page)
        self._column = QVBoxLayout()
        self._column.addWidget(self._stack, 1)
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.addWidget(self._navigation)
        nest(row, self._column, 1)
        for layout in (row, self._column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self.setCentralWidget(centre)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.BottomDockWidgetArea)

    def _add_navigation(self, page: Page) -> None:
        action = QAction(page.text, self)
        action.setObjectName(f"{page.name}PageAction")
        action.setShortcut(QKeySequence(page.keys))
        action.setToolTip(f"{page.tip} ({action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)})")
        icons.put(action, page.name)
        action.setCheckable(True)
        action.setEnabled(False)
        action.triggered.connect(lambda: self.show_page(page.name))
        self._page_group.addAction(action)
        self._view_menu.insertAction(self._view_pages_end, action)
        self._page_actions[page.name] = action
        self._navigation.add(page.button, page.name, action)

    def _build_menus(self) -> None:
        file_menu = self._menu(tr("&File"), "fileMenu", commands.file_commands())
        self._build_recent(file_menu)
        self._menu(tr("&Edit"), "editMenu", commands.edit_commands())
        self._view_menu = self._menu(tr("&View"), "viewMenu", ())
        self._view_pages_end = self._view_menu.addSeparator()
        self._page_group = QActionGroup(self)
        self._theme_group = menus.choices(
            self._submenu(self._view_menu, tr("Theme"), "themeMenu"),
            "theme",
            SETTINGS["theme"].choices(),
            self.theme_chosen.emit,
        )
        self._language_group = menus.choices(
            self._submenu(self._view_menu, tr("Language"), "languageMenu"),
            "language",
            SETTINGS["language"].choices(),
            self.language_chosen.emit,
        )
        self._docks_start = self._view_menu.addSeparator()
        self._menu(tr("&Run"), "runsMenu", commands.run_commands())
        self._menu(tr("&Help"), "helpMenu", commands.help_commands())
        self.action("quitAction").triggered.connect(self.close)
        self.action("whatsThisAction").triggered.connect(QWhatsThis.enterWhatsThisMode)

    def _menu(self, title: str, name: str, contents: Sequence[commands.Command | None]) -> QMenu:
        menu = self.menuBar().addMenu(title)
        menu.setObjectName(name)
        menus.fill(menu, contents, self.asked.emit)
        return menu

    def _submenu(self, menu: QMenu, title: str, name: str) -> QMenu:
        result = menu.addMenu(title)
        result.setObjectName(name)
        return result

    def _build_recent(self, file_menu: QMenu) -> None:
        self._recent = QMenu(tr("Open recent"), file_menu)
        self._recent.setObjectName("recentMenu")
        self._recent.setAccessibleName(tr("Recent files"))
        self._recent.setToolTipsVisible(True)
        file_menu.insertMenu(self.action("saveProjectAction"), self._recent)
        self.set_recent(())

    # -- parts added by others --------------------------------------------------------------------

    def offer_pages(self, names: Iterable[str], make: Callable[[str], object]) -> None:
        """Enable pages; `make` is called to create one that does not exist yet."""
        for name in names:
            self._page_actions[name].setEnabled(True)
        self._make_page = make

    def add_page(self, name: str, page: QWidget) -> None:
        """Add a page under its name; it scrolls if the window is smaller than the page's smallest size."""
        self.pages[name] = frame = PageFrame(page)
        self._stack.addWidget(frame)
        self._page_actions[name].setEnabled(True)
        if len(self.pages) == 1:
            self.show_page(name)

    def add_banner(self, banner: QWidget) -> None:
        """Add a bar above all pages; it hides itself if it has nothing to show."""
        self._column.insertWidget(0, banner)

    def add_dock(self, dock: QDockWidget) -> None:
        """Add a dock below the pages, with an entry in the View menu that shows and hides it."""
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        toggle = dock.toggleViewAction()
        toggle.setObjectName(f"{dock.objectName()}Action")
        if dock.objectName() == "jobsDock":
            toggle.setShortcut(QKeySequence("Ctrl+J"))
        self._view_menu.addAction(toggle)

    # -- setters ----------------------------------------------------------------------------------

    def action(self, name: str) -> QAction:
        found = self.findChild(QAction, name)
        assert found is not None, f"there is no action {name}"
        return found

    def show_page(self, name: str) -> None:
        if name != (self._awaited or self.page):
            self._status.turn_page()
        self._show(name)

    def _show(self, name: str) -> None:
        if name not in self.pages and self._page_actions[name].isEnabled():
            self._make_page(name)
        if name not in self.pages:
            self._await(name)
            return
        self._awaited = ""
        self._page_actions[name].setChecked(True)
        if self._stack.currentWidget() is not self.pages[name] or len(self.pages) == 1:
            self._stack.setCurrentWidget(self.pages[name])
            self.page_shown.emit(name)

    def _await(self, name: str) -> None:
        if self._page_actions[name].isEnabled():
            self._awaited = name
            self._page_actions[name].setChecked(True)
            self._stack.setCurrentWidget(self._loading)

    def show_awaited(self, name: str) -> None:
        """Show a page that has just been loaded, unless the user has moved to another page."""
        if self._awaited == name:
            self._show(name)

    @property
    def page(self) -> str:
        return next((name for name, frame in self.pages.items() if frame is self._stack.currentWidget()), "")

    def set_title(self, text: str) -> None:
        self.setWindowTitle(text)

    def set_status(self, text: str, *, lasting: bool = False) -> None:
        """Show a message; it disappears when the page changes, unless it is `lasting`."""
        self._status.say(text, lasting=lasting)

    def set_note(self, text: str) -> None:
        self._status.note(text)

    def set_enabled(self, name: str, enabled: bool) -> None:
        self.action(name).setEnabled(enabled)

    def set_text(self, name: str, text: str) -> None:
        self.action(name).setText(text)

    def set_theme(self, choice: str) -> None:
        menus.check(self._theme_group, choice)
        theme.use(choice)

    def _restyle(self) -> None:
        theme.restyle(self)

    def set_language(self, choice: str) -> None:
        menus.check(self._language_group, choice)

    def set_recent(self, paths: Sequence[str]) -> None:
        self._recent.clear()
        self._recent.setEnabled(bool(paths))
        for number, path in enumerate(paths, start=1):
            unnamed = path.endswith(ENDING) and is_kept_by_program(path)
            name = project_name(path) if unnamed else PurePath(path).name
            entry = self._recent.addAction(f"{number}  {name}".replace("&", "&&"))
            words = tr("Stored by the program until you save it under a name: {path}", path=path)
            entry.setToolTip(words if unnamed else path)
            entry.triggered.connect(lambda checked=False, path=path: self.recent_chosen.emit(path))
        if paths:
            self._recent.addSeparator()
            self._recent.addAction(tr("Clear this list"), self.recent_cleared.emit)

    def choose(self, kind: str, folder: str) -> None:
        """Ask for a file to open (data, model or project), or for a folder of data files."""
        if kind == "folder":
            title, chosen = tr("Open a folder of data files"), lambda path: self.file_chosen.emit("data", path)
            file_dialogs.choose_folder(self, title, folder, chosen)
            return
        titles = {"data": tr("Open data"), "model": tr("Open model"), "project": tr("Open project")}
        file_dialogs.choose(self, titles[kind], kind, folder, lambda path: self.file_chosen.emit(kind, path))

    def choose_project_target(self, place: str) -> None:
        file_dialogs.choose_target(
            *(self, tr("Save project as"), "project", place, "mcsvmproj"),
            lambda path: self.file_chosen.emit("new project", path),
        )

    def choose_experiment_target(self) -> None:
        file_dialogs.choose_target(
            *(self, tr("Save session as experiment"), "experiment", "session.toml", "toml"),
            lambda path: self.file_chosen.emit("experiment", path),
        )

    # -- the frame itself -------------------------------------------------------------------------

    def frame(self) -> tuple[bytes, bytes]:
        """Return the geometry and the state of the docks, to be stored."""
        return bytes(self.saveGeometry().data()), bytes(self.saveState().data())

    def restore_frame(self, geometry: bytes, state: bytes) -> None:
        """Restore geometry and docks; Qt ignores invalid values and keeps the window on a screen."""
        self.restoreGeometry(QByteArray(geometry))
        self.restoreState(QByteArray(state))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:
            self._seen = True
            self.shown.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        event.accept()
        self.closed.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event):
            event.acceptProposedAction()
            self._veil.cover(self)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._veil.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._veil.hide()
        files = dropped_files(event)
        if files:
            event.acceptProposedAction()
            self.files_dropped.emit(files)
