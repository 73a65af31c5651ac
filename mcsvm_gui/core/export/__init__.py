"""A trained model in the formats of other programs, one file each; every export is tried before its file appears.

A new format is one file here with `refusal` and `export`, and one line in EXPORTERS.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.formats import Format

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.export.checked import Receipt
    from mcsvm_gui.core.machine.trained import TrainedModel


BY_COSTS = "json", "python", "c", "onnx"  # formats that can hold a rule of costs
HOLDERS = {  # of features other than values and levels, and of imputed values that are not numbers
    "words": ("python", "onnx", "json"),
    "dates": ("python", "onnx", "json"),
    "gaps": ("python", "onnx", "json"),
    "neighbors": ("python", "json"),
}
_NEEDED = {
    "words": Sentence("the model learns from words"),
    "dates": Sentence("the model learns from parts of dates"),
    "gaps": Sentence("the model learns from joined categories or from gaps"),
    "neighbors": Sentence("the model fills missing cells from training rows"),
}
WRITTEN = "rbf", "linear", "polynomial", "sigmoid", "precomputed"  # kernels whose formula the formats can express


class Exporter(Format):
    def refusal(self, trained: TrainedModel) -> str | None:
        """Return None, or a sentence: why this format cannot hold the model, and which format can."""
        kernel = trained.model.kernel.name
        if kernel not in WRITTEN:
            return Sentence("no other program knows the kernel {kernel}; keep the model as it is.", kernel=kernel)
        if trained.rule is not None and self.name not in BY_COSTS:
            return Sentence(
                "the model decides by costs, which this format cannot hold; use one of {formats}.",
                formats=", ".join(BY_COSTS),
            )
        needs = trained.preparation.needs
        beyond = next((need for need in needs if self.name not in HOLDERS[need]), None)
        if beyond is not None:
            holders = [name for name in EXPORTERS if all(name in HOLDERS[need] for need in needs)]
            return Sentence(
                "{why}, which this format cannot hold; use {formats}.", why=_NEEDED[beyond], formats=", ".join(holders)
            )
        found: Sentence | None = self.code.refusal(trained)
        return found

    def export(self, trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
        """Write the model after checking that the file's labels on `check` are the model's own.

        If `check` is None, the training rows are used or, if their file is gone, the support vectors. If the format
        cannot hold the model or a label differs, raise InputError with a sentence and write nothing.
        """
        from mcsvm.solvers.errors import InputError

        reason = self.refusal(trained)
        if reason is not None:
            raise InputError("{name}: {reason}", name=self.name, reason=reason)
        receipt: Receipt = self.code.export(trained, path, check)
        return receipt


def _exporter(name: str, title: str, suffix: str) -> Exporter:
    return Exporter(name, title, (suffix,), f"mcsvm_gui.core.export.{name}")


EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        _exporter("onnx", "ONNX", ".onnx"),
        _exporter("libsvm", "LIBSVM", ".model"),
        _exporter("liblinear", "LIBLINEAR", ".model"),
        _exporter("pmml", "PMML", ".pmml"),
        _exporter("json", "JSON", ".json"),
        _exporter("c", "C source", ".c"),
        _exporter("python", "Python source", ".py"),
    )
}
