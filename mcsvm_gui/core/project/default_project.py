"""The project of those who did not open one: kept as they work, and there again at the next start."""

from __future__ import annotations

import tempfile
from pathlib import Path

import platformdirs

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.i18n import tr, worded
from mcsvm_gui.core.project.sqlite_errors import BUSY
from mcsvm_gui.core.project.store import ProjectStore
from solvers.errors import InputError

MOST = 9  # windows at once, or projects that cannot be opened, before one that is thrown away is taken


def default_folder() -> Path:
    return Path(platformdirs.user_data_dir("mcsvm", appauthor=False))


def open_unnamed(folder: Path | None = None) -> tuple[ProjectStore, str]:
    """A project, and what must be said about it: every further window has one of its own."""
    place, trouble = folder or default_folder(), ""
    for number in range(1, MOST + 1):
        path = place / ("unnamed.mcsvmproj" if number == 1 else f"unnamed-{number}.mcsvmproj")
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
