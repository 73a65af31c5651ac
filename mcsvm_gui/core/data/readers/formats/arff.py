"""ARFF, dense and sparse. A value omitted from a sparse row is 0, or the first value of a nominal attribute.

`content_of` and `dataset_of` also serve KEEL's files, which declare attributes in another way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Column, Dataset, Notice
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.phrases import names as worded
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers import roles
from mcsvm_gui.core.data.readers.assemble import Raw, assemble
from mcsvm_gui.core.data.readers.cells import CellKind, kind_of
from mcsvm_gui.core.data.readers.declared import Declared
from mcsvm_gui.core.data.readers.formats.arff_rows import Broken, bare, split_dense, split_sparse, without_comment
from mcsvm_gui.core.data.readers.header import column_names
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import Text, beginning, decode
from mcsvm_gui.core.data.remedies import Remedy

NAME = "arff"
OPTIONS = *roles.OPTIONS, "format", "encoding"
_START = re.compile(rb"(?:\s*(?:%[^\n\r]*)?[\n\r])*\s*@(?:relation|attribute)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s{]+)\s*(.+)", re.IGNORECASE)
_NUMERIC = {"numeric", "real", "integer"}
_DATE_ORDERS = {"": "", "y": "", "yM": "", "yMd": "", "dMy": "dmy", "Mdy": "mdy"}
_LARGEST_TABLE = 50_000_000  # cells of a sparse file that has to become dense


@dataclass(frozen=True)
class Attribute:
    name: str
    kind: str  # "number", "nominal", "text" or "date"
    levels: tuple[str, ...]
    line: int
    date_order: str = ""


@dataclass
class Content:
    """Declarations and rows. `rows`: the line number and the cells by position of each row; sparse rows omit some."""

    attributes: list[Attribute] = field(default_factory=list)
    rows: list[tuple[int, dict[int, str | None]]] = field(default_factory=list)
    sparse: bool = False
    nothing: str = "?"  # the word for a missing value


Declare = Callable[[Content, int, str], bool]  # takes a line of the header; returns whether the data begin below it


def recognizes(source: Source, options: ReadOptions) -> bool:
    found = _START.match(beginning(source)) is not None
    if not found and source.suffix in READERS[NAME].suffixes:
        raise FileError(
            source.path,
            "this is no ARFF file, which begins with @relation; if it is CSV, {format}",
            format=Remedy("format", "csv", verb="say"),
            line=1,
        )
    return found


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    text = decode(source, options)
    content = content_of(text, Content(), _take_declaration)
    dates = frozenset(j for j, found in enumerate(content.attributes) if found.kind == "date")
    orders = {found.date_order for found in content.attributes} - {""}
    declared = Declared(dates=dates, date_order=orders.pop() if len(orders) == 1 else "")
    return dataset_of(text, NAME, content, declared, options, needs_label=needs_label)


def dataset_of(
    text: Text, name: str, content: Content, declared: Declared, options: ReadOptions, *, needs_label: bool
) -> Dataset:
    source = text.source
    given = [attribute.name for attribute in content.attributes]
    columns, notices = column_names(given, len(given))
    chosen = roles.choose(source.path, columns, given, options, declared, needs_label=needs_label)
    table = _Table(source, content)
    raw = Raw(
        source,
        name,
        columns,
        table.column,
        chosen,
        np.array([line for line, _ in content.rows], dtype=np.int64),
        guesses=text.guesses,
        notices=(
            *text.notices,
            *notices,
            *declared.notices(columns, chosen.taken),
            *_unused_levels(content, chosen.label.position),
        ),
        dropped=chosen.dropped,
        categories=frozenset(j for j, found in enumerate(content.attributes) if found.kind in ("nominal", "text")),
    )
    features = [j for j in range(len(given)) if j not in chosen.taken and j not in chosen.dropped]
    if content.sparse and all(content.attributes[j].kind == "number" for j in features) and features:
        return assemble(raw, needs_label=needs_label, sparse=lambda: table.matrix(features, columns))
    if content.sparse and len(content.rows) * len(given) > _LARGEST_TABLE:
        raise FileError(
            source.path, "a sparse file with nominal features is read as a table, and this one is too large"
        )
    return assemble(raw, needs_label=needs_label)


def content_of(text: Text, content: Content, declare: Declare) -> Content:
    path, in_data = text.source.path, False
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text.data.decode("utf-8", "replace")), start=1):
        line = without_comment(line)
        if not line:
            continue
        try:
            if in_data:
                _take_row(content, number, line)
            else:
                in_data = declare(content, number, line)
        except Broken as trouble:
            raise FileError(path, trouble.sentence, line=number) from None
    if not in_data:
        raise FileError(path, "the file ends before @data; it may be cut off")
    return content


def _take_declaration(content: Content, number: int, line: str) -> bool:
    """Read one line of the header. Return whether the data begin below it."""
    word = line.split(None, 1)[0].lower()
    if word == "@data":
        if not content.attributes:
            raise Broken("there is no @attribute before @data")
        return True
    if word == "@attribute":
        content.attributes.append(_attribute(number, line))
    elif word != "@relation":
        raise Broken(Sentence("{word} is neither @relation, @attribute nor @data", word=quoted(word)))
    return False


def name_and_kind(line: str) -> tuple[str, str]:
    found = _ATTRIBUTE.fullmatch(line)
    if found is None:
        raise Broken("an attribute is declared as: @attribute name numeric, or: @attribute name {one,two}")
    return bare(found[1]), found[2].strip()


def nominal(number: int, name: str, kind: str) -> Attribute:
    if not kind.endswith("}"):
        raise Broken(Sentence("the values of attribute {name} do not end with }}", name=quoted(name)))
    return Attribute(name, "nominal", tuple(cell or "" for cell in split_dense(kind[1:-1])), number)


def _attribute(number: int, line: str) -> Attribute:
    name, kind = name_and_kind(line)
    if kind.startswith("{"):
        return nominal(number, name, kind)
    word = kind.split()[0].lower()
    if word in _NUMERIC or word == "string":
        return Attribute(name, "text" if word == "string" else "number", (), number)
    if word == "date":
        return Attribute(name, "date", (), number, _date_order(name, bare(kind[len(word) :])))
    if word == "relational":
        what = Sentence(
            "attribute {name} is relational: each of its cells holds a table of its own, as in multi-instance data,"
            " and is not read; write one row per example",
            name=quoted(name),
        )
        raise Broken(what)
    raise Broken(
        Sentence(
            "attribute {name} is of kind {kind}; numeric, string, date and {{a,b,c}} are read",
            name=quoted(name),
            kind=quoted(kind),
        )
    )


def _date_order(name: str, pattern: str) -> str:
    """Return the order of day and month in a pattern of Java's SimpleDateFormat, which Weka uses.

    The default is ISO 8601.
    """
    letters = re.sub(r"'[^']*'", "", pattern)
    order = "".join(dict.fromkeys(re.findall("[yMd]", letters)))
    together = re.search("d+M|M+d|[dM]y|y+d", letters) is not None
    if order not in _DATE_ORDERS or (together and order != "yMd"):
        raise Broken(
            Sentence(
                "attribute {name} holds dates as {pattern}; yyyy-MM-dd, dd/MM/yyyy and MM/dd/yyyy are read",
                name=quoted(name),
                pattern=quoted(pattern),
            )
        )
    return _DATE_ORDERS[order]


def _take_row(content: Content, number: int, line: str) -> None:
    sparse = line.startswith("{")
    if content.rows and sparse != content.sparse:
        raise Broken("sparse rows {index value, ...} and plain rows stand in one file; write all in one way")
    content.sparse = sparse
    many = len(content.attributes)
    if sparse:
        row = split_sparse(line, many)
    else:
        cells = split_dense(line)
        if len(cells) != many:
            raise Broken(Sentence("{cells} values where {many} attributes are declared", cells=len(cells), many=many))
        row = dict(enumerate(cells))
    row = {position: None if cell == content.nothing else cell for position, cell in row.items()}
    for position, cell in row.items():
        _check(content.attributes[position], cell)
    content.rows.append((number, row))


def _check(attribute: Attribute, cell: str | None) -> None:
    if cell is None:
        return
    if attribute.kind == "nominal" and cell not in attribute.levels:
        raise Broken(
            Sentence(
                "{cell} is no value of attribute {name}, which has {levels}",
                cell=quoted(cell),
                name=quoted(attribute.name),
                levels=worded(attribute.levels),
            )
        )
    if attribute.kind == "number" and kind_of(cell) not in (CellKind.NUMBER, CellKind.NAN, CellKind.INFINITE):
        raise Broken(
            Sentence(
                "{cell} is no number, as attribute {name} is declared to hold",
                cell=quoted(cell),
                name=quoted(attribute.name),
            )
        )


def _unused_levels(content: Content, position: int | None) -> list[Notice]:
    if position is None or content.attributes[position].kind != "nominal" or not content.rows:
        return []
    attribute = content.attributes[position]
    first = attribute.levels[0] if content.sparse else None
    used = {row.get(position, first) for _, row in content.rows}
    unused = [level for level in attribute.levels if level not in used]
    if not unused:
        return []
    return [
        Notice(
            "class-without-rows",
            Sentence("declared classes without a row are left out: {unused}", unused=worded(unused)),
        )
    ]


class _Table:
    def __init__(self, source: Source, content: Content) -> None:
        self.source, self.content = source, content

    def column(self, position: int) -> np.ndarray:
        attribute = self.content.attributes[position]
        first = attribute.levels[0] if attribute.levels else None
        left_out = {"number": "0", "nominal": first, "date": "1970-01-01"}.get(attribute.kind)
        cells = np.empty(len(self.content.rows), dtype=object)
        cells[:] = [row.get(position, left_out) for _, row in self.content.rows]
        return cells

    def matrix(self, features: Sequence[int], names: Sequence[str]) -> tuple[tuple[Column, ...], sp.csr_array]:
        place = {position: j for j, position in enumerate(features)}
        pointers, indices, values = [0], [], []
        for line, row in self.content.rows:
            for position, cell in sorted(row.items()):
                if position in place:
                    indices.append(place[position])
                    values.append(self._finite(line, position, cell))
            pointers.append(len(indices))
        parts = (
            np.array(values, dtype=np.float64),
            np.array(indices, dtype=np.int32),
            np.array(pointers, dtype=np.int32),
        )
        matrix = sp.csr_array(parts, shape=(len(self.content.rows), len(features)))
        matrix.eliminate_zeros()
        return tuple(Column(names[position], "number") for position in features), matrix

    def _finite(self, line: int, position: int, cell: str | None) -> float:
        if cell is not None and kind_of(cell) is CellKind.NUMBER:
            return float(cell)
        raise FileError(
            self.source.path,
            "attribute {name} is missing, which sparse data cannot hold; give a number, or write plain rows"
            if cell is None
            else "attribute {name} is {cell}, not finite; give a number, or write plain rows",
            name=quoted(self.content.attributes[position].name),
            cell=quoted(cell or ""),
            line=line,
        )
