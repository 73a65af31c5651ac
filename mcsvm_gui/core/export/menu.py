"""The formats in which the window can save a trained model: our own, and those of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcsvm_gui.core.base.formats import Format
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.export import EXPORTERS

if TYPE_CHECKING:
    from mcsvm_gui.core.machine.trained import TrainedModel

OWN = Format("mcsvm", "mcsvm model", (".mcsvm",), "mcsvm_gui.core.machine.model_file")


class Offer(NamedTuple):
    name: str
    title: str
    suffix: str
    refusal: str | None = None  # why it cannot hold the current model


def offers(trained: TrainedModel | None = None) -> tuple[Offer, ...]:
    """Return all formats; each with the reason if it cannot hold this model."""
    others = (
        Offer(name, tr(exporter.title), exporter.suffix, None if trained is None else exporter.refusal(trained))
        for name, exporter in EXPORTERS.items()
    )
    return (Offer(OWN.name, tr(OWN.title), OWN.suffix), *others)


def titles() -> str:
    """Return the titles of the formats of other programs."""
    return ", ".join(tr(exporter.title) for exporter in EXPORTERS.values())


def write(trained: TrainedModel, name: str, path: str) -> str:
    """Write the model and return a sentence about the files and their check.

    If the format cannot hold the model, raise InputError and write no file.
    """
    if name == OWN.name:
        OWN.code.save(path, trained)
        return tr("Wrote {path}.", path=path)
    return EXPORTERS[name].export(trained, Path(path)).sentence
