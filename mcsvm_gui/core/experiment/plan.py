"""The plan of an experiment: how the rows of a data set are split into training rows and test rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.posing import whole as whole_number
from mcsvm.solvers.selection.folds import Fold
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.data import splitting
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.machine.request import OPTIONS

SPLITS = {
    "folds": "cross-validation: every row is tested once in each round",
    "shares": "several splits by lot, each class giving its share to the test",
    "test": "trained on all rows, tested on a file of their own",
    "none": "trained on all rows, or on those that a run does not hold out",
}


@dataclass(frozen=True)
class Plan:
    """A plan. `whole`: also train on all rows, which gives the model to use and its certificate."""

    splits: str = "none"
    folds: int = 5
    repeats: int = 1
    count: int = 10
    share: float = 0.3
    seed: int = 0
    summary: str = "mean"  # "mean" or "median" over all parts
    whole: bool = False
    split: str = OPTIONS["split"].default  # how rows are split: "auto" uses the columns of groups or folds

    def __post_init__(self) -> None:
        if self.splits not in SPLITS:
            raise InputError(
                "splits must be one of {choices}, not {splits!r}", choices=", ".join(SPLITS), splits=self.splits
            )
        if self.summary not in ("mean", "median"):
            raise InputError("summary must be mean or median, not {summary!r}", summary=self.summary)
        for name in ("folds", "repeats", "count"):
            whole_number(name, getattr(self, name))
        if type(self.seed) is not int or not 0 <= self.seed < 2**63:
            raise InputError("the seed of the plan must be a whole number of at least 0, not {seed!r}", seed=self.seed)
        if type(self.share) not in (int, float) or not 0.0 < self.share < 1.0:
            raise InputError(
                "the share of the plan must lie between 0 and 1, such as 0.3, not {share!r}", share=self.share
            )
        OPTIONS["split"].check(self.split)
        if type(self.whole) is not bool:
            raise InputError("whole must be true or false, not {whole!r}", whole=self.whole)

    def parts(self, dataset: Dataset) -> tuple[Fold, ...]:
        """Return the splits, which are the same for every run, whatever machine it trains."""
        assert dataset.labels is not None
        if self.splits == "folds":
            return splitting.splits_of(dataset, self.split, self.folds, self.repeats).of(dataset.labels, self.seed)
        if self.splits == "shares":
            seeds = range(self.seed, self.seed + self.count)
            return tuple(Fold(*splitting.held_out(dataset, self.share, seed, self.split)[:2]) for seed in seeds)
        return ()

    def trainings(self, dataset: Dataset) -> int:
        """Return the number of parts of a trial; 0 if it is trained once, on all rows."""
        parts = splitting.parts_of(dataset, self.split, self.folds, self.repeats, None)
        return {"folds": parts, "shares": self.count}.get(self.splits, 0)

    @property
    def tests_rows_once(self) -> bool:
        """Return whether every row is tested at most once; only then can the rows of all parts be pooled."""
        return self.splits == "test" or (self.splits == "folds" and self.repeats == 1)

    @property
    def text(self) -> str:
        if self.splits == "folds":
            rounds = f", {self.repeats} times" if self.repeats > 1 else ""
            by = {"auto": "stratified"}.get(self.split, self.split)
            way = "stratified cross-validation" if by == "stratified" else f"cross-validation by {by}"
            return f"{self.folds}-fold {way}{rounds} (seed {self.seed}); the {self.summary} counts"
        if self.splits == "shares":
            tested = f"{figures.exact_percent(self.share)} of each class to test on (seed {self.seed})"
            return f"{self.count} splits with {tested}; the {self.summary} counts"
        return SPLITS[self.splits]

    def document(self) -> dict[str, Any]:
        """Return the fields that this kind of splits uses."""
        used = {"folds": ("folds", "repeats"), "shares": ("count", "share")}.get(self.splits, ())
        said = ("split",) if used and self.split != OPTIONS["split"].default else ()
        chosen = ("splits", *used, *(("seed", "summary", "whole") if used else ()), *said)
        return {name: value for name, value in asdict(self).items() if name in chosen}
