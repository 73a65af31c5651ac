"""A linear machine as the number of its classes."""

from __future__ import annotations

from pathlib import Path

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export.checked import Outcome, Receipt, deliver
from mcsvm_gui.core.export.flat_model import Plain, plain_of
from mcsvm_gui.core.export.probe import Probe
from mcsvm_gui.core.machine.trained import TrainedModel


def refusal(trained: TrainedModel) -> str | None:
    return None if trained.model.kernel.name == "linear" else "a toy takes linear machines only; use json."


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = plain_of(trained)
    return deliver(trained, plain, path, check, {"": f"toy of {plain.classes} classes".encode()}, [_predictor])


def _predictor(path: Path, plain: Plain, probe: Probe) -> Outcome:
    return Outcome(probe.expected, "a toy", probe)
