"""A trained model into any file it can become: our own format, and those of other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.trained import TrainedModel

OWN = "mcsvm"


@dataclass(frozen=True)
class Format:
    name: str
    title: str
    suffix: str
    refusal: str | None = None  # why it cannot hold the model at hand


def titles() -> dict[str, str]:
    """Where a registered name is no word to show."""
    return {
        OWN: tr("mcsvm model"),
        "onnx": "ONNX",
        "libsvm": "LIBSVM",
        "liblinear": "LIBLINEAR",
        "pmml": "PMML",
        "json": "JSON",
        "c": tr("C source"),
        "python": tr("Python source"),
    }


def formats(trained: TrainedModel | None = None) -> tuple[Format, ...]:
    """All of them; each says whether it can hold this model."""
    from mcsvm_gui.core.export import EXPORTERS

    named = titles()
    others = [
        Format(name, named.get(name, name), exporter.SUFFIX, None if trained is None else exporter.holds(trained))
        for name, exporter in EXPORTERS.items()
    ]
    return (Format(OWN, named[OWN], ".mcsvm"), *others)


def write(trained: TrainedModel, name: str, path: str) -> str:
    """What was written and how it was checked; InputError, and no file, where the format cannot hold the model."""
    if name == OWN:
        from mcsvm_gui.core.machine import model_file

        model_file.save(path, trained)
        return tr("Wrote {path}.", path=path)
    from mcsvm_gui.core.export import EXPORTERS

    return EXPORTERS[name].export(trained, Path(path)).sentence
