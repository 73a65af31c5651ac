"""This program itself: its version, and what the About dialog says of it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from mcsvm_gui.core.base.licences import OWN, components
from mcsvm_gui.core.base.resources import folder


def own_version() -> str:
    try:
        return version("mcsvm")
    except PackageNotFoundError:
        return "source"


def text() -> str:
    """Our licence, and where the example data are from; the licences of others are in core.licences."""
    sources = (folder() / "datasets" / "ATTRIBUTION.md").read_text("utf-8")
    own = [part.text for part in components() if part.name == OWN]
    return "\n\n".join([*own, _plain(sources)])


def _plain(markdown: str) -> str:
    """Tables as paragraphs: a narrow window breaks their lines."""
    lines = []
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ruler = line.startswith("|") and all(set(cell) <= set("-: ") for cell in cells)
        if not ruler and cells[:1] != ["file"]:
            lines.append(f"{cells[0]}: {cells[-1]}" if line.startswith("|") else line.lstrip("# "))
    return "\n".join(lines).strip()
