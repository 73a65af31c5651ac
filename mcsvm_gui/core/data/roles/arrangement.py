"""The rows that a table shows, and their order: a value that is built without importing a library."""

from __future__ import annotations

from dataclasses import dataclass

ALL = "all"
ROWS = "rows"  # given by a button that selects rows, instead of an option
NAME = "name "  # prefix of the name of a row name column
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
    by: Place | None = None  # None: in the original order
    descending: bool = False
    where: str = ""  # conditions
    pick: str = ALL
