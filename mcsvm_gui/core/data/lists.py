"""Options whose value is a list: of columns, of some known words, of conditions on rows, of classes to be merged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.options import Kind

_ONE_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*?))\s*(?:,|\Z)')


@dataclass(frozen=True)
class Names(Kind):
    """Columns by name or number; a name with a comma is in quotation marks. `none`: no column."""

    placeholder: str = "NAME,..."

    def parse(self, text: str) -> tuple[str, ...]:
        found, place = [], 0
        while place < len(text):
            one = _ONE_NAME.match(text, place)
            if one is None:
                raise InputError(
                    "{text!r} is no list of columns; separate them by commas, and put a name that has a comma or a"
                    ' quotation mark in quotation marks, as in a,"b, c"',
                    text=text,
                )
            found.append(one[2] if one[1] is None else one[1].replace('""', '"'))
            place = one.end()
        bare = tuple(dict.fromkeys(name for name in found if name))
        return () if bare == ("none",) and '"' not in text else bare

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, tuple) or not all(isinstance(one, str) and one for one in value):
            raise InputError("{name} must be a list of columns, not {value!r}", name=name, value=value)

    def written(self, value: tuple[str, ...]) -> str:
        return ",".join(map(self._quoted, value)) or "none"

    @staticmethod
    def _quoted(name: str) -> str:
        plain = name == name.strip() and not set(name) & {",", '"'} and name != "none"
        return name if plain else '"' + name.replace('"', '""') + '"'

    def plain(self, value: tuple[str, ...]) -> list[str]:
        return list(value)

    def loaded(self, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class Several(Kind):
    """A choice of several known words, each with its title, separated by commas."""

    placeholder: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def metavar(self) -> str:
        return self.placeholder or ",".join(self.titles)

    def parse(self, text: str) -> tuple[str, ...]:
        return tuple(word.strip() for word in text.split(",") if word.strip())

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, tuple) or not value or set(value) - set(self.titles):
            raise InputError(
                "{name} must be some of {choices}, separated by commas, not {value!r}",
                name=name,
                choices=", ".join(self.titles),
                value=",".join(map(str, value)) if isinstance(value, tuple) else value,
            )

    def written(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def plain(self, value: tuple[str, ...]) -> list[str]:
        return list(value)

    def loaded(self, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class Conditions(Kind):
    """Conditions that select rows: `CLASS=a,b; size>3`."""

    placeholder: str = "CONDITION"

    def check(self, name: str, value: Any) -> None:
        from mcsvm_gui.core.data.roles.conditions import conditions

        super().check(name, value)
        conditions(value)


@dataclass(frozen=True)
class Merges(Kind):
    """Classes to be merged: `new=a+b`."""

    placeholder: str = "NEW=A+B"

    def check(self, name: str, value: Any) -> None:
        from mcsvm_gui.core.data.roles.conditions import merges

        super().check(name, value)
        merges(value)
