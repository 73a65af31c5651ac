"""How large a bundle is, part by part, with what each part is for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import bill

# The first with which a place begins.
PURPOSES = {
    "llvmlite": "LLVM: loads the solvers' compiled loops, and compiles them where none are shipped",
    "PySide6": "Qt: the window, on X11 and Wayland",
    "shiboken6": "Qt: its bridge to Python",
    "scipy": "sparse matrices, factorisations, linear programmes, statistical tests; an OpenBLAS of its own",
    "numpy": "arrays; an OpenBLAS of its own",
    "pandas": "reads tables",
    "sklearn": "base classes, folds and scores",
    "scikit_learn": "base classes, folds and scores",
    "matplotlib": "draws reports; its fonts are also those of formulas",
    "fontTools": "embeds fonts into PDF reports",
    "PIL": "what matplotlib needs for pictures",
    "pillow": "what matplotlib needs for pictures",
    "kiwisolver": "what matplotlib needs for layout",
    "contourpy": "what matplotlib needs for contours",
    "numba": "turns the solvers' loops into LLVM's language",
    "pyqtgraph": "live plots",
    "openpyxl": "reads Excel",
    "mcsvm/solvers": "the solvers' sources, and their loops compiled for this kind of processor",
    "mcsvm_gui": "example data, icons, translations, guide, licences, a font",
    "lib": "Python itself, and libraries that desktops lack at times",
    "python3": "Python itself: modules in C",
    "base_library": "Python itself: modules",
    "mcsvm": "the program: all modules in Python",
}
OTHER = "smaller libraries"


def parts(bundle: Path) -> dict[str, int]:
    """Bytes by purpose, largest first."""
    found: Counter[str] = Counter()
    for path in bundle.rglob("*"):
        if path.is_file() and not path.is_symlink():
            found[purpose(place_of(bundle, path))] += path.stat().st_size
    return dict(found.most_common())


def place_of(bundle: Path, path: Path) -> str:
    place = path.relative_to(bundle)
    inner = bill.inside(bundle)
    return (path.relative_to(inner) if inner != bundle and path.is_relative_to(inner) else place).as_posix()


def purpose(place: str) -> str:
    return next((words for begin, words in PURPOSES.items() if place.startswith(begin)), OTHER)


def table(bundle: Path) -> str:
    found = parts(bundle)
    lines = [f"{size / 1e6:8.1f} MB  {words}" for words, size in found.items()]
    return "\n".join([*lines, f"{sum(found.values()) / 1e6:8.1f} MB  installed"])
