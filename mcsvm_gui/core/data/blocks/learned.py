"""Facts that appear too late in a file that is read block by block, so that it is read again from the start."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcsvm_gui.core.data.dataset import ColumnKind, Notice


@dataclass
class Learned:
    encoding: str | None = None
    not_utf8: tuple[int, int] = (0, 0)  # the first byte that shows it, and its line
    whole: bool = False  # rows are chosen, and only all chosen rows together show the kind of a column
    trailing: bool = True  # the last column may be left out: it has neither a name nor cells
    kinds: dict[int, ColumnKind] = field(default_factory=dict)  # of columns whose cells differ from block to block
    left_out: set[int] = field(default_factory=set)  # positions of columns that are left out as dates
    notices: list[Notice] = field(default_factory=list)  # on these columns


class ReadAgainError(Exception):
    """Raised after learning a fact that changes how the earlier blocks must be read."""
