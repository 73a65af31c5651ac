"""Where the bundle starts: the command line, or the window for whoever calls it by a name that ends in -gui."""

import multiprocessing
import os
import sys
from pathlib import Path
from types import ModuleType

STOOD_IN = "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets"


def main() -> int:
    multiprocessing.freeze_support()
    restore_library_path()
    if Path(sys.argv[0]).stem.endswith("-gui"):
        stand_in(*STOOD_IN)
        from mcsvm_gui.app import main as start
    else:
        from mcsvm_gui.start import main as start
    return start()


class StandIn(ModuleType):
    """Has every class, and nothing is an instance of any."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.__dict__.setdefault(name, type(name, (), {}))


def stand_in(*modules: str) -> None:
    """pyqtgraph imports Qt's OpenGL, 10 MB, for a way of drawing that is off; it only asks whether things are of it."""
    sys.modules.update({name: StandIn(name) for name in modules})


def restore_library_path() -> None:
    """PyInstaller's loader points it at the bundle, and compilers and other programs we start would load from there."""
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before
    else:
        os.environ.pop("LD_LIBRARY_PATH", None)


if __name__ == "__main__":
    sys.exit(main())
