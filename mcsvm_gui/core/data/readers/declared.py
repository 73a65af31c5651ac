"""Declarations of a file about its columns: the label, columns that are not features, and categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import joined
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import names, quoted
from mcsvm_gui.core.data.readers import label_column
from mcsvm_gui.core.data.readers.label_column import LabelColumn
from mcsvm_gui.core.data.remedies import Remedy

META, IGNORED, WEIGHT = Sentence("meta"), Sentence("ignored"), Sentence("weight")
TEXT, OUTPUT, UNUSED = Sentence("text"), Sentence("further class"), Sentence("neither input nor output")


@dataclass(frozen=True)
class Declared:
    """Columns by position; `left_out` gives the role that the file declares for each."""

    label: int | None = None
    left_out: Mapping[int, Sentence] = field(default_factory=dict)
    categories: frozenset[int] = frozenset()
    dates: frozenset[int] = frozenset()
    date_order: str = ""  # the order of day and month, if the file declares it
    nothing: frozenset[str] = frozenset()  # the words for a missing cell, in addition to the empty cell
    names: tuple[str, ...] = ()  # the names that the positions refer to

    def choose(
        self,
        path: Path,
        columns: Sequence[str],
        given: Sequence[str],
        options: ReadOptions,
        others: Set[int | None],
        *,
        needs_label: bool,
    ) -> LabelColumn:
        """Return the requested label, else the declared one, else one of the columns that may be features."""
        if options.label is not None:
            return label_column.choose(path, columns, given, options, needs_label=needs_label)
        if self.label is not None and self.label not in others:
            return LabelColumn(self.label)
        kept = [j for j in range(len(columns)) if j not in self.left_out and j not in others]
        names = [columns[j] for j in kept]
        bare = [given[j] for j in kept]
        fewest = 2 if len(kept) == len(columns) else 1  # one column is enough if other columns have other roles
        found = label_column.choose(path, names, bare, options, needs_label=needs_label, fewest=fewest)
        return found if found.position is None else replace(found, position=kept[found.position])

    def dropped(self, taken: Set[int]) -> tuple[int, ...]:
        """Return the columns to leave out. `taken`: columns that have a use, whatever the file declares."""
        return tuple(j for j in self.left_out if j not in taken)

    @property
    def names_of_rows(self) -> tuple[int, ...]:
        """Columns that are shown but never learned from."""
        return tuple(j for j, role in self.left_out.items() if role in (META, TEXT))

    def notices(self, columns: Sequence[str], taken: Set[int]) -> tuple[Notice, ...]:
        marked: dict[Sentence, list[str]] = {}
        for j in self.dropped(taken):
            marked.setdefault(self.left_out[j], []).append(columns[j])
        if not marked:
            return ()
        parts = [Sentence("{names} ({role})", names=names(some), role=role) for role, some in marked.items()]
        said = [Notice("left-out", Sentence("left out, as the file marks them: {columns}", columns=joined(parts)))]
        if weighs := marked.get(WEIGHT, []):
            sentence = Sentence(
                "the file marks column {name} as the weight of its rows; to count rows by it, {weights}",
                name=quoted(weighs[0]),
                weights=Remedy("weights", weighs[0], verb="say"),
            )
            said.append(Notice("weight-offered", sentence))
        return tuple(said)
