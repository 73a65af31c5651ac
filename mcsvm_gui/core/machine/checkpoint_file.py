"""The checkpoint of a stopped training: a file next to its model, from which the training continues with the same bits.

It is not part of the model file, because it is of no use once the training has ended, and may be much larger.
"""

from __future__ import annotations

import os
from contextlib import suppress

from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.writing import Named, replacing

SUFFIX = ".checkpoint"


def path_for(model: Named) -> str:
    """Return the path of the checkpoint of the model that is saved under this name."""
    return f"{os.fspath(model)}{SUFFIX}"


def save(model: Named, content: bytes | None) -> str | None:
    """Write the checkpoint of a model and return its path; without content remove that of an earlier training."""
    path = path_for(model)
    if content is None:
        with suppress(OSError):
            os.unlink(path)
        return None
    with replacing(path) as stream:
        stream.write(content)
    return path


def load(model: Named) -> bytes | None:
    """Return the checkpoint of a model; None if there is none."""
    path = path_for(model)
    if not os.path.exists(path):
        return None
    with opened(path) as stream:
        return stream.read()
