"""What the user may say about a file; the rest is guessed, and reported."""

from __future__ import annotations

from dataclasses import dataclass

from solvers.errors import InputError

FORMATS = "auto", "csv", "libsvm", "arff", "parquet", "xlsx"
HEADERS = "auto", "yes", "no"


@dataclass(frozen=True)
class ReadOptions:
    label: str | int | None = None  # a column's name, or its number: 1 is the first, -1 the last
    format: str = "auto"
    header: str = "auto"
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        for name in ("separator", "decimal", "encoding"):
            if not isinstance(getattr(self, name), str | None):
                raise InputError(f"--{name} must be text, not {getattr(self, name)!r}")
        if isinstance(self.label, bool) or not isinstance(self.label, str | int | None):
            raise InputError(f"--label must be the name or the number of a column, not {self.label!r}")
        _one_of("--format", self.format, FORMATS)
        _one_of("--header", self.header, HEADERS)
        if self.decimal is not None:
            _one_of("--decimal", self.decimal, (".", ","))


def _one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{option} {value!r} is not known; choose from {', '.join(allowed)}")
