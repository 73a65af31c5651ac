"""The settings last used for each data file: how it is read and split, its roles, and the entries of the forms.

They belong to the file: another file does not inherit them. The project keeps them; the user's own settings keep those
of the last files too, for the case that a file is opened in another project.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcsvm_gui.core.base.settings import Settings
    from mcsvm_gui.core.machine.request import Request

KEY = "files"  # of the project, and of the user's settings
MOST = 40  # files whose settings are kept
LONGEST = 50_000  # characters of an entry in the user's settings, as JSON


class FileSettings:
    """Entries by path: plain JSON, of which a file may hold anything."""

    def __init__(self, runs: Any, settings: Settings) -> None:
        self._runs, self._settings = runs, settings

    def of_path(self, path: str) -> dict[str, Any]:
        return next((known[path] for known in (self._own(), self._shared()) if path in known), {})

    def by_digest(self) -> dict[str, dict[str, Any]]:
        """The newest entry of each content."""
        known = [*self._shared().values(), *self._own().values()]
        return {str(entry["digest"]): entry for entry in known if entry.get("digest")}

    def keep(self, path: str, values: Mapping[str, Any]) -> None:
        entry = {**self.of_path(path), **values}
        own, shared = self._own(), self._shared()
        if own.get(path) != entry:
            self._runs.keep_setting(KEY, _newest(own, path, entry))
        if shared.get(path) != entry and len(json.dumps(entry)) <= LONGEST:
            self._settings[KEY] = json.dumps(_newest(shared, path, entry))

    def _own(self) -> dict[str, dict[str, Any]]:
        return _entries(self._runs.setting(KEY))

    def _shared(self) -> dict[str, dict[str, Any]]:
        try:
            return _entries(json.loads(self._settings[KEY] or "{}"))
        except (ValueError, RecursionError):
            return {}


def _newest(known: dict[str, dict[str, Any]], path: str, entry: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The last MOST that were kept, the newest at the end."""
    others = [(name, one) for name, one in known.items() if name != path]
    return dict([*others, (path, entry)][-MOST:])


def _entries(found: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(found, dict):
        return {}
    return {path: entry for path, entry in found.items() if isinstance(path, str) and isinstance(entry, dict)}


def preparation_of(entry: Mapping[str, Any]) -> Request | None:
    """What an entry says of reading and preparation, as a request; None if it says nothing that can be used."""
    from mcsvm_gui.core.machine.request import Request
    from solvers.errors import InputError

    names = "test", "read", "rules", "holdout", "seed"
    try:
        return Request.from_document({name: entry[name] for name in names})
    except (InputError, LookupError):
        return None


def texts_of(entry: Mapping[str, Any], form: str) -> dict[str, str]:
    """The entries of a form."""
    kept = entry.get(form)
    return {name: text for name, text in kept.items() if isinstance(text, str)} if isinstance(kept, dict) else {}
