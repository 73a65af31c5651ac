"""Whether UMAP is installed. The window's thread calls this, so it imports nothing large."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from mcsvm.solvers.errors import Sentence

NEEDED = Sentence("UMAP needs the package umap-learn; install it with: pip install umap-learn")


def no_umap() -> bool:
    """Return whether UMAP cannot run: it is not installed, or the program is bundled without a separate Python."""
    return getattr(sys, "frozen", False) or find_spec("umap") is None
