"""Projects that the program keeps by itself, in a folder of its own: those without a name, and those of examples.

A project without a name is kept as its user works, and is there again at the next start.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.project.sqlite_errors import BUSY
from mcsvm_gui.core.project.store import ProjectStore
from solvers.errors import InputError

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.examples import Example

ENDING, UNNAMED, EXAMPLE = ".mcsvmproj", "unnamed", "example-"
MOST = 9  # windows at once, or projects that cannot be opened, before one that is thrown away is taken


def default_folder() -> Path:
    return Path(platformdirs.user_data_dir("mcsvm", appauthor=False))


def is_kept_by_program(path: str | os.PathLike[str]) -> bool:
    """Whether a project has no place that its user chose."""
    return os.path.dirname(os.path.realpath(path)) == os.path.realpath(default_folder())


def new_unnamed() -> Path:
    """Return the path of a project without a name that does not exist yet."""
    folder = _made(default_folder())
    return next(path for number in itertools.count(1) if not (path := folder / _unnamed(number)).exists())


def example_project(name: str) -> Path:
    return _made(default_folder()) / f"{EXAMPLE}{name}{ENDING}"


def _made(folder: Path) -> Path:
    """If it cannot be made, opening a project in it says why."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def example_in(path: str | os.PathLike[str]) -> Example | None:
    """The example whose project this is."""
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


def _unnamed(number: int) -> str:
    return f"{UNNAMED}{ENDING}" if number == 1 else f"{UNNAMED}-{number}{ENDING}"


def open_unnamed(folder: Path | None = None, last: str = "") -> tuple[ProjectStore, str]:
    """A project, and what must be said about it: every further window has one of its own.

    `last`: the one to be opened first, if it is there.
    """
    place, trouble = folder or default_folder(), ""
    first = [Path(last)] if last and is_kept_by_program(last) and os.path.exists(last) else []
    for path in [*first, *(place / _unnamed(number) for number in range(1, MOST + 1))]:
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
