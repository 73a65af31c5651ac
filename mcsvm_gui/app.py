"""Starts the desktop program: settings, threads, pages, window."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.exits import complain, exit_code
from mcsvm_gui.core.base.message_box import with_message_box
from mcsvm_gui.core.base.terminal import say

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from mcsvm_gui.ui.shell.main_window import MainWindow

USAGE = "usage: mcsvm-gui [FILE]    FILE: data, a model or a project; `mcsvm` is the program without a window"
LIBRARIES = "PySide6", "pyqtgraph"  # import names of the libraries that only the window needs


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    return with_message_box(lambda: _run(given))


def _run(given: list[str]) -> int:
    if given in (["-h"], ["--help"]):
        say(USAGE)
        return 0
    if len(given) > 1 or any(text.startswith("-") for text in given):
        return complain(f"{given[-1]}: {USAGE}")
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        return complain(f"the window needs {' and '.join(missing)}; install what it needs: pip install 'mcsvm[gui]'")
    if given and not Path(given[0]).exists():
        from mcsvm_gui.core.base.opening import missing_file

        return complain(str(missing_file(given[0])))
    if not has_screen():
        return exit_code(_without_screen)
    return exit_code(lambda: _with_window(given[0] if given else None))


def has_screen() -> bool:
    """Return whether there is a screen; without one Qt aborts the process, so this is checked first."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _without_screen() -> int:
    from mcsvm_gui.core.compare.first_look import show

    say("There is no screen for the window; `mcsvm --help` lists what works without one. A first look:", "", flush=True)
    return show()


def _with_window(path: str | None) -> int:
    try:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        return complain(f"Qt cannot be loaded ({error}); `mcsvm doctor` names the system packages that bring it")
    from mcsvm_gui.core.base import crash_log

    crash_log.install()
    from mcsvm_gui.core.base.settings import Settings, default_path

    settings = Settings(default_path())
    if settings["zoom"] != "1":
        os.environ.setdefault("QT_SCALE_FACTOR", settings["zoom"])  # Qt reads it at the start
    application = QApplication(sys.argv[:1])
    _name(application)
    from mcsvm_gui.assembly import assemble
    from mcsvm_gui.ui.kit import fonts
    from mcsvm_gui.ui.threads.garbage import GarbageCollector
    from mcsvm_gui.ui.threads.signal_handler import SignalHandler

    garbage = GarbageCollector(application)
    fonts.supply()
    window = assemble(path if path and path.endswith(".mcsvmproj") else None, settings)
    if path and path.endswith(".mcsvmproj"):
        window.assembly.settings.remember_file(path)
    elif path:
        window.assembly.shell.open(os.path.abspath(path))
    for loaded in (window.assembly.drawn, window.assembly.prepared):
        loaded.connect(garbage.spare_what_is_loaded)
    window.assembly.runs.project_read.connect(lambda: garbage.spare_runs(len(window.assembly.runs.ids())))
    crash_log.tell(window.assembly.shell.unforeseen.emit)
    application.aboutToQuit.connect(window.assembly.close)
    # Qt ends with its last window, but not if that is closed while it opens: then the process would remain, invisible.
    window.closed.connect(lambda: QTimer.singleShot(0, application, lambda: application.exit(0)))
    SignalHandler(application).quit_asked.connect(window.assembly.shell.leave)
    window.show()
    window.assembly.tour.begin_if_new()
    code = application.exec()
    if not window.assembly.ended:
        os._exit(code)  # everything is saved; a busy thread cannot be interrupted, and Qt would abort
    return code


def _name(application: QApplication) -> None:
    application.setApplicationName("mcsvm")
    application.setApplicationDisplayName("mcsvm")
    application.setDesktopFileName("mcsvm")


def create_window(
    project: str | os.PathLike[str] | None = None, settings: str | os.PathLike[str] | None = None
) -> MainWindow:
    """Return the window with all objects behind it, without an event loop; the defaults are the user's own files."""
    from mcsvm_gui.assembly import assemble

    window = assemble(project, settings)
    window.assembly.complete()
    return window
