"""A file format as help, menus and dialogs show it; its module is imported on first use."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Format:
    name: str  # in options and documents
    title: str  # a name, or English to be translated
    suffixes: tuple[str, ...]  # a new file gets the first one
    module: str
    package: str = ""  # name of an optional package that reading or writing needs

    @property
    def suffix(self) -> str:
        return self.suffixes[0]

    @property
    def code(self) -> Any:
        return import_module(self.module)
