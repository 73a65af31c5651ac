"""The options of a search: a TuneRequest, and the table of its options.

The ranges of C and gamma are declared with these two, in the table of training options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.options import Choice, Flag, Kind, Number, Option, Share, Whole, number, option, options_of
from mcsvm_gui.core.data.costs import Costs, CostTable
from mcsvm_gui.core.data.files.address import Address
from mcsvm_gui.core.machine.request import OPTIONS

if TYPE_CHECKING:
    from mcsvm.solvers.selection.grid import Range

SEARCHES = {  # a test compares them with the solvers' registry
    "grid": "Every cell",
    "coarse-to-fine": "Coarse to fine",
    "two-line": "Two lines",
    "halving": "Successive halving",
    "race": "Race",
    "per-pair": "Each pair its own",
}
SCORES = {  # likewise
    "accuracy": "Accuracy",
    "balanced-accuracy": "Balanced accuracy",
    "macro-f1": "Macro F1",
    "log-loss": "Log loss",
    "cost": "Mean cost",
}
RANGES = {name: one for name, one in OPTIONS.items() if one.searched}
BOTH = "tune", "compare"
FIRST: dict[str, Any] = {"tune": "first", "commands": BOTH}
CURVE = {"commands": (*BOTH, "curve")}
CHECKED = {"commands": (*BOTH, "curve", "check")}
MORE: dict[str, Any] = {"tune": "more", "commands": ("tune",)}
SEARCH = Kind("|".join(SEARCHES))
HELD_OUT = "A share such as 0.3, held out once to validate every cell on it, instead of folds"
AGAIN = "Of the cross-validation, each time with other folds"
TEST_SHARE = (
    "A share of DATA such as 0.3 that the search never sees: `train --holdout` with the same seed tests on it what the"
    " search chose"
)
UNTIL = {  # likewise
    "tolerance": "At the tolerance",
    "proved": "Decisions are proved",
    "unchanged": "Decisions do not change",
}
ENDED = (
    "When to end each training: at the tolerance, once its predictions for the test rows of a fold are provably final,"
    " or once they have not changed for a while; cells say how they ended"
)
BUDGET = (
    "End the search after this many seconds, with the best so far; reading the data and compiling do not count. With"
    " --model the training of the best models counts too, on as many rows as the time allows"
)
LED = (
    "Search machines with one problem for all classes (ww, cs, llw) only near the best C and gamma of the others, with"
    " --search coarse-to-fine or halving"
)
PRICED = "What errors cost, for the mean cost: class names in the first row and column, true classes down"
CLUSTER = "The address of a Dask scheduler whose workers do the search, as tcp://HOST:8786"
STEP = Option(
    *("step", 1.0, Number(positive=True), "Step"),
    help="Between neighbours, in powers of two; 1 doubles from cell to cell",
    **FIRST,
)


@dataclass(frozen=True)
class TuneRequest:
    """The settings of a search; all others are in the Request, whose machine, C and gamma are ignored here."""

    machines: tuple[str, ...] = ("ww",)
    C: Range = field(default_factory=lambda: range_of(OPTIONS["C"].searched))
    gamma: Range | None = field(default_factory=lambda: range_of(OPTIONS["gamma"].searched))  # None: no gamma
    search: str = option("grid", SEARCH, "Search", "Which cells of the grid are tried", **FIRST)
    score: str = option(
        "accuracy", Choice(titles=SCORES), "Chosen by", "The measure that decides which cell is best", **FIRST
    )
    folds: int = option(5, Whole(), "Folds", "Of cross-validation", spin=(2, 100), **FIRST | CHECKED)
    repeats: int = option(1, Whole(), "Repeats", AGAIN, spin=(1, 100), use="rows", **MORE | CURVE)
    holdout: float | None = option(None, Share(), "Hold-out", HELD_OUT, unsaid="none", use="rows", **MORE)
    test_share: float | None = option(None, Share(), "Test share", TEST_SHARE, unsaid="none", use="rows", **MORE)
    budget: float | None = option(
        *(None, Number("S", positive=True), "Time budget", BUDGET),
        unsaid="none",
        unit="s",
        use="end",
        **MORE,
    )
    led: bool = option(False, Flag(), "Slow machines follow", LED, use="end", **MORE)
    until: str = option("tolerance", Choice(titles=UNTIL), "Trainings end", ENDED, use="end", **MORE)
    nested: bool = option(
        False,
        Flag(),
        "Nested",
        "Also estimate the accuracy of the whole search by nested cross-validation",
        use="rows",
        **MORE,
    )
    costs: CostTable | None = option(  # noqa: RUF009 - a field
        *(None, Costs(), "Costs", PRICED),
        unsaid="every error 1",
        use="errors",
        **MORE,
    )
    jobs: int | None = option(
        *(None, Whole(), "Threads", "That share the work"),
        note="default one for each processor",
        unsaid="all",
        spin=(0, 256),
        use="computer",
        **MORE | {"commands": ("tune", "curve")},
    )
    scheduler: str | None = option(None, Address(), "Cluster", CLUSTER, unsaid="this computer", use="computer", **MORE)

    @property
    def parts(self) -> int:
        """The number of parts on which every cell is validated."""
        return self.folds * self.repeats if self.holdout is None else 1

    def document(self) -> dict[str, Any]:
        """Return the request as plain JSON."""
        return {**asdict(self), **{name: one.kind.plain(getattr(self, name)) for name, one in ITS_OWN.items()}}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> TuneRequest:
        """Read a document; raise InputError if it is not a request. `check` judges its values."""
        from mcsvm.solvers.selection.grid import Range

        try:
            given = dict(document)
            if "gammas" in given:  # from before `costs` were those of errors
                given |= {"C": given.pop("costs"), "gamma": given.pop("gammas")}
            given |= {name: one.kind.loaded(given[name]) for name, one in ITS_OWN.items() if name in given}
            gamma = given["gamma"]
            given |= {"machines": tuple(given["machines"]), "C": Range(**given["C"])}
            return cls(**{**given, "gamma": None if gamma is None else Range(**gamma)})
        except InputError:
            raise
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise InputError("this is no search: {reason}", reason=" ".join(str(error).split())) from error


ITS_OWN = options_of(TuneRequest)
SEARCH_OPTIONS = {"step": STEP, **ITS_OWN}


def range_of(text: str, step: float = STEP.default) -> Range:
    """Read a range such as 2^-2:2^12, or one number; raise InputError."""
    from mcsvm.solvers.selection.grid import Range

    low, _, high = text.partition(":")
    return Range.between(number(low), number(high or low), step)
