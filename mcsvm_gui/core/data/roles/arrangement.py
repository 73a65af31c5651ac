"""Which rows a table shows, and in which order: a value, which needs no library to be made."""

from __future__ import annotations

from dataclasses import dataclass

ALL = "all"
ROWS = "rows"  # what a button says that picks rows, in place of an option
NAME = "name "  # before what a column of names is called
PICKS = {
    ALL: "all rows",
    "outliers": "outliers",
    "repeated": "repeated rows",
    "contradictions": "contradicting rows",
    "missing": "rows with missing cells",
}
Place = int | str  # the number of a feature; or label, weight, or a NAME


@dataclass(frozen=True)
class Arrangement:
    by: Place | None = None  # None: as they come
    descending: bool = False
    where: str = ""  # conditions
    pick: str = ALL
