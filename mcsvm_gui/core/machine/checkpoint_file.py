"""The checkpoint of a training: a file next to its model, from which the training continues with the same bits.

It holds the request too, so that a training continues that was killed before its model was saved. It is not part of the
model file, because it is of no use once the training has ended, and may be much larger.
"""

from __future__ import annotations

import io
import json
import math
import os
import time
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import opened
from mcsvm_gui.core.base.writing import Named, replacing
from mcsvm_gui.core.data.dataset import Notice
from mcsvm_gui.core.machine.request import Request

SUFFIX = ".checkpoint"
REQUEST, RUN = "request.json", "run.zip"
SECONDS = 60.0  # between two checkpoints of a training; a killed one loses no more
SHARE = 0.01  # of the time of a training: if checkpoints would take more, there are fewer
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, MemoryError, NotImplementedError, RuntimeError),
    *(AttributeError, LookupError, TypeError, ValueError),
)


@dataclass(frozen=True)
class Checkpoint:
    """A point of a training; `content` is the run as `Run.pack` returns it."""

    request: Request
    iterations: int
    ending: Ending | None  # None: the training was killed while it ran
    content: bytes


def path_for(model: Named) -> str:
    """Return the path of the checkpoint of the model that is saved under this name."""
    return f"{os.fspath(model)}{SUFFIX}"


def save(model: Named, checkpoint: Checkpoint | None) -> str | None:
    """Write the checkpoint of a model and return its path; without one remove that of an earlier training."""
    path = path_for(model)
    if checkpoint is None:
        with suppress(OSError):
            os.unlink(path)
        return None
    document = {
        "request": checkpoint.request.document(),
        "iterations": checkpoint.iterations,
        "ending": None if checkpoint.ending is None else checkpoint.ending.value,
    }
    with replacing(path) as stream, zipfile.ZipFile(stream, "w") as archive:  # the run is compressed already
        archive.writestr(REQUEST, json.dumps(document))
        archive.writestr(RUN, checkpoint.content)
    return path


def load(model: Named) -> Checkpoint | None:
    """Return the checkpoint of a model; None if it does not exist."""
    path = path_for(model)
    if not os.path.exists(path):
        return None
    with opened(path) as stream:
        content = stream.read()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            document: dict[str, Any] = json.loads(archive.read(REQUEST))
            ending, iterations = document["ending"], document["iterations"]
            if type(iterations) is not int:
                raise ValueError("a count that is no number")
            return Checkpoint(
                request=Request.from_document(document["request"]),
                iterations=iterations,
                ending=None if ending is None else Ending(ending),
                content=archive.read(RUN),
            )
    except DAMAGED as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(path, "this checkpoint is damaged, or is none ({reason})", reason=reason) from error


class PeriodicCheckpoints:
    """Writes checkpoints of a running training at intervals, so that it can be continued after it was killed."""

    def __init__(self, model: Named, clock: Callable[[], float] = time.perf_counter) -> None:
        self._model, self._clock = model, clock
        self._due = clock() + SECONDS
        self.notices: tuple[Notice, ...] = ()

    def save_if_due(self, take: Callable[[], Checkpoint]) -> None:
        """Write `take()` if SECONDS have passed since the last checkpoint, and 1 / SHARE of the time that it took.

        A checkpoint that cannot be written does not end the training: it is the last one, and `notices` has the reason.
        """
        began = self._clock()
        if began < self._due:
            return
        try:
            save(self._model, take())
        except InputError as error:
            sentence = Sentence("no checkpoint was written while the training ran: {reason}", reason=error)
            self.notices, self._due = (Notice("checkpoint not written", sentence),), math.inf
            return
        ended = self._clock()
        self._due = ended + max(SECONDS, (ended - began) / SHARE)
