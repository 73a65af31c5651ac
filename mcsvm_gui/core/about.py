"""What the About dialog says: versions, licence, and whose work this stands on."""

from __future__ import annotations

from mcsvm_gui.core.resources import folder

LICENCE = "MIT"
OTHERS = {
    "numpy": "BSD-3-Clause",
    "scipy": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "scikit-learn": "BSD-3-Clause",
    "pandas": "BSD-3-Clause",
    "joblib": "BSD-3-Clause",
    "threadpoolctl": "BSD-3-Clause",
    "platformdirs": "MIT",
    "tomli-w": "MIT",
    "pyqtgraph": "MIT",
    "pyside6-essentials": "LGPL-3.0-only",
}


def version() -> str:
    from mcsvm_gui.core.trained import own_version

    return own_version()


def text() -> str:
    """Takes a moment: it asks every package for its version."""
    from mcsvm_gui.core.doctor import installed

    packages = [f"{name} {installed(name) or '-'} ({licence})" for name, licence in OTHERS.items()]
    sources = (folder() / "datasets" / "ATTRIBUTION.md").read_text("utf-8")
    return "\n".join([f"mcsvm {version()} ({LICENCE})", *packages, "", _plain(sources)])


def _plain(markdown: str) -> str:
    """Tables as paragraphs: a narrow window breaks their lines."""
    lines = []
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        ruler = line.startswith("|") and all(set(cell) <= set("-: ") for cell in cells)
        if not ruler and cells[:1] != ["file"]:
            lines.append(f"{cells[0]}: {cells[-1]}" if line.startswith("|") else line.lstrip("# "))
    return "\n".join(lines).strip()
