"""Places and cells in words, short enough for one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from solvers.errors import Sentence

_SHOWN = 5
_LONGEST = 40


def quoted(text: str) -> str:
    """A cell or a name, shortened, with what cannot be seen made visible."""
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\u2026"
    return '"' + "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in short) + '"'


def listed(things: Sequence[str], shown: int = _SHOWN) -> str:
    """a, b and c; or: a, b, c and 12 more."""
    if len(things) > shown:
        return Sentence("{some} and {count} more", some=", ".join(things[:shown]), count=len(things) - shown)
    if len(things) < 2:
        return "".join(things)
    return Sentence("{some} and {last}", some=", ".join(things[:-1]), last=things[-1])


def names(things: Iterable[str], shown: int = _SHOWN) -> str:
    return listed([quoted(thing) for thing in things], shown)


def places(lines: Iterable[int]) -> str:
    """line 4; lines 4 and 5; lines 3-7; lines 3-7, 9 and 12 more."""
    spans: list[list[int]] = []
    ordered = sorted(set(lines))
    for line in ordered:
        if spans and line == spans[-1][1] + 1:
            spans[-1][1] = line
        else:
            spans.append([line, line])
    words: list[str] = []
    for first, last in spans:
        words += (
            [str(first)] if first == last else [str(first), str(last)] if last == first + 1 else [f"{first}-{last}"]
        )
    return Sentence("line {lines}", "lines {lines}", count=len(ordered), lines=listed(words))
