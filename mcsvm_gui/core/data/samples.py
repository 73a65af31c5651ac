"""The sample gallery: what comes with the program, and a sentence on each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.i18n import tr


@dataclass(frozen=True)
class SampleDataset:
    name: str
    title: str
    sentence: str
    rows: int
    features: int
    classes: int
    file: str  # in resources/datasets, without its suffix
    test_file: str | None = None
    test_rows: int = 0

    @property
    def path(self) -> Path:
        return resources.dataset(self.file)

    @property
    def test_path(self) -> Path | None:
        return None if self.test_file is None else resources.dataset(self.test_file)


def samples() -> tuple[SampleDataset, ...]:
    """In the order of the gallery: the easy first."""
    return (
        SampleDataset(
            name="iris",
            title=tr("Iris"),
            sentence=tr(
                "Three species of iris by the length and width of their petals and sepals. Two of them overlap."
            ),
            rows=150,
            features=4,
            classes=3,
            file="iris",
        ),
        SampleDataset(
            name="wine",
            title=tr("Wine"),
            sentence=tr(
                "Wines from three growers, told apart by chemical analysis. Their columns spread very differently."
            ),
            rows=178,
            features=13,
            classes=3,
            file="wine",
        ),
        SampleDataset(
            name="glass",
            title=tr("Glass"),
            sentence=tr(
                "Splinters of glass from windows, cars and bottles, for forensics. Few rows and unequal classes."
            ),
            rows=214,
            features=9,
            classes=6,
            file="glass",
        ),
        SampleDataset(
            name="vowel",
            title=tr("Vowel"),
            sentence=tr(
                "Eleven English vowels. Eight speakers to train on and seven others to test with, which is hard."
            ),
            rows=528,
            features=10,
            classes=11,
            file="vowel_train",
            test_file="vowel_test",
            test_rows=462,
        ),
        SampleDataset(
            name="segment",
            title=tr("Segment"),
            sentence=tr(
                "Small patches of outdoor photographs: brick, sky, grass and four more. One column is constant."
            ),
            rows=2100,
            features=19,
            classes=7,
            file="segment",
        ),
        SampleDataset(
            name="optdigits",
            title=tr("Digits"),
            sentence=tr("Handwritten digits as counts on a grid of eight by eight. Other writers wrote the test part."),
            rows=3823,
            features=64,
            classes=10,
            file="optdigits_train",
            test_file="optdigits_test",
            test_rows=1797,
        ),
    )
