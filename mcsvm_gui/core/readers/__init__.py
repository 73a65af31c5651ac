"""Readers: from a file to a Dataset, one file per format, one line here. Content decides, not the suffix."""

from __future__ import annotations

import os

from mcsvm_gui.core.dataset import Dataset
from mcsvm_gui.core.readers.options import ReadOptions

_NOTHING_SAID = ReadOptions()


def open_dataset(
    path: str | os.PathLike[str], options: ReadOptions = _NOTHING_SAID, *, needs_label: bool = True
) -> Dataset:
    """The data in a file; needs_label=True: to be trained on, so there must be classes to tell apart."""
    raise NotImplementedError


__all__ = ["ReadOptions", "open_dataset"]
