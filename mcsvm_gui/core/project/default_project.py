"""Projects that the program stores in its own folder: unnamed projects, and projects of examples.

An unnamed project is saved continuously and is open again at the next start.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.project.sqlite_errors import BUSY
from mcsvm_gui.core.project.store import ProjectStore

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.examples import Example

ENDING, UNNAMED, EXAMPLE = ".mcsvmproj", "unnamed", "example-"
MOST = 9  # windows or unreadable projects that are tried before a temporary project is used


def default_folder() -> Path:
    return Path(platformdirs.user_data_dir("mcsvm", appauthor=False))


def is_kept_by_program(path: str | os.PathLike[str]) -> bool:
    """Return whether a project is in the program's own folder instead of a place that its user chose."""
    return os.path.dirname(os.path.realpath(path)) == os.path.realpath(default_folder())


def new_unnamed() -> Path:
    """Return the path of a new unnamed project."""
    folder = _create_folder(default_folder())
    return next(path for number in itertools.count(1) if not (path := folder / _unnamed_file(number)).exists())


def example_project(name: str) -> Path:
    return _create_folder(default_folder()) / f"{EXAMPLE}{name}{ENDING}"


def _create_folder(folder: Path) -> Path:
    """Create the folder; if that fails, opening a project in it reports the reason."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def example_in(path: str | os.PathLike[str]) -> Example | None:
    """Return the example that a project belongs to."""
    from mcsvm_gui.core.compare.examples import examples

    name = Path(path).stem
    if not (name.startswith(EXAMPLE) and is_kept_by_program(path)):
        return None
    return next((one for one in examples() if one.name == name.removeprefix(EXAMPLE)), None)


def project_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a project for titles and lists."""
    if not is_kept_by_program(path):
        return Path(path).stem
    example = example_in(path)
    if example is not None:
        return tr("Example: {title}", title=example.title)
    number = Path(path).stem.removeprefix(UNNAMED).removeprefix("-")
    return tr("Unsaved project {number}", number=number) if number else tr("Unsaved project")


def _unnamed_file(number: int) -> str:
    return f"{UNNAMED}{ENDING}" if number == 1 else f"{UNNAMED}-{number}{ENDING}"


def open_unnamed(folder: Path | None = None, last: str = "") -> tuple[ProjectStore, str]:
    """Open an unnamed project and return it with a message for the user; each window has its own project.

    `last` is the project to try first.
    """
    place, trouble = folder or default_folder(), ""
    first = [Path(last)] if last and is_kept_by_program(last) and os.path.exists(last) else []
    for path in [*first, *(place / _unnamed_file(number) for number in range(1, MOST + 1))]:
        try:
            place.mkdir(parents=True, exist_ok=True)
            return ProjectStore(path), trouble
        except (InputError, OSError) as error:
            if not (isinstance(error, FileError) and error.what == BUSY):
                trouble = trouble or worded(error) if isinstance(error, InputError) else str(error)
    passing = Path(tempfile.mkdtemp(prefix="mcsvm-"))
    return ProjectStore(passing / "unnamed.mcsvmproj"), tr(
        "{trouble}; nothing is kept, unless you save the project", trouble=trouble
    )
