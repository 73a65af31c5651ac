"""Letters that no font of this system has: a PDF lists them, because names may look alike without them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby

from mcsvm_gui.core.report.blocks import Block, Code, Figure, Heading, Properties, Report, Table, shortened
from mcsvm_gui.core.report.formats.text_width import families, standard

INVISIBLE = "Cc", "Cf", "Zs", "Zl", "Zp"
MOST_NAMES = 50


@lru_cache(maxsize=4)
def _letters(first: str) -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    maps = (get_font(findfont(FontProperties(family=name))).get_charmap() for name in families(first))
    return frozenset(code for known in maps for code in known)


def shown(letter: str, first: str) -> bool:
    return ord(letter) in _letters(first) or unicodedata.category(letter) in INVISIBLE


# -- letters without a glyph ----------------------------------------------------------------------


def unshown(report: Report, first: str) -> str:
    """Return a sentence that lists the names with such letters, or an empty text."""
    found = dict.fromkeys(text for text in _texts(report) if not standard(text))
    names = [text for text in found if not all(shown(letter, first) for letter in text)]
    if not names:
        return ""
    listed = "; ".join(_spelled(text, first) for text in names[:MOST_NAMES])
    more = f"; and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"Letters that no font here can show stand as boxes in this file; by their code points: {listed}{more}."


def _texts(report: Report) -> Iterator[str]:
    """Yield all texts: names are whole cells, or words of sentences."""
    yield shortened(report.title)
    for block in report.blocks:
        for text in _of(block):
            yield shortened(text)


def _of(block: Block) -> Iterable[str]:
    if isinstance(block, Table):
        return (text for row in (block.columns, *block.rows) for text in row)
    if isinstance(block, Properties):
        return (text for row in block.rows for text in row)
    if isinstance(block, Figure):
        return block.caption.split()
    return (block.text,) if isinstance(block, Heading | Code) and "\n" not in block.text else block.text.split()


def _spelled(text: str, first: str) -> str:
    parts = groupby(text, lambda letter: shown(letter, first))
    return "".join("".join(run) if known else f"<{' '.join(map(_point, run))}>" for known, run in parts)


def _point(letter: str) -> str:
    return f"U+{ord(letter):04X}"
