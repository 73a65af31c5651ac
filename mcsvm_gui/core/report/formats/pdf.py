"""A report as PDF: A4 pages set line by line with matplotlib, text that can be searched and copied, vector plots."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mcsvm_gui.core.report import style
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
from mcsvm_gui.core.report.formats.drawing import require_matplotlib, settings
from mcsvm_gui.core.report.formats.missing_glyphs import unshown
from mcsvm_gui.core.report.formats.text_width import (
    MONO,
    SANS,
    SHAPED,
    extent,
    faces,
    fitting,
    spaced,
    standard,
    width,
    wrapped,
)

WIDTH, HEIGHT, MARGIN = 8.27, 11.69, 0.75  # inches
ROOM = WIDTH - 2 * MARGIN
PLAIN, SMALL = 9.0, 7.5  # points
SHRUNK = 0.62  # times SMALL: smallest size of a wide table
LEADING = 1.4
ASCENT = 0.93  # times the size: from the top of a line to its base
GAP = 0.1  # inches between columns of SMALL letters
CELL, WORDS = 60, 4000  # characters of a cell, and of a paragraph
SOFT, GROUND = "#5b6470", "#1f5fd0"
BADGES = {"solved": "#12805c", "close": "#8a5b00", "not solved": "#b3261e"}


def content(report: Report) -> bytes:
    require_matplotlib("a PDF report")
    stream = io.BytesIO()
    wanted = {"figure.max_open_warning": 0, "font.family": faces(SHAPED[SANS])}
    with settings(**wanted), _any_weight():
        from matplotlib.backends.backend_pdf import PdfPages

        with PdfPages(stream, metadata={"Title": shortened(report.title), "CreationDate": None}) as pages:
            paper = Paper(pages)
            paper.text(report.title, 16.0, bold=True, longest=300)
            paper.text(report.made, SMALL, colour=SOFT)
            if said := unshown(report, SHAPED[SANS]):
                paper.text(said, SMALL)
            for block in report.blocks:
                _set(paper, block)
            paper.finish()
    return stream.getvalue()


@contextmanager
def _any_weight() -> Iterator[None]:
    """Silence a warning of matplotlib at every text: a font of another script may have no bold letters."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


class Paper:
    """The position of the next line; a full page is written."""

    def __init__(self, pages: Any) -> None:
        self._pages, self._number = pages, 0
        self._begin()

    def _begin(self) -> None:
        from matplotlib.figure import Figure

        from mcsvm_gui.core.report.formats.text_artist import Lettering

        self._page, self._lettering = Figure(figsize=(WIDTH, HEIGHT)), Lettering()
        self._page.add_artist(self._lettering)
        self._number += 1
        self.left = 0.5 - MARGIN
        self.put(ROOM / 2, str(self._number), SMALL, color=SOFT)
        self.left = HEIGHT - 2 * MARGIN  # inches to the foot of the page

    def turn(self) -> None:
        self.finish()
        self._begin()

    def finish(self) -> None:
        self._pages.savefig(self._page)

    def need(self, inches: float) -> None:
        """Begin a new page if fewer inches remain."""
        if self.left < inches and self.left < HEIGHT - 2 * MARGIN:
            self.turn()

    def skip(self, inches: float) -> None:
        self.left -= inches

    def put(
        self,
        x: float,
        text: str,
        size: float,
        *,
        color: str = style.INK,
        bold: bool = False,
        family: str = SANS,
        right: bool = False,
    ) -> None:
        """Put a text on the current line, beginning (or ending) x inches from the margin."""
        from mcsvm_gui.core.report.formats.text_artist import font

        x, y = MARGIN + x, MARGIN + self.left
        if standard(text):
            x -= width(text, family, bold=bold) * size / 72 if right else 0.0
            place = 72 * x, 72 * y - ASCENT * size
            self._lettering.texts.append((*place, spaced(text), font(family, size, bold=bold), color))
            return
        artist = self._page.text(x / WIDTH, y / HEIGHT, text, va="top", ha="right" if right else "left")
        artist.set(fontsize=size, color=color, weight="bold" if bold else "normal")
        artist.set_fontfamily(faces(SHAPED[family]))

    def text(
        self, text: object, size: float, colour: str = style.INK, longest: int = WORDS, *, bold: bool = False
    ) -> None:
        """Write a paragraph, broken into lines."""
        step = LEADING * size / 72
        for line in wrapped(undirected(shortened(text, longest)), size, ROOM):
            self.need(step)
            self.put(0.0, line, size, color=colour, bold=bold)
            self.skip(step)
        self.skip(0.06)

    def rule(self) -> None:
        from matplotlib.lines import Line2D

        y = (MARGIN + self.left) / HEIGHT
        self._page.add_artist(Line2D([MARGIN / WIDTH, 1 - MARGIN / WIDTH], [y, y], color=style.FAINT, linewidth=0.5))

    def fill(self, x: float, width: float, height: float, shade: float) -> None:
        from matplotlib.patches import Rectangle

        corner = (MARGIN + x) / WIDTH, (MARGIN + self.left - height) / HEIGHT
        self._page.add_artist(
            Rectangle(corner, width / WIDTH, height / HEIGHT, color=GROUND, alpha=0.35 * shade, linewidth=0)
        )

    def plot(self, figure: Figure) -> None:
        width, height = figure.plot.size
        scale = min(1.0, ROOM / width)
        width, height = width * scale, height * scale
        self.need(height + 0.4)
        box = (MARGIN / WIDTH, (MARGIN + self.left - height) / HEIGHT, width / WIDTH, height / HEIGHT)
        room = self._page.add_axes((box[0] + 0.13, box[1] + 0.45 / HEIGHT, box[2] - 0.27, box[3] - 0.55 / HEIGHT))
        figure.plot.draw(room)
        self.skip(height + 0.05)


def _set(paper: Paper, block: Block) -> None:
    if isinstance(block, Heading):
        size = {2: 13.0}.get(block.level, 10.5)
        paper.skip(0.15)
        paper.need(1.0)
        paper.text(block.text, size, bold=True, longest=200)
    elif isinstance(block, Paragraph):
        for line in clean(block.text).splitlines():
            paper.text(line, PLAIN, BADGES.get(block.kind, style.INK), bold=bool(block.kind))
    elif isinstance(block, Properties):
        _properties(paper, block)
    elif isinstance(block, Table):
        _table(paper, block)
    elif isinstance(block, Figure):
        paper.plot(block)
        paper.text(block.caption, SMALL, SOFT)
    else:
        _code(paper, block)


def _properties(paper: Paper, block: Properties) -> None:
    key_room, step = 2.0, LEADING * SMALL / 72
    for key, value in block.rows:
        lines = list(wrapped(undirected(shortened(value, 1000)), SMALL, ROOM - key_room)) or [""]
        paper.need(step * min(len(lines), 4))
        for number, line in enumerate(lines):
            paper.need(step)
            if number == 0:
                paper.put(0.0, fitting(one_line(key), SMALL, key_room - GAP), SMALL, color=SOFT)
            paper.put(key_room, line, SMALL)
            paper.skip(step)
    paper.skip(0.08)


def _code(paper: Paper, block: Code) -> None:
    step = LEADING * 7.0 / 72
    for line in clean(block.text).splitlines():
        for part in wrapped(undirected(line), 7.0, ROOM, MONO) or [""]:
            paper.need(step)
            paper.put(0.0, part, 7.0, family=MONO)
            paper.skip(step)
    paper.skip(0.08)


# -- tables ---------------------------------------------------------------------------------------


def _table(paper: Paper, table: Table) -> None:
    """Write a table.

    Too many columns are set smaller, and then in several tables below each other, each with the first column.
    """
    if table.caption:
        paper.need(1.0)
        paper.text(table.caption, SMALL, SOFT)
    texts = [[_shown(text) for text in cells] for cells in (table.columns, *table.rows)]
    wide = sum(_widths(texts, SMALL))
    size = SMALL * min(1.0, max(ROOM / wide, SHRUNK))
    widths = _widths(texts, size)
    for columns in _chunks(widths):
        _Grid(paper, table, texts, columns, widths, size).set()


def _shown(text: str) -> str:
    return undirected(shortened(text, CELL))


def _widths(texts: list[list[str]], size: float) -> list[float]:
    gap = GAP * size / SMALL
    return [min(max(extent(row[place], size) for row in texts), 2.6) + gap for place in range(len(texts[0]))]


def _chunks(widths: list[float]) -> Iterator[list[int]]:
    columns, used = [0], 0.0
    for place in range(1, len(widths)):
        if columns[1:] and widths[0] + used + widths[place] > 1.001 * ROOM:
            yield columns
            columns, used = [0], 0.0
        columns.append(place)
        used += widths[place]
    yield columns


class _Grid:
    """Some columns of a table; the header is repeated on every page."""

    def __init__(
        self,
        paper: Paper,
        table: Table,
        texts: list[list[str]],
        columns: Sequence[int],
        widths: Sequence[float],
        size: float,
    ) -> None:
        self._paper, self._table, self._texts, self._columns, self._size = paper, table, texts, columns, size
        shrink = min(1.0, ROOM / sum(widths[place] for place in columns))
        self._widths = [shrink * widths[place] for place in columns]
        self._step, self._gap = LEADING * size / 72 + 0.03, GAP * size / SMALL

    def set(self) -> None:
        self._paper.need(4 * self._step)
        self._header()
        for number, cells in enumerate(self._texts[1:]):
            if self._paper.left < self._step:
                self._paper.turn()
                self._header()
            self._row(number, cells)
        self._paper.skip(0.12)

    def _header(self) -> None:
        self._row(None, self._texts[0])
        self._paper.rule()
        self._paper.skip(0.03)

    def _row(self, number: int | None, cells: list[str]) -> None:
        """Write a row; `number` is None for the header."""
        x = 0.0
        for place, room in zip(self._columns, self._widths, strict=True):
            shade = 0.0 if number is None else self._table.shade.get((number, place), 0.0)
            if shade > 0.0:
                self._paper.fill(x, room - self._gap / 2, self._step, shade)
            bold = number is None or (number, place) in self._table.best
            self._cell(cells[place], x, room, right=place in self._table.numbers, bold=bold)
            x += room
        self._paper.skip(self._step)

    def _cell(self, text: str, x: float, room: float, *, right: bool, bold: bool) -> None:
        shown = fitting(text, self._size, room - self._gap / 2)
        self._paper.put(x + room - self._gap if right else x, shown, self._size, bold=bold, right=right)
