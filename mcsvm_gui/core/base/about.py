"""The version of this program, and the texts of the About dialog."""

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
    """Return our licence and the sources of the example data; other licences are in core.base.licences."""
    sources = (folder() / "datasets" / "ATTRIBUTION.md").read_text("utf-8")
    own = [part.text for part in components() if part.name == OWN]
    return "\n\n".join([*own, _plain(sources)])


def _plain(markdown: str) -> str:
    """Turn tables into paragraphs, because a narrow window breaks the lines of a table."""
    lines = []
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ruler = line.startswith("|") and all(set(cell) <= set("-: ") for cell in cells)
        if not ruler and cells[:1] != ["file"]:
            lines.append(f"{cells[0]}: {cells[-1]}" if line.startswith("|") else line.lstrip("# "))
    return "\n".join(lines).strip()
