"""What the user may say about a file and about its preparation; what is not said is guessed, and reported.

The tables of both kinds of options: a line here is an argument of every command that reads data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base.options import Choice, Column, Kind, check, option
from mcsvm_gui.core.data import formats

HEADERS = "auto", "yes", "no"
READING: dict[str, Any] = {
    "group": "reading data",
    "commands": ("inspect", "train", "tune", "compare", "predict", "verify"),
}


class FormatName(Choice):
    """Of the table as it is when the name is asked for."""

    def __init__(self) -> None:
        pass

    @property
    def metavar(self) -> str:
        return "|".join(self.choices)

    @property
    def choices(self) -> tuple[str, ...]:
        return formats.names()


@dataclass(frozen=True)
class ReadOptions:
    label: str | int | None = option(
        *(None, Column(), "Label column", "The column of the classes"),
        note="default: label, class, target or y in any case, else the last",
        **READING,
    )
    format: str = option("auto", FormatName(), "File format", note="default: what the content shows", **READING)
    header: str = option(
        *("auto", Choice("|".join(HEADERS), HEADERS), "Header line", "Whether the first line names the columns"),
        **READING,
    )
    separator: str | None = option(None, Kind(), "Separator", "Between fields, such as ';' or tab", **READING)
    decimal: str | None = option(None, Choice(".|,", (".", ",")), "Decimal mark", "In numbers", **READING)
    encoding: str | None = option(None, Kind("NAME"), "Encoding", "Such as utf-8 or cp1252", **READING)

    def __post_init__(self) -> None:
        check(self)


SCALES = "minmax", "standard", "none"
MISSING = "reject", "drop", "mean", "most-frequent"
UNKNOWN = "zeros", "reject"


@dataclass(frozen=True)
class Rules:
    """Categories take their most frequent level where missing cells take the mean."""

    scale: str = option(
        *("minmax", Choice("|".join(SCALES), SCALES), "Scaling", "How features are scaled"),
        note="default minmax: to [-1, 1], fitted on the training part only",
        **READING,
    )
    missing: str = option(
        *("reject", Choice("|".join(MISSING), MISSING), "Missing cells", "What to do with missing cells"),
        note="default reject, naming the first places",
        **READING,
    )
    unknown: str = option("zeros", Choice("", UNKNOWN), "Unknown levels")  # no level at all, or refused

    def __post_init__(self) -> None:
        check(self)

    @property
    def fills(self) -> bool:
        return self.missing in ("mean", "most-frequent")
