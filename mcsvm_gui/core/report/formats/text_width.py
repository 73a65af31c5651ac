"""The width of texts on a page of a PDF, and lines that fit.

Most text is set in the fonts that every reader of PDF has: a string as it is, without embedding or shaping. Other
scripts use the font of the figures, shaped by matplotlib.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

LETTERS = 400  # no line of a page has as many
SANS, MONO = "Helvetica", "Courier"  # standard fonts
SHAPED = {SANS: "DejaVu Sans", MONO: "DejaVu Sans Mono"}
NAMED = {"quotesingle": "'", "grave": "`", "endash": "\u2013", "ellipsis": "\u2026", "plusminus": "\u00b1"}
# In this order; CJK fonts have most letters of other scripts too.
FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK TC", "Noto Sans CJK KR", "Source Han Sans SC"),
    *("Source Han Sans", "Noto Sans SC", "Noto Sans JP", "Noto Sans TC", "Noto Sans KR", "Droid Sans Fallback"),
    *("WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "IPAGothic", "TakaoGothic", "NanumGothic"),
    *("Microsoft YaHei", "SimHei", "Yu Gothic", "Meiryo", "MS Gothic", "Malgun Gothic", "Nirmala UI", "Leelawadee UI"),
    *("PingFang SC", "PingFang HK", "Hiragino Sans", "Hiragino Sans GB", "Apple SD Gothic Neo", "Arial Unicode MS"),
    *("Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil", "Noto Sans Thai", "Noto Sans Ethiopic"),
    *("Segoe UI Symbol", "Noto Sans Symbols", "Noto Sans Symbols 2"),
)
# Has a box for every letter. If it is listed like other fonts, matplotlib uses it without a warning.
LAST_RESORT = "Last Resort High-Efficiency"
USUAL = 0.6  # times the size: width of letters that are not in the table


def spaced(text: str) -> str:
    """Replace narrow spaces: standard fonts have only one unbreakable space."""
    return text.replace("\u202f", "\u00a0")


@lru_cache(maxsize=65_536)
def standard(text: str) -> bool:
    """Return whether a standard font has every letter."""
    try:
        spaced(text).encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def extent(text: str, size: float, family: str = SANS) -> float:
    """Return the width in inches, a little more than regular letters need, because bold ones are wider."""
    return 1.06 * width(text, family) * size / 72


@lru_cache(maxsize=65_536)
def width(text: str, family: str = SANS, *, bold: bool = False) -> float:
    """Return the width at a size of 1."""
    if not standard(text):
        return _shaped(text, SHAPED[family])
    widths = _widths(f"{family}-Bold" if bold else family)
    return sum(widths[letter] if letter in widths else _like(letter, widths) for letter in spaced(text))


def _like(letter: str, widths: Mapping[str, float]) -> float:
    """Return the width of the letter without its accent, which makes no letter wider."""
    return widths.get(unicodedata.normalize("NFKD", letter)[0], USUAL)


@lru_cache(maxsize=4)
def _widths(name: str) -> dict[str, float]:
    """Read Adobe's metrics from matplotlib's data: lines such as `C 65 ; WX 667 ; N A ; B 14 0 654 718 ;`."""
    import matplotlib

    path = Path(matplotlib.get_data_path()) / "fonts" / "pdfcorefonts" / f"{name}.afm"
    widths: dict[str, float] = {}
    for line in path.read_text("latin-1").splitlines():
        if line.startswith("C "):
            code, units, glyph = (part.split()[1] for part in line.split(";")[:3])
            letter = NAMED.get(glyph) or (chr(int(code)) if 32 <= int(code) < 127 and code not in ("39", "96") else "")
            widths |= {letter: int(units) / 1000} if letter else {}
    return widths


@lru_cache(maxsize=4)
def families(first: str) -> tuple[str, ...]:
    """Return that font, then the installed fallbacks."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return first, *(name for name in FALLBACKS if name in installed)


def faces(first: str) -> list[str]:
    """Return the fonts for drawing; together they have a glyph for every letter."""
    return [*families(first), LAST_RESORT]


@lru_cache(maxsize=8)
def _font(family: str) -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font([findfont(FontProperties(family=[name])) for name in faces(family)])


def _shaped(text: str, family: str) -> float:
    """Measure at a large size, because small letters are rounded to pixels."""
    font = _font(family)
    font.set_size(100.0, 72)
    font.set_text(text, 0.0)
    return float(font.get_width_height()[0]) / 64 / 100


# -- lines ----------------------------------------------------------------------------------------


def fitting(text: str, size: float, room: float) -> str:
    """Return as much text as fits, with a mark if it is cut."""
    if extent(text, size) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if extent(text[:middle] + "\u2026", size) <= room else (low, middle - 1)
    return text[:low] + "\u2026"


def wrapped(text: str, size: float, room: float, family: str = SANS) -> list[str]:
    """Return lines that fit; words longer than a line are cut."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if len(longer) <= LETTERS and extent(longer, size, family) <= room:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while len(line) > LETTERS or extent(line, size, family) > room:
            cut = _cut(line, size, room, family)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line] if line or not lines else lines


def _cut(word: str, size: float, room: float, family: str) -> int:
    """Return the number of letters that fit, at least one."""
    low, high = 1, min(len(word), LETTERS)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if extent(word[:middle], size, family) <= room else (low, middle - 1)
    return low
