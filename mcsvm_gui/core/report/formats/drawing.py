"""Optional matplotlib: plots as SVG, and the settings that all figures share."""

from __future__ import annotations

import importlib
import importlib.util
import io
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.report import style
from mcsvm_gui.core.report.blocks import Drawable
from mcsvm_gui.core.report.formats.text_width import LAST_RESORT

SETTINGS = {
    "font.size": 8.0,
    "font.family": ["DejaVu Sans", LAST_RESORT],
    "text.parse_math": False,  # a name with two dollars is not a formula
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": style.INK,
    "axes.labelcolor": style.INK,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "grid.color": style.FAINT,
    "grid.linewidth": 0.4,
    "legend.fontsize": 7.5,
    "legend.labelcolor": style.INK,
    "text.color": style.INK,
    "xtick.color": style.INK,
    "ytick.color": style.INK,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
_drawing = threading.RLock()
_COLOUR = re.compile(r"(?<=: )#[0-9a-f]{6}(?=[;\"])")


def available() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def require_matplotlib(what: str) -> ModuleType:
    try:
        return importlib.import_module("matplotlib")
    except ImportError:
        raise InputError(
            "{what} is drawn with the package matplotlib, which is not here; install it with: pip install"
            " matplotlib (or mcsvm[report]), or write .md, .tex or .json",
            what=what,
        ) from None


@contextmanager
def settings(**more: Any) -> Iterator[None]:
    """Apply our settings; matplotlib has one rcParams for all threads, so only one thread draws at a time."""
    import matplotlib

    with _drawing, parameters({**_plain(matplotlib.rcParamsDefault), "backend": "agg", **SETTINGS, **more}):
        yield


@contextmanager
def parameters(values: Mapping[str, Any]) -> Iterator[None]:
    """Change parameters as matplotlib.rc_context does, without its change of the process's warning filters."""
    import matplotlib

    current: Any = matplotlib.rcParams
    before = _plain(current)
    try:
        current.update(values)
        yield
    finally:
        dict.update(current, before)


def _plain(parameters: Any) -> dict[str, Any]:
    """Copy the parameters with dict's own iterator: that of rcParams changes the filters."""
    return dict(dict.items(parameters))


def svg(plot: Drawable, number: int = 0, *, follows_page: bool = False) -> str:
    """Return a figure as SVG.

    `number` distinguishes the figures of one page. With `follows_page`, colours are the page's variables, light or
    dark.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with settings(**{"svg.hashsalt": f"figure {number}"}):
        figure = Figure(figsize=plot.size, layout="constrained")
        FigureCanvasSVG(figure)
        plot.draw(figure.add_subplot())
        _localise(figure)
        stream = io.StringIO()
        figure.savefig(
            stream, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    text = stream.getvalue()
    text = text[text.index("<svg") :].replace(f", '{LAST_RESORT}'", "")  # readers have fonts of their own
    return _variable(text) if follows_page else text


def _localise(figure: Any) -> None:
    """Write the numbers at all axes in the notation of the language."""
    from matplotlib.ticker import ScalarFormatter

    class Localised(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return figures.localised(super().__call__(x, pos))

        def get_offset(self) -> str:
            return figures.localised(super().get_offset())

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(Localised())


def _variable(text: str) -> str:
    """Replace colours by variables, only inside style attributes: names in the plot keep their letters."""
    return re.sub(r'(?<= style=")[^"]*"', lambda found: _COLOUR.sub(_named, found[0]), text)


def _named(found: re.Match[str]) -> str:
    colour = found[0]
    if colour == style.INK:
        return "currentColor"
    if colour == style.FAINT:
        return "var(--line)"
    return f"var(--c{colour[1:]}, {colour})" if colour in style.SHADES_ON_DARK else colour
