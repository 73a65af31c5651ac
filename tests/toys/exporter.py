"""A linear machine as the number of its classes."""

from __future__ import annotations

from pathlib import Path

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import FilePrediction, Receipt, write_checked
from mcsvm_gui.core.export.flat_model import FlatModel, flat_model
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel


def refusal(trained: TrainedModel) -> str | None:
    return None if trained.model.kernel.name == "linear" else "a toy takes linear machines only; use json."


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = flat_model(trained)
    return write_checked(trained, plain, path, check, {"": f"toy of {plain.classes} classes".encode()}, [_predictor])


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    return FilePrediction(probe.expected, "a toy", probe)
