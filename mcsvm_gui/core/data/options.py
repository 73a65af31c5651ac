"""What the user may say about a file and about its preparation; what is not said is guessed, and reported.

The tables of both kinds of options: a line here is an argument of every command that reads data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base.options import Choice, ColumnName, Kind, check, option
from mcsvm_gui.core.data import formats

AUTOMATIC = "auto"  # to be guessed
HEADERS = {AUTOMATIC: "Automatic", "yes": "yes, the first line", "no": "no, data at once"}
SPELLINGS = {
    AUTOMATIC: "each is a class",
    "join": "join equal numbers and letters",
    "join-case": "join upper and lower case too",
}
DECIMALS = {".": "point", ",": "comma"}
READING: dict[str, Any] = {
    "group": "reading data",
    "commands": ("inspect", "check", "train", "tune", "compare", "curve", "predict", "evaluate", "explain", "verify"),
}


def _formats() -> dict[str, str]:
    return {AUTOMATIC: "Automatic", **{reader.name: reader.title for reader in formats.READERS.values()}}


@dataclass(frozen=True)
class ReadOptions:
    label: str | int | None = option(
        *(None, ColumnName(), "Label column", "The column of the classes"),
        note="default: label, class, target or y in any case, else the last",
        **READING,
    )
    spellings: str = option(
        AUTOMATIC,
        Choice(titles=SPELLINGS),
        "Spellings of classes",
        "Whether labels that differ in spelling alone, as 1 and 1.0, are one class",
        note="default auto: each is a class",
        **READING,
    )
    weights: str | int | None = option(
        *(None, ColumnName(), "Weight column", "The column of the rows' weights: 2 counts twice, 0 leaves a row out"),
        unsaid="none",
        **READING,
    )
    groups: str | int | None = option(
        *(None, ColumnName(), "Group column", "The column of groups whose rows are kept together in every split"),
        unsaid="none",
        **READING,
    )
    fold_column: str | int | None = option(
        *(None, ColumnName(), "Fold column", "The column that says in which fold a row is tested"),
        unsaid="none",
        **READING,
    )
    table: str | None = option(
        *(None, Kind("NAME"), "Table", "The table or view of an SQLite database, or the sheet of an Excel workbook"),
        note="default: the first that holds anything",
        **READING,
    )
    query: str | None = option(
        None, Kind("SQL"), "Query", "Read what this SELECT gives of an SQLite database", **READING
    )
    format: str = option(
        "auto", Choice(known=_formats), "File format", note="default: what the content shows", **READING
    )
    header: str = option(
        *("auto", Choice(titles=HEADERS), "Header line", "Whether the first line names the columns"),
        **READING,
    )
    separator: str | None = option(None, Kind(), "Separator", "Between fields, such as ';' or tab", **READING)
    decimal: str | None = option(None, Choice(".|,", DECIMALS), "Decimal mark", "In numbers", **READING)
    encoding: str | None = option(None, Kind("NAME"), "Encoding", "Such as utf-8 or cp1252", **READING)

    def __post_init__(self) -> None:
        check(self)


SPLITS = {
    AUTOMATIC: "By named columns",
    "stratified": "Random, by class",
    "groups": "Groups kept together",
    "column": "Fold column",
    "order": "In row order",
}
SCALES = {"minmax": "each column to -1 … 1", "standard": "mean 0, deviation 1", "none": "as they are"}
SCALED = {"minmax": "scaled to [-1, 1]", "standard": "scaled to mean 0 and deviation 1", "none": "as they are"}
MISSING = {
    "reject": "refuse to train",
    "drop": "leave such rows out",
    "mean": "fill with the mean",
    "most-frequent": "fill with the most frequent",
}
UNKNOWN = {"zeros": "no level at all", "reject": "refuse to decide"}  # what training did not know


@dataclass(frozen=True)
class Rules:
    """Categories take their most frequent level where missing cells take the mean."""

    scale: str = option(
        *("minmax", Choice(titles=SCALES), "Scaling", "How features are scaled"),
        note="default minmax: to [-1, 1], fitted on the training part only",
        **READING,
    )
    missing: str = option(
        *("reject", Choice(titles=MISSING), "Missing cells", "What to do with missing cells"),
        note="default reject, naming the first places",
        **READING,
    )
    unknown: str = option("zeros", Choice(titles=UNKNOWN), "Unknown levels")  # no level at all, or refused

    def __post_init__(self) -> None:
        check(self)

    @property
    def fills(self) -> bool:
        return self.missing in ("mean", "most-frequent")
