"""Cost matrices as users write them: CSV with class names in the first row and column, true classes down, or JSON.

Light to import: the table of training options imports it.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.options import Kind, number
from mcsvm_gui.core.base.writing import Named, csv_text, plain_cell

if TYPE_CHECKING:
    import numpy as np

    from mcsvm.solvers.uncertainty.costs import CostRule

LONGEST = 50_000_000  # bytes; 2000 classes with all digits
EQUAL, BY_SHARE, BY_HAND = "equal", "share", "hand"
PRESETS = {EQUAL: "Equal", BY_SHARE: "By class share", BY_HAND: "By hand"}  # initial costs
CORNER = "true \\ decided"


@dataclass(frozen=True)
class CostTable:
    """Costs of classes by name, in the order of the columns."""

    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def rule(self, classes: Sequence[str]) -> CostRule:
        """Return the costs for a model of these classes, in their order."""
        from mcsvm.solvers.uncertainty.costs import CostRule

        return CostRule(self.ordered(classes).rows)

    def ordered(self, classes: Sequence[str]) -> CostTable:
        """Return the costs reordered to these classes; raise InputError if the names differ."""
        from mcsvm_gui.core.data.preparation.rules import some_names

        strange = [name for name in self.names if name not in classes]
        absent = [name for name in classes if name not in self.names]
        if strange:
            raise InputError(
                "the costs name {names}: no such class; the classes are {classes}",
                names=some_names(strange),
                classes=some_names(list(classes)),
            )
        if absent:
            raise InputError("there are no costs for {names}", names=some_names(absent))
        order = [self.names.index(name) for name in classes]
        return CostTable(tuple(classes), tuple(tuple(self.rows[t][c] for c in order) for t in order))

    @classmethod
    def of(cls, rule: CostRule, classes: Sequence[str]) -> CostTable:
        return cls(tuple(classes), rule.costs)

    @property
    def text(self) -> str:
        """Return the costs as CSV."""
        rows = [[name, *(repr(float(cost)) for cost in row)] for name, row in zip(self.names, self.rows, strict=True)]
        return csv_text([CORNER, *self.names], rows)

    def plain(self) -> dict[str, dict[str, float]]:
        """Return the costs by true class and predicted class, for JSON."""
        return {name: dict(zip(self.names, row, strict=True)) for name, row in zip(self.names, self.rows, strict=True)}


@dataclass(frozen=True)
class Costs(Kind):
    """A file, or JSON; JSON in commands and documents, so that a request needs no file."""

    placeholder: str = "FILE.csv"

    def parse(self, text: str) -> CostTable:
        if not text.lstrip().startswith("{"):
            return read_costs(text)
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            given = None
        return _from_plain(given)

    def check(self, name: str, value: Any) -> None:
        if not isinstance(value, CostTable):
            raise InputError("{name} must be a table of costs, not {value!r}", name=name, value=value)

    def written(self, value: Any) -> str:
        return json.dumps(value.plain(), ensure_ascii=False)

    def plain(self, value: Any) -> Any:
        return None if value is None else value.plain()

    def loaded(self, value: Any) -> Any:
        return None if value is None else _from_plain(value)


def _from_plain(given: Any) -> CostTable:
    if not isinstance(given, Mapping) or not all(
        isinstance(row, Mapping) and row.keys() == given.keys() for row in given.values()
    ):
        raise InputError('costs are written as {"a": {"a": 0, "b": 5}, "b": {"a": 1, "b": 0}}, true classes outside')
    rows = [[row[name] for name in given] for row in given.values()]
    for row in rows:
        for cost in row:
            if type(cost) not in (int, float) or not 0.0 <= cost < float("inf"):
                raise InputError("a cost must be a number of at least 0, not {cost!r}", cost=cost)
    return CostTable(tuple(map(str, given)), tuple(tuple(map(float, row)) for row in rows))


# -- forms ----------------------------------------------------------------------------------------


def preset_costs(preset: str, totals: Mapping[str, float]) -> CostTable:
    """Return preset costs. `totals`: rows of each class, or the sum of their weights."""
    from mcsvm.solvers.uncertainty.costs import CostRule

    return CostTable.of(CostRule.of(preset_table(preset, list(totals.values()))), list(totals))


def preset_table(preset: str, counts: Sequence[float]) -> np.ndarray:
    import numpy as np

    from mcsvm.solvers.uncertainty.costs import costs_by_share, equal_costs

    each = np.array(counts, dtype=np.float64)
    return equal_costs(each.size) if preset == EQUAL else np.round(costs_by_share(each), 6)


def entered_costs(entry: str, totals: Mapping[str, float]) -> tuple[str, CostTable]:
    """Return preset and costs of a form: the entered costs, or equal costs if the entry does not fit these classes."""
    try:
        return BY_HAND, Costs().parse(entry).ordered(list(totals))
    except InputError:
        return EQUAL, preset_costs(EQUAL, totals)


def costs_entry(names: Sequence[str], costs: np.ndarray) -> str:
    return Costs().written(CostTable(tuple(names), tuple(map(tuple, costs.tolist()))))


# -- files -------------------------------------------------------------------------------------------


def read_costs(path: Named) -> CostTable:
    """Read costs from a file; raise FileError, and nothing else, if it contains none."""
    rows = _rows(path)
    names = rows[0][1][1:]
    if len(set(names)) < len(names):
        raise FileError(path, "a class occurs twice here", line=rows[0][0])
    found: dict[str, tuple[float, ...]] = {}
    for line, (name, *cells) in rows[1:]:
        if name not in names or name in found:
            raise FileError(path, "{name!r} has no column of costs, or occurs twice", line=line, name=name)
        if len(cells) != len(names):
            raise FileError(
                path,
                "{found} costs; {wanted} are needed, one for each class that may be decided for",
                line=line,
                found=len(cells),
                wanted=len(names),
            )
        found[name] = tuple(_cost(path, line, column, cell) for column, cell in zip(names, cells, strict=True))
    absent = [name for name in names if name not in found]
    if absent:
        raise FileError(path, "there is no row of costs for {name!r}", name=absent[0])
    return CostTable(tuple(names), tuple(found[name] for name in names))


def _rows(path: Named) -> list[tuple[int, list[str]]]:
    """Return the nonempty lines with their numbers."""
    with opened(path, LONGEST) as stream:
        content = stream.read(LONGEST)
    try:
        text = content.decode("utf-8-sig")
        first = text.partition("\n")[0]
        reader = csv.reader(io.StringIO(text), delimiter=max(",;\t", key=first.count), strict=True)
        rows = [(reader.line_num, [plain_cell(cell.strip()) for cell in row]) for row in reader if any(row)]
    except (ValueError, csv.Error) as error:
        raise FileError(path, "this is no CSV file in UTF-8: {reason}", reason=error) from error
    if len(rows) < 3 or len(rows[0][1]) < 3:
        raise FileError(
            path, "a cost matrix has the names of the classes in its first row and column, and a cost in every cell"
        )
    return rows


def _cost(path: Named, line: int, column: str, cell: str) -> float:
    try:
        cost = number(cell)
    except InputError as error:
        raise FileError(path, error.sentence, line=line, column=column) from None
    if cost < 0.0:
        raise FileError(path, "a cost must be at least 0, not {cost:g}", line=line, column=column, cost=cost)
    return cost
