"""Settings, each declared once in a table; the file, the dialog and the checks use this table."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import platformdirs

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.i18n.translation import languages
from mcsvm_gui.core.base.writing import write_text

MOST_RECENT = 12
Choices: TypeAlias = tuple[tuple[str, str], ...]  # pairs of a value and its title


@dataclass(frozen=True)
class Setting:
    key: str
    kind: type  # bool, int, str, or list for a list of texts
    default: Any
    label: str = ""  # without a label, no dialog shows the setting
    help: str = ""
    group: str = ""
    choices: Callable[[], Choices] = tuple
    lowest: int = 0
    highest: int = 2**31 - 1

    def fits(self, value: object) -> bool:
        if self.kind is list:
            return isinstance(value, list) and all(isinstance(part, str) for part in value)
        if type(value) is not self.kind:
            return False
        if choices := self.choices():
            return value in [choice for choice, _ in choices]
        return self.lowest <= value <= self.highest if isinstance(value, int) and self.kind is int else True


TABLE = (
    Setting(
        *("theme", str, "system", "Theme", "Light, dark, or as set in the system; plots follow.", "Appearance"),
        choices=lambda: (
            *(("system", "Same as the system"), ("light", "Light"), ("dark", "Dark")),
            *(("contrast", "High contrast, light"), ("dark-contrast", "High contrast, dark")),
        ),
    ),
    Setting(
        *(
            "zoom",
            str,
            "1",
            "Size",
            "Size of all text, plots and buttons; takes effect at the next start.",
            "Appearance",
        ),
        choices=lambda: (("1", "Same as the system"), ("1.25", "125%"), ("1.5", "150%"), ("2", "200%, for projectors")),
    ),
    Setting(
        *("language", str, "system", "Language", "Takes effect at the next start.", "Appearance"),
        choices=lambda: (("system", "Same as the system"), *languages().items()),
    ),
    Setting(
        *("parallel_jobs", int, 2, "Trainings at once", "More jobs are waiting.", "Work"),
        lowest=1,
        highest=max(2, os.cpu_count() or 1),
    ),
    Setting("confirm_close", bool, True, "Ask before closing while trainings run", "", "Work"),
    Setting("recent_files", list, []),
    Setting("unnamed_project", str, ""),  # the unnamed project that was open last
    Setting("trusted_projects", list, []),  # projects whose files outside of their folder may be read
    Setting("files", str, ""),  # the settings last used for each data file, as JSON (ui/runs/file_settings.py)
    Setting("last_folder", str, ""),
    Setting("page", str, "data"),
    Setting("window_geometry", str, ""),
    Setting("window_state", str, ""),
    Setting("tour_seen", bool, False),
    Setting("compiled_for", str, ""),  # the version whose solvers were compiled last
    Setting(
        *("projection", str, "pca"),
        choices=lambda: (
            ("pca", "Widest directions (PCA)"),
            ("lda", "Between classes (LDA)"),
            ("umap", "Neighborhoods (UMAP)"),
        ),
    ),
    Setting("layout", str, ""),  # layout of the pages, as JSON
)
SETTINGS = {setting.key: setting for setting in TABLE}


def default_path() -> Path:
    return Path(platformdirs.user_config_dir("mcsvm", appauthor=False)) / "settings.json"


class Settings:
    """Values by key. Without a path they live as long as the program; `save` writes the whole file."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.problem: Sentence | None = None  # the problem of the file, as a sentence
        self.changed = False
        self._values: dict[str, Any] = {}
        self._unknown: dict[str, Any] = {}  # settings of other versions, stored unchanged
        self._watchers: list[Callable[[str], None]] = []
        if path is not None:
            self._read(path)

    def __getitem__(self, key: str) -> Any:
        value = self._values.get(key, SETTINGS[key].default)
        return list(value) if isinstance(value, list) else value

    def __setitem__(self, key: str, value: Any) -> None:
        if not SETTINGS[key].fits(value):
            raise InputError("{value!r} is no value for the setting {key}", value=value, key=key)
        if value != self[key]:
            self._values[key] = list(value) if isinstance(value, list) else value
            self.changed = True
            for watcher in tuple(self._watchers):
                watcher(key)

    def reset(self, key: str) -> None:
        self[key] = SETTINGS[key].default

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Call `watcher` with the key of every value that changes."""
        self._watchers.append(watcher)

    def remember_file(self, path: str, *, begin_there: bool = True) -> None:
        """Put a file on top of the recent files. If `begin_there`, dialogs begin in its folder."""
        path = os.path.abspath(path)
        others = [other for other in self["recent_files"] if other != path]
        self["recent_files"] = [path, *others][:MOST_RECENT]
        if begin_there:
            self["last_folder"] = os.path.dirname(path)

    def text(self) -> str:
        """Return the content of the file."""
        return json.dumps({**self._unknown, **self._values}, indent=2, sort_keys=True) + "\n"

    def save(self) -> None:
        """Write the settings if they changed. Raises InputError if the file cannot be written."""
        if self.changed:
            self.changed = False
            self.write(self.text())

    def write(self, text: str) -> None:
        """Write text to the file. It uses only the path, so that another thread can call it."""
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                "{path}: the settings cannot be kept: {reason}", path=self.path, reason=error.strerror or error
            ) from error
        write_text(self.path, text)

    def _read(self, path: Path) -> None:
        try:
            found = json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return
        except OSError as error:
            self.problem = Sentence(
                "{path}: the settings cannot be read ({reason}); defaults are used",
                path=path,
                reason=error.strerror or error,
            )
            return
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            self._take(path, found)
        else:
            self._set_aside(path)

    def _take(self, path: Path, found: dict[str, Any]) -> None:
        wrong = []
        for key, value in found.items():
            if key not in SETTINGS:
                self._unknown[key] = value
            elif SETTINGS[key].fits(value):
                self._values[key] = value
            else:
                wrong.append(key)
        if wrong:
            self.problem = Sentence(
                "{path}: not a value for {keys}; the default is used", path=path, keys=", ".join(wrong)
            )

    def _set_aside(self, path: Path) -> None:
        aside = path.with_name(f"{path.stem}.damaged{path.suffix}")
        self.problem = Sentence("{path}: the settings are damaged; defaults are used", path=path)
        with suppress(OSError):
            os.replace(path, aside)
            self.problem = Sentence(
                "{path}: the settings are damaged; defaults are used, and the old file is kept as {name}",
                path=path,
                name=aside.name,
            )
