"""A Request: everything needed to train the same model again, and the table of training options.

A new option is a line here and its use where a problem is posed (`posing`) or its run is limited (`session`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import options
from mcsvm_gui.core.base.options import Choice, Kind, Number, Share, Weights, Whole, option, options_of
from mcsvm_gui.core.data.costs import Costs, CostTable
from mcsvm_gui.core.data.files.address import Address
from mcsvm_gui.core.data.options import SPLITS, ReadOptions, Rules
from mcsvm_gui.core.machine import names

POSITIVE, POWER = Number(positive=True), Number(positive=True, powers=True)
GAMMA = Number("X|scale", positive=True, powers=True, words=("scale",))
MACHINE: dict[str, Any] = {"group": "machine", "commands": ("train", "tune", "compare", "curve", "check")}
FIRST, MORE = MACHINE | {"train": "first"}, MACHINE | {"train": "more"}
ALONE = MORE | {"commands": ("train",)}
DECIDING = (
    "What errors cost: class names in the first row and column, true classes down; the class of the smallest expected"
    " cost is decided for, which needs --calibrate"
)
ONE = FIRST | {"commands": ("train", "tune", "curve", "check")}  # compare takes several, under another name
CALIBRATIONS = {
    "none": "No probabilities",
    "temperature": "Temperature",
    "pairwise": "Pairwise coupling",
    "sigmoid": "Sigmoid per class",
}


@dataclass(frozen=True)
class RegisteredName(Kind):
    """A name in a registry of the solvers, which checks it later: loading the solvers takes half a second."""

    aliases: Mapping[str, str] = field(default_factory=dict)

    def parse(self, text: str) -> str:
        return self.aliases.get(text, text)

    def loaded(self, value: Any) -> Any:
        return self.aliases.get(value, value) if isinstance(value, str) else value


def _named(titles: Iterable[str]) -> Kind:
    return RegisteredName("|".join(titles))


TEXTS = "ending", "test", "test_digest"  # fields of a TestedModel that are text


@dataclass(frozen=True)
class TestedModel:
    """The results of the model that was tested before its settings were trained on all rows.

    The values are plain, because they are part of the request of the delivered model, and so of its file.
    """

    holdout: float | None  # share of the rows that tested it; None: they were those of `test`
    n_train: int
    n_test: int
    test_accuracy: float
    low: float  # lower end of the 95% interval of the test accuracy
    high: float
    train_accuracy: float
    ending: str
    relative_gap: float
    test: str | None = None  # the file whose rows tested it, and then belong to the training rows
    test_digest: str | None = None

    __test__ = False  # pytest would collect a class of this name

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: object) -> TestedModel:
        """Read a document of a file; raise InputError if it does not describe a tested model."""
        if not isinstance(document, Mapping) or {one.name for one in fields(cls)} != set(document):
            raise InputError("this does not describe a tested model")
        optional = [name for name in ("holdout", "test", "test_digest") if document[name] is None]
        for name, value in document.items():
            types = (str,) if name in TEXTS else (int,) if name.startswith("n_") else (int, float)
            if name in optional:
                continue
            if type(value) not in types or (isinstance(value, float) and not math.isfinite(value)):
                raise InputError("{name} of a tested model cannot be {value!r}", name=name, value=value)
        return cls(**document)

    def report(self, n_train: int) -> dict[str, Any]:
        """Return the part `refit` of a train document; `n_train`: training rows of the delivered model."""
        report = self.document()
        report["interval"] = [report.pop("low"), report.pop("high")]
        note = (
            f"test_accuracy, n_test and the entries of tested belong to a model trained on {self.n_train} rows;"
            f" all other numbers belong to the delivered model, trained on all {n_train} rows and not tested itself"
        )
        return {"tested": report, "delivered": {"n_train": n_train, "tested": False}, "note": note}


@dataclass(frozen=True)
class Request:
    """The values of the command line; None means the machine's own default, or no limit."""

    machine: str = option("ww", _named((*names.MACHINES, *names.MORE_MACHINES)), "Machine", several=True, **ONE)
    solver: str = option(
        *("auto", RegisteredName("NAME"), "Solver"),
        note=f"default auto, the fastest; or {', '.join((*names.SOLVERS, *names.MORE_SOLVERS)[1:])}",
        **ONE,
    )
    kernel: str = option(
        "rbf", RegisteredName("|".join(names.KERNELS), names.KERNEL_ALIASES), "Kernel", tune="first", **FIRST
    )
    C: float = option(1.0, POWER, "C", "The cost of errors; 2^-3 is understood", searched="2^-2:2^12", **FIRST)
    gamma: float | str = option(
        *("scale", GAMMA, "Gamma", "Width of the kernel: a number, 2^-3, or scale"),
        note="default scale: 1 / (features x variance)",
        of_kernel=True,
        searched="2^-10:2^4",
        **FIRST,
    )
    degree: int = option(
        3, Whole(), "Degree", "Of the polynomial, a whole number", of_kernel=True, tune="first", **FIRST
    )
    coef0: float = option(
        *(0.0, Number(), "Constant", "Added to the inner product before the kernel"),
        of_kernel=True,
        tune="first",
        **FIRST,
    )
    bias: str | None = option(
        *(None, _named(names.BIASES), "Bias", "A constant added to each class function"),
        note="default: exact for ova, ovo and dag; for other machines none with kernel rbf, else regularized",
        unsaid="default",
        **FIRST,
    )
    tol: float = option(1e-3, POSITIVE, "Tolerance", "The largest violation of optimality allowed", **FIRST)
    margin: float | None = option(
        None,
        POSITIVE,
        "Margin",
        "The margin that the machine requires",
        unsaid="the machine's own",
        use="errors",
        **MORE,
    )
    class_weight: str | tuple[tuple[str, float], ...] | None = option(
        *(None, Weights(), "Class weights", 'balanced, or a factor on C per class such as {"a": 2, "b": 1}'),
        unsaid="none",
        tune="more",
        use="errors",
        **MORE,
    )
    gap_tol: float | None = option(
        *(None, POSITIVE, "Gap tolerance", "The relative duality gap to stop at, instead of the tolerance"),
        unsaid="none",
        use="end",
        **MORE,
    )
    max_iter: int | None = option(
        None, Whole(), "Step limit", "Stop after this many steps", unsaid="none", use="end", **MORE
    )
    time_limit: float | None = option(
        *(None, Number("S", positive=True), "Time limit", "Stop after this many seconds"),
        unsaid="none",
        unit="s",
        tune="more",
        use="end",
        **MORE,
    )
    sample: int | None = option(
        *(
            None,
            Whole(lowest=2),
            "Training rows",
            "Train on a random sample of at most this many rows, stratified by class",
        ),
        note="the rows that are tested on stay the same",
        unsaid="all",
        use="rows",
        **ALONE,
    )
    cache_mb: float = option(
        500.0, Number("N", positive=True), "Kernel cache", "Memory for kernel rows", unit="MB", use="computer", **MORE
    )
    threads: int | None = option(
        None, Whole(), "Threads", "Number of threads", unsaid="all cores", use="computer", **MORE
    )
    calibrate: str = option(
        *("none", Choice(titles=CALIBRATIONS), "Calibration"),
        "Probabilities, from scores of rows not trained on; temperature never changes a decision",
        use="chances",
        **ALONE,
    )
    calibration_folds: int = option(
        5,
        Whole(lowest=2),
        "Folds",
        "Of the calibration: as many trainings, each without one fold",
        use="chances",
        **ALONE,
    )
    costs: CostTable | None = option(  # noqa: RUF009 - a field
        *(None, Costs(), "Costs", DECIDING),
        unsaid="none",
        group="machine",
        commands=("train",),
    )
    scheduler: str | None = option(
        *(None, Address(), "Cluster"),
        "The address of a Dask scheduler, as tcp://HOST:8786, whose workers read the files of DATA and train together",
        unsaid="this computer",
        use="computer",
        **ALONE,
    )
    seed: int = option(0, Whole(lowest=0, below=2**63), "Seed", "Seed of the random numbers", **MACHINE)
    split: str = option(
        *("auto", Choice(titles=SPLITS), "Split", "How rows are split into those trained on and those tested on"),
        note="default: by --fold-column or --groups where one is named, else stratified",
        commands=("train", "tune", "compare", "curve", "check"),
        train="more",
        tune="more",
        use="rows",
    )
    holdout: float | None = option(
        None, Share(), "Hold-out", "Test on this share of DATA instead, such as 0.3", commands=("train", "check")
    )
    rules: Rules = field(default_factory=Rules)
    read: ReadOptions = field(default_factory=ReadOptions)
    data: str | None = option(None, Kind(), "Data")  # the training file as the user named it
    test: str | None = option(
        None, Kind("FILE"), "Test file", "Rows to test on; columns are matched by name", commands=("train", "check")
    )
    digest: str | None = option(None, Kind(), "SHA-256")  # of the training file, after it was read
    test_digest: str | None = option(None, Kind(), "SHA-256 of the test file")  # likewise
    tested: TestedModel | None = None  # the model that was tested before these settings were trained on all rows

    def __post_init__(self) -> None:
        if self.kernel in names.NOT_FOR_FILES:
            raise InputError(
                "kernel precomputed works on kernel values instead of features, which data files do not hold;"
                " use MultiClassSVC(kernel='precomputed') in Python"
            )
        options.check(self)
        if self.costs is not None and self.calibrate == "none":
            raise InputError(
                "decisions by cost need probabilities, which this model would not have; add --calibrate temperature"
            )

    @property
    def kernel_parameters(self) -> dict[str, Any]:
        """The parameters of all kernels, by name."""
        return {name: getattr(self, name) for name, one in OPTIONS.items() if one.of_kernel}

    def document(self) -> dict[str, Any]:
        """Return the request as plain JSON."""
        parts = {"rules": options.plain(self.rules), "read": options.plain(self.read)}
        whole = {**asdict(self), **options.plain(self), **parts}
        if self.tested is None:
            del whole["tested"]
        return whole

    def said(self) -> dict[str, Any]:
        """Return the entries of the document that differ from the defaults."""
        given, plain = self.document(), {"tested": None, **Request().document()}
        for name in ("rules", "read"):
            given[name] = {key: value for key, value in given[name].items() if value != plain[name][key]}
            plain[name] = {}
        return {name: value for name, value in given.items() if value != plain[name]}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Request:
        """Read a request; raise InputError if the document is not one."""
        try:
            given = dict(document)
            for name in OPTIONS.keys() & given.keys():
                given[name] = OPTIONS[name].kind.loaded(given[name])
            if given.get("tested") is not None:
                given["tested"] = TestedModel.from_document(given["tested"])
            given["rules"] = Rules(**given.get("rules", {}))
            if "read" in given:
                given["read"] = ReadOptions(**{"names": (), **given["read"]})  # in older ones, ids were learned
            return cls(**given)
        except InputError:
            raise
        except (TypeError, ValueError, AttributeError, LookupError) as error:
            raise InputError("this is no request: {reason}", reason=" ".join(str(error).split())) from error


OPTIONS = options_of(Request)
