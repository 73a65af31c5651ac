"""What goes wrong with a file, in one line that names the place."""

from __future__ import annotations

import os

from solvers.errors import InputError


class FileError(InputError):
    """`FILE:LINE: what, and what would be right`; line and column (its name or number) where they are known."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        what: str,
        *,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        self.path, self.line, self.column = os.fspath(path), line, column
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(" ".join(f"{place}: {what}".splitlines()))

    def __reduce__(self) -> tuple[object, ...]:
        """Errors travel between processes; the default would call __init__ with the finished sentence."""
        return _rebuilt, (type(self), str(self), self.__dict__)


class NoLabelError(FileError):
    """No column was asked for as the label, and none looks like one."""


def _rebuilt(kind: type[FileError], sentence: str, state: dict[str, object]) -> FileError:
    error = kind.__new__(kind, sentence)
    error.args = (sentence,)
    error.__dict__.update(state)
    return error
