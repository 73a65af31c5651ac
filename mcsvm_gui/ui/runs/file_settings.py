"""The settings last used for each data file: import settings, split, column roles, and the entries of the forms.

They belong to the file; another file does not inherit them. The project stores them. The user's settings also store
those of the most recent files, so that they apply if a file is opened in another project.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcsvm_gui.core.base.settings import Settings
    from mcsvm_gui.core.machine.request import Request

KEY = "files"  # key in the project and in the user's settings
MOST = 40  # number of files whose settings are stored
LONGEST = 50_000  # limit on the characters of an entry in the user's settings, as JSON


class FileSettings:
    """Entries by path. They are plain JSON, and a project file may contain invalid ones."""

    def __init__(self, runs: Any, settings: Settings) -> None:
        self._runs, self._settings = runs, settings

    def of_path(self, path: str) -> dict[str, Any]:
        return next((known[path] for known in (self._of_project(), self._of_user()) if path in known), {})

    def by_digest(self) -> dict[str, dict[str, Any]]:
        """Return the newest entry of each file content, by digest."""
        known = [*self._of_user().values(), *self._of_project().values()]
        return {str(entry["digest"]): entry for entry in known if entry.get("digest")}

    def keep(self, path: str, values: Mapping[str, Any]) -> None:
        entry = {**self.of_path(path), **values}
        own, shared = self._of_project(), self._of_user()
        if own.get(path) != entry:
            self._runs.keep_setting(KEY, _newest(own, path, entry))
        if shared.get(path) != entry and len(json.dumps(entry)) <= LONGEST:
            self._settings[KEY] = json.dumps(_newest(shared, path, entry))

    def _of_project(self) -> dict[str, dict[str, Any]]:
        return _entries(self._runs.setting(KEY))

    def _of_user(self) -> dict[str, dict[str, Any]]:
        try:
            return _entries(json.loads(self._settings[KEY] or "{}"))
        except (ValueError, RecursionError):
            return {}


def _newest(known: dict[str, dict[str, Any]], path: str, entry: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the entries with a new one at the end, at most MOST of them."""
    earlier = [(name, value) for name, value in known.items() if name != path]
    return dict([*earlier, (path, entry)][-MOST:])


def _entries(document: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(document, dict):
        return {}
    return {path: entry for path, entry in document.items() if isinstance(path, str) and isinstance(entry, dict)}


def preparation_of(entry: Mapping[str, Any]) -> Request | None:
    """Return the import settings and the preparation of an entry as a request; None if the entry is not usable."""
    from mcsvm.solvers.errors import InputError
    from mcsvm_gui.core.machine.request import Request

    names = "test", "read", "rules", "holdout", "seed"
    try:
        return Request.from_document({name: entry[name] for name in names})
    except (InputError, LookupError):
        return None


def texts_of(entry: Mapping[str, Any], form: str) -> dict[str, str]:
    """Return the texts of a form's fields from an entry."""
    texts = entry.get(form)
    return {name: text for name, text in texts.items() if isinstance(text, str)} if isinstance(texts, dict) else {}
