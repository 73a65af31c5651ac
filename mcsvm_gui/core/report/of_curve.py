"""The learning curve of a run in a report: its points, the law fitted to them and extrapolated, and conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.project.records import RunRecord
from mcsvm_gui.core.report import style
from mcsvm_gui.core.report.blocks import Block, Figure, Heading, Paragraph, Table
from mcsvm_gui.core.tune.curve import conclusion


def curve_blocks(record: RunRecord, document: Mapping[str, Any]) -> list[Block]:
    rows = tuple(
        (
            figures.count(point["rows"]),
            figures.accuracy(point["accuracy"]),
            figures.points(point["std"]),
            figures.seconds(point["seconds"]),
        )
        for point in document["points"]
    )
    said = tr("{folds} folds; the deviation is over folds.", folds=document["folds"])
    return [
        Heading(tr("Learning curve of {machine}", machine=record.name)),
        Paragraph(conclusion(document)),
        Table((tr("Rows"), tr("Accuracy"), tr("Deviation"), tr("Time")), rows, said, frozenset(range(4))),
        Figure(CurveFigure(document, record.machine), tr("Points, and the law through them with its band of 90%.")),
    ]


@dataclass(frozen=True, eq=False)
class CurveFigure:
    document: Mapping[str, Any]
    machine: str
    size: tuple[float, float] = (6.8, 3.6)

    def draw(self, axes: Any) -> None:
        colour, dashes, marker = style.machine(self.machine, 0)
        names = "rows", "accuracy", "std"
        rows, accuracy, std = (np.array([point[name] for point in self.document["points"]]) for name in names)
        axes.errorbar(rows, accuracy, yerr=std, fmt=marker, color=colour, capsize=2, linewidth=1)
        found = self.document["projected"]
        if found is not None:
            line = {name: np.array([at[name] for at in found["line"]]) for name in ("rows", "accuracy", "low", "high")}
            axes.fill_between(line["rows"], line["low"], line["high"], color=colour, alpha=0.15, linewidth=0)
            axes.plot(line["rows"], line["accuracy"], color=colour, dashes=dashes or (None, None), linewidth=1.6)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(tr("rows trained on"))
        axes.set_ylabel(tr("accuracy"))
