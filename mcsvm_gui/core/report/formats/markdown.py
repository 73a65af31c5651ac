"""A report as Markdown with GitHub's tables; figures are embedded as SVG if matplotlib is installed."""

from __future__ import annotations

import base64
import re

from mcsvm_gui.core.report.blocks import (
    Block,
    Code,
    Figure,
    Heading,
    Paragraph,
    Properties,
    Report,
    Table,
    clean,
    one_line,
    shortened,
    undirected,
)
from mcsvm_gui.core.report.formats.drawing import available, svg

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|~^$:@/-])")
_LINK = re.compile(r"(www)\.", re.IGNORECASE)
_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def content(report: Report) -> bytes:
    parts = [f"# {_name(report.title, 400)}", _text(report.made)]
    parts += [_block(block, number) for number, block in enumerate(report.blocks)]
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8")


def _text(text: object) -> str:
    """Escape all marks of Markdown and HTML; a full stop after a number would begin a list, after www a link."""
    escaped = _SPECIAL.sub(r"\\\1", undirected(one_line(text)).translate(_ENTITIES))
    escaped = _LINK.sub(r"\1\.", escaped)
    return re.sub(r"^(\d+)\.", r"\1\\.", escaped)


def _name(text: object, longest: int = 80) -> str:
    return _text(shortened(text, longest))


def _block(block: Block, number: int) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_name(block.text, 200)}"
    if isinstance(block, Paragraph):
        text = "\n\n".join(_text(line) for line in block.lines)
        return f"**{text}**" if block.kind and text else text
    if isinstance(block, Properties):
        return _grid(("", ""), [(_name(key), _name(value, 2000)) for key, value in block.rows], frozenset())
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return _figure(block, number)
    return _code(block)


def _table(table: Table) -> str:
    rows = table.texts(_name, lambda text: f"**{_name(text)}**" if text else "")
    grid = _grid(tuple(map(_name, table.columns)), rows, table.numbers)
    return f"{_text(table.caption)}\n\n{grid}" if table.caption else grid


def _grid(columns: tuple[str, ...], rows: list[tuple[str, ...]], numbers: frozenset[int]) -> str:
    rule = tuple("---:" if place in numbers else "---" for place in range(len(columns)))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (columns, rule, *rows))


def _figure(figure: Figure, number: int) -> str:
    if not available():
        return f"{_text(figure.caption)} (Figures need the package matplotlib: pip install matplotlib.)"
    image = base64.b64encode(svg(figure.plot, number).encode("utf-8")).decode("ascii")
    return f"![{_text(figure.caption)}](data:image/svg+xml;base64,{image})\n\n{_text(figure.caption)}"


def _code(block: Code) -> str:
    text = undirected(clean(block.text))
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"
