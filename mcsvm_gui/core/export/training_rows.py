"""The rows a model was trained on, if their file still exists and is unchanged."""

from __future__ import annotations

from pathlib import Path

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.files import parts
from mcsvm_gui.core.machine.posing import training_part
from mcsvm_gui.core.machine.sources import training_data
from mcsvm_gui.core.machine.trained import TrainedModel


def training_rows(trained: TrainedModel) -> tuple[Dataset | None, Sentence | None]:
    """Return the rows without the held-out and dropped ones; or None, and a sentence with the reason."""
    request = trained.request
    if request.data is None:
        return None, Sentence("the model names no training file")
    try:
        if not _is_there(request.data):  # reading a pipe of that name would block
            return None, Sentence("the training file {path} is not here", path=request.data)
        dataset = training_data(request, request.data)
    except (InputError, ValueError, OSError):
        return None, Sentence("the training file {path} cannot be read any more", path=request.data)
    if dataset.digest != trained.origin.digest:
        return None, Sentence("the training file {path} has changed since", path=request.data)
    return training_part(request, dataset)[0], None


def _is_there(path: str) -> bool:
    files = parts.files_of(path)
    return Path(path).is_file() if files is None else bool(files)
