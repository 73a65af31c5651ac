"""Errors in files: the place, the problem, and how to correct it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from mcsvm.solvers.errors import InputError, Sentence


class FileError(InputError):
    """`FILE:LINE: problem, and its correction`; with line and column (name or number) if they are known."""

    what: Sentence

    def __init__(
        self,
        path: str | os.PathLike[str],
        what: str,
        /,
        *,
        line: int | None = None,
        column: str | None = None,
        **values: Any,
    ) -> None:
        self.path, self.line, self.column = os.fspath(path), line, column
        self.what = what if isinstance(what, Sentence) and not values else Sentence(what, **values)
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(Sentence("{place}: {what}", place=place, what=self.what))

    @property
    def brief(self) -> Sentence:
        return self.what if self.line is None else Sentence("Line {number}: {what}", number=self.line, what=self.what)

    @property
    def code(self) -> str:
        return self.what.code

    def __str__(self) -> str:
        return " ".join(super().__str__().splitlines())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.path, self.what, self.line, self.column)


def joined(things: Sequence[str]) -> str:
    """Join texts or sentences with commas: a, b, c."""
    first, *rest = things or [""]
    return Sentence("{first}, {rest}", first=first, rest=joined(rest)) if rest else first


class NoLabelError(FileError):
    """No label column was chosen, and no column looks like a label."""


def _rebuilt(kind: type[FileError], path: str, what: Sentence, line: int | None, column: str | None) -> FileError:
    return kind(path, what, line=line, column=column)
