"""Exports: a trained model in the formats of other programs, one file each, every one tried before it appears.

A new format is one file with NAME, SUFFIX, `holds` and `export`, and one line in `EXPORTERS`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.export import c, json, liblinear, libsvm, onnx, pmml, python
from mcsvm_gui.core.export.deliver import Receipt
from mcsvm_gui.core.machine.trained import TrainedModel


class Exporter(Protocol):
    @property
    def NAME(self) -> str: ...

    @property
    def SUFFIX(self) -> str: ...

    def holds(self, trained: TrainedModel) -> str | None:
        """None, or the sentence why this format cannot hold the model, and what would."""
        ...

    def export(self, trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
        """Write the model, once its labels on `check` are the model's own; None: on the rows it was trained on, or on
        its support vectors where their file is gone.

        Raises InputError with a sentence, and writes nothing, where the format cannot hold it or a label differs."""
        ...


EXPORTERS: dict[str, Exporter] = {module.NAME: module for module in (onnx, libsvm, liblinear, pmml, json, c, python)}

__all__ = ["EXPORTERS", "Exporter", "Receipt"]
