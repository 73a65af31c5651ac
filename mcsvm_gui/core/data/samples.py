"""The sample gallery: the data sets that come with the program, each with a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.i18n import tr


@dataclass(frozen=True)
class SampleDataset:
    """A file in resources/datasets, or two of them if `test_rows` are in a separate file."""

    name: str
    title: str
    rows: int
    features: int
    classes: int
    test_rows: int = 0

    @property
    def path(self) -> Path:
        return resources.dataset(f"{self.name}_train" if self.test_rows else self.name)

    @property
    def test_path(self) -> Path | None:
        return resources.dataset(f"{self.name}_test") if self.test_rows else None

    @property
    def sentence(self) -> str:
        return _sentences()[self.name]


def samples() -> tuple[SampleDataset, ...]:
    """Return the samples in the order of the gallery, the easy ones first."""
    return (
        SampleDataset("iris", tr("Iris"), rows=150, features=4, classes=3),
        SampleDataset("wine", tr("Wine"), rows=178, features=13, classes=3),
        SampleDataset("glass", tr("Glass"), rows=214, features=9, classes=6),
        SampleDataset("vowel", tr("Vowel"), rows=528, features=10, classes=11, test_rows=462),
        SampleDataset("segment", tr("Segment"), rows=2100, features=19, classes=7),
        SampleDataset("optdigits", tr("Digits"), rows=3823, features=64, classes=10, test_rows=1797),
    )


def _sentences() -> dict[str, str]:
    return {
        "iris": tr("Three species of iris by the length and width of their petals and sepals. Two of them overlap."),
        "wine": tr("Wines from three growers, told apart by chemical analysis. Their columns spread very differently."),
        "glass": tr("Splinters of glass from windows, cars and bottles, for forensics. Few rows and unequal classes."),
        "vowel": tr("Eleven English vowels. Eight speakers to train on and seven others to test with, which is hard."),
        "segment": tr("Small patches of outdoor photographs: brick, sky, grass and four more. One column is constant."),
        "optdigits": tr("Handwritten digits as counts on a grid of eight by eight. Other writers wrote the test part."),
    }
