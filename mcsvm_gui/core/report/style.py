"""Colours of reports: machines look as they do in the window."""

from __future__ import annotations

from mcsvm_gui.core.compare import variants
from mcsvm_gui.core.compare.variants import ON_DARK
from mcsvm_gui.core.machine import names

# Names of matplotlib's markers.
MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "d", "star": "*", "pentagon": "p", "cross": "x"}


def _style(look: names.Appearance) -> tuple[str, tuple[int, ...], str]:
    return look.colour, look.dashes, MARKERS[look.marker]


MACHINES = {name: _style(look) for name, look in names.MACHINES.items()}  # colour, dashes in pen widths, marker
OTHER = _style(names.OTHER_MACHINE)
INK, FAINT = "#1b1f24", "#c9ced6"  # of plots; in HTML they follow the page


_EVERY = *MACHINES.values(), OTHER
_DASHES, _MARKERS = [dashes for _, dashes, _ in _EVERY], [marker for _, _, marker in _EVERY]
SHADES_ON_DARK = {
    variants.shaded(colour, number): variants.shaded(lighter, number, dark=True)
    for colour, lighter in ON_DARK.items()
    for number in range(len(variants.SHADES))
}


def machine(name: str, number: int = 0) -> tuple[str, tuple[int, ...], str]:
    """Return the look of a machine; `number` is the index among several runs of this machine in one figure."""
    colour, dashes, marker = MACHINES.get(name, OTHER)
    turned = variants.turned(_DASHES, dashes, number), variants.turned(_MARKERS, marker, number)
    return variants.shaded(colour, number), *turned
