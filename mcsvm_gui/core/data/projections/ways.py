"""Whether UMAP is installed; asked in the window's thread, so that nothing large is imported for it."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from mcsvm.solvers.errors import Sentence

NEEDED = Sentence("UMAP needs the package umap-learn; install it with: pip install umap-learn")


def no_umap() -> bool:
    """A program that brings its own Python has no other to run it."""
    return getattr(sys, "frozen", False) or find_spec("umap") is None
