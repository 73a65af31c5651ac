"""Colours of reports: machines look as they do in the window."""

from __future__ import annotations

from mcsvm_gui.core.compare import variants

MACHINES = {  # Okabe and Ito's palette: colour, dashes in pen widths, marker of matplotlib
    "ww": ("#0072b2", (), "o"),
    "llw": ("#009e73", (8, 4), "s"),
    "cs": ("#d55e00", (8, 3, 2, 3), "v"),
    "ova": ("#cc79a7", (2, 3), "d"),
    "ovo": ("#e69f00", (12, 4), "*"),
    "dag": ("#56b4e9", (8, 3, 2, 3, 2, 3), "p"),
}
OTHER = ("#8a8f98", (4, 4), "x")
ON_DARK = {
    "#0072b2": "#3d9fe0",
    "#009e73": "#2fc79b",
    "#d55e00": "#ff8438",
    "#cc79a7": "#e394c0",
    "#e69f00": "#f5b52e",
    "#56b4e9": "#8ad3ff",
    "#8a8f98": "#a9afb9",
}
INK, FAINT = "#1b1f24", "#c9ced6"  # of plots; in HTML they follow the page


_EVERY = *MACHINES.values(), OTHER
DASHES, MARKERS = [dashes for _, dashes, _ in _EVERY], [marker for _, _, marker in _EVERY]
SHADES_ON_DARK = {
    variants.shaded(colour, number): variants.shaded(lighter, number, dark=True)
    for colour, lighter in ON_DARK.items()
    for number in range(len(variants.SHADES))
}


def machine(name: str, number: int = 0) -> tuple[str, tuple[int, ...], str]:
    """`number`: which of several runs of this machine in one figure."""
    colour, dashes, marker = MACHINES.get(name, OTHER)
    turned = variants.turned(DASHES, dashes, number), variants.turned(MARKERS, marker, number)
    return variants.shaded(colour, number), *turned
