"""The results of an experiment, line by line in one file, so that no stored training is repeated."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.writing import Named, check_writable

HEAD = {"mcsvm results": 1}
KEYS = 1  # increased if a request gives other numbers than before, so that no earlier entry is found
EXPERIMENT = "experiment"  # the key of entries that describe the experiment
Entry = Mapping[str, Any]


class Journal:
    """A file of entries. `key` stands for everything that an entry depends on. All methods are thread-safe."""

    def __init__(self, path: Named) -> None:
        self.path = os.fspath(path)
        self._lock = threading.Lock()
        self._entries = self._read() if os.path.exists(path) else self._begin()

    def get(self, key: str) -> Entry | None:
        return next(iter(self.all(key)), None)

    def all(self, key: str) -> list[Entry]:
        with self._lock:
            return list(self._entries.get(key, ()))

    def add(self, key: str, entry: Entry) -> None:
        with self._lock:
            self._entries.setdefault(key, []).append(entry)
            self._append({"key": key, **entry})

    def keep_experiment(self, document: Mapping[str, Any]) -> None:
        """Store the experiment that the entries belong to, so that a report can be made of this file alone."""
        plain = json.loads(json.dumps(document))
        if plain not in (entry.get("document") for entry in self.all(EXPERIMENT)):
            self.add(EXPERIMENT, {"document": plain})

    def experiment(self) -> Any:
        """Return the document of the experiment that was stored last, or None."""
        kept = self.all(EXPERIMENT)
        return kept[-1].get("document") if kept else None

    def broken(self, error: Exception) -> FileError:
        return FileError(
            self.path, "an entry is not what mcsvm writes there: {reason}", reason=" ".join(str(error).split())
        )

    def _begin(self) -> dict[str, list[Entry]]:
        check_writable(self.path)
        self._append(HEAD)
        return {}

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            with open(self.path, "ab") as stream:
                stream.write(json.dumps(line).encode("ascii") + b"\n")
        except OSError as error:
            raise InputError(
                "{path}: the file cannot be written: {reason}", path=self.path, reason=error.strerror or error
            ) from error

    def _read(self) -> dict[str, list[Entry]]:
        """Read all entries. An incomplete last line is removed: the process was killed while writing it."""
        with opened(self.path) as stream:
            content = stream.read()
        lines = content.split(b"\n")
        if _parsed(lines[0]) != HEAD:
            raise FileError(self.path, "this is no file of results of mcsvm")
        try:
            os.truncate(self.path, len(content) - len(lines[-1]))
        except OSError as error:
            raise FileError(self.path, "the file cannot be written: {reason}", reason=error.strerror or error) from None
        entries: dict[str, list[Entry]] = {}
        for number, line in enumerate(lines[1:-1], 2):
            key, entry = self._entry(line, number)
            entries.setdefault(key, []).append(entry)
        return entries

    def _entry(self, line: bytes, number: int) -> tuple[str, Entry]:
        entry = _parsed(line)
        if not isinstance(entry, dict) or not isinstance(entry.get("key"), str):
            raise FileError(self.path, "this is not a line of an mcsvm results file", line=number)
        return entry.pop("key"), entry


def is_journal(first_line: bytes) -> bool:
    """Return whether a file that begins with this line is a file of results."""
    return bool(_parsed(first_line) == HEAD)


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def key_of(*parts: Any) -> str:
    """Return the key of plain JSON parts.

    The parts contain only differences from the defaults, so that a new option changes no key.
    """
    text = json.dumps([KEYS, *parts], sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
