"""Examples that open with data and results: a sample data set, and trainings that answer a question about it.

They are trained when they are opened, in well under a second once the solvers are loaded. Therefore the results are
those of this version on this computer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.data.samples import SampleDataset, samples
from mcsvm_gui.core.machine import names

HELD_OUT = 0.3  # for a sample without test rows


@dataclass(frozen=True)
class Example:
    """`runs`: for each run by name, the fields of its Request that differ from the defaults."""

    name: str
    title: str
    sentence: str
    data: str  # name of a sample data set
    runs: Mapping[str, Mapping[str, Any]]

    @property
    def sample(self) -> SampleDataset:
        return next(sample for sample in samples() if sample.name == self.data)


def examples() -> tuple[Example, ...]:
    """Return the examples.

    C and gamma of the last: `mcsvm tune segment.csv --machine ww --search coarse-to-fine --step 2 --test-share 0.3`.
    Machines are labelled with their names, so that colours and tables mean the same.
    """
    six = {machine: {"machine": machine, "C": 2.0, "gamma": 0.125} for machine in names.MACHINES}
    curved = {"ww linear": {"kernel": "linear"}, "ww Gauss": {"kernel": "rbf"}}
    guessed = {tr("ww guessed"): {}, tr("ww searched"): {"C": 256.0, "gamma": 0.0625}}
    return (
        Example(
            "six", tr("Six machines, one answer"), tr("Which of six machines knows the grower of a wine?"), "wine", six
        ),
        Example(
            "curved",
            tr("Straight or curved"),
            tr("What a Gaussian kernel adds to straight borders, on vowels of other speakers."),
            "vowel",
            curved,
        ),
        Example(
            "guessed",
            tr("Guessed or searched"),
            tr("What tuning C and gamma gains, on patches of photographs."),
            "segment",
            guessed,
        ),
    )
