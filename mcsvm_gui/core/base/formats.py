"""A file format as help, menus and dialogs know it, and the module that does the work, imported when it is used."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Format:
    name: str  # in options and documents
    title: str  # a name, or English to be translated
    suffixes: tuple[str, ...]  # a new file gets the first
    module: str
    package: str = ""  # of an extra, without which nothing is read or written

    @property
    def suffix(self) -> str:
        return self.suffixes[0]

    @property
    def code(self) -> Any:
        return import_module(self.module)
