"""An experiment as a value: data sets, runs and plan. It contains everything to repeat it, except the data."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.options import Number, Share
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.experiment.plan import Plan
from mcsvm_gui.core.experiment.searching import SearchSpec
from mcsvm_gui.core.machine.request import OPTIONS, Request

SCHEMA = 1
# Fields of a request that the data set determines, or that refer to earlier runs.
OF_DATA = "data", "test", "digest", "test_digest", "tested", "read", "rules"
TEXTS = "test", "digest", "test_digest"  # optional texts of a data set


@dataclass(frozen=True)
class DataSpec:
    """A data set. `also`: further files with more rows; `test`: a test file instead of splits."""

    name: str
    path: str
    also: tuple[str, ...] = ()
    test: str | None = None
    digest: str | None = None
    test_digest: str | None = None
    read: ReadOptions = field(default_factory=ReadOptions)
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class RunSpec:
    """A run. `published`: published numbers to show next to ours, by the names of the results.

    `search`: C and gamma are searched again in every training part; those of the request are ignored then.
    """

    data: str
    label: str
    request: Request
    published: Mapping[str, float] = field(default_factory=dict)
    search: SearchSpec | None = None


@dataclass(frozen=True)
class Experiment:
    title: str
    plan: Plan
    data: tuple[DataSpec, ...]
    runs: tuple[RunSpec, ...]
    note: str = ""

    def __post_init__(self) -> None:
        names = [spec.name for spec in self.data]
        if not self.runs:
            raise InputError("an experiment needs at least one run")
        if len(set(names)) < len(names):
            raise InputError("two data sets of the experiment have the same name")
        for run in self.runs:
            if run.data not in names:
                raise InputError(
                    "run {label!r} is on {data!r}, which is none of the data sets: {choices}",
                    label=run.label,
                    data=run.data,
                    choices=", ".join(names),
                )
        pairs = [(run.data, run.label) for run in self.runs]
        for pair in pairs:
            if pairs.count(pair) > 1:
                raise InputError(
                    "two runs on {data!r} are called {label!r}; give each its own label", data=pair[0], label=pair[1]
                )
        if self.plan.splits == "test" and any(spec.test is None for spec in self.data):
            raise InputError('splits = "test" needs a test file for every data set')
        for run in self.runs:
            if self.plan.splits != "none" and run.request.holdout is not None:
                raise InputError(
                    'run {label!r} says holdout, which belongs to splits = "none": with splits = "{splits}" it would'
                    " only take rows away from training",
                    label=run.label,
                    splits=self.plan.splits,
                )

    def of(self, name: str) -> DataSpec:
        return next(spec for spec in self.data if spec.name == name)

    def only(self, names: Iterable[str]) -> Experiment:
        """Return the experiment with only the runs on these data sets."""
        wanted = set(names)
        strange = wanted - {spec.name for spec in self.data}
        if strange:
            known = ", ".join(spec.name for spec in self.data)
            raise InputError(
                "there is no data set {name!r} in the experiment; there are {known}",
                name=sorted(strange)[0],
                known=known,
            )
        data = tuple(spec for spec in self.data if spec.name in wanted)
        return replace(self, data=data, runs=tuple(run for run in self.runs if run.data in wanted))

    @classmethod
    def of_requests(cls, title: str, wanted: Sequence[tuple[str, Request]]) -> Experiment:
        """Create an experiment from requests of trainings, each with its label, such as the runs of a window."""
        specs: dict[DataSpec, DataSpec] = {}
        runs: list[RunSpec] = []
        for label, request in wanted:
            if request.data is None:
                raise InputError(
                    "the run {label!r} does not name its data, so it cannot be replayed from a file", label=label
                )
            digests = request.digest, request.test_digest
            key = DataSpec("", request.data, (), request.test, *digests, request.read, request.rules)
            if key not in specs:
                stem = os.path.basename(request.data).split(".")[0]
                specs[key] = replace(key, name=_new(stem, {spec.name for spec in specs.values()}))
            name = specs[key].name
            label = _new(label, {run.label for run in runs if run.data == name})
            runs.append(RunSpec(name, label, replace(request, data=None, test=None, digest=None, test_digest=None)))
        return cls(title, Plan(), tuple(specs.values()), tuple(runs))

    # -- documents --------------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """Return the document for a file: only differences from the defaults, with numbers as users write them."""
        document: dict[str, Any] = {"schema": SCHEMA, "title": self.title}
        if self.note:
            document["note"] = self.note
        return {
            **document,
            "plan": self.plan.document(),
            "data": {spec.name: _data_document(spec) for spec in self.data},
            "run": [_run_document(run) for run in self.runs],
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Experiment:
        """Read an experiment from its document. Raises InputError if it is invalid."""
        if document.get("schema") != SCHEMA:
            raise InputError(
                "this is no experiment of schema {schema}: the line `schema = {schema}` is missing", schema=SCHEMA
            )
        _known("the experiment", document, ("schema", "title", "note", "plan", "data", "defaults", "run"))
        try:
            data = tuple(_data_of(name, _table(values)) for name, values in _table(document["data"]).items())
            defaults = _table(document.get("defaults", {}))
            runs = tuple(_run_of({**defaults, **_table(values)}) for values in document["run"])
            plan = Plan(**_table(document.get("plan", {})))
            texts = {name: _text(name, document.get(name, "")) for name in ("title", "note")}
        except InputError:
            raise
        except (TypeError, ValueError, LookupError) as error:
            raise InputError("this is no experiment: {reason}", reason=" ".join(str(error).split())) from error
        return cls(plan=plan, data=data, runs=runs, **texts)


def _new(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _table(values: Any) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise InputError("this is no experiment: {values!r} is given where a table is expected", values=values)
    return dict(values)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError("{name} must be text, not {value!r}", name=name, value=value)
    return value


def _known(what: str, given: Iterable[str], names: Iterable[str]) -> None:
    strange = sorted(set(given) - set(names))
    if strange:
        raise InputError(
            "{what} says {strange!r}, which means nothing here; what can be said is {choices}",
            what=what,
            strange=strange[0],
            choices=", ".join(names),
        )


def _data_document(spec: DataSpec) -> dict[str, Any]:
    document: dict[str, Any] = {"path": spec.path, **({"also": list(spec.also)} if spec.also else {})}
    document |= {name: value for name in TEXTS if (value := getattr(spec, name)) is not None}
    for name, plain in (("read", ReadOptions()), ("rules", Rules())):
        differing = {key: value for key, value in asdict(getattr(spec, name)).items() if value != getattr(plain, key)}
        document |= {name: differing} if differing else {}
    return document


def _data_of(name: str, values: dict[str, Any]) -> DataSpec:
    _known(f"data set {name!r}", values, [item.name for item in fields(DataSpec) if item.name != "name"])
    texts = {key: _text(key, values[key]) for key in TEXTS if key in values}
    path = _text("path", values.get("path"))
    also = tuple(_text("also", more) for more in values.get("also", ()))
    read, rules = ReadOptions(**_table(values.get("read", {}))), Rules(**_table(values.get("rules", {})))
    return DataSpec(name, path, also, read=read, rules=rules, **texts)


def _run_document(run: RunSpec) -> dict[str, Any]:
    plain = Request().document()
    document: dict[str, Any] = {"data": run.data, "label": run.label}
    for name, value in run.request.document().items():
        if name not in OF_DATA and (value != plain[name] or name == "machine"):
            document[name] = _as_typed(name, value)
    if run.search is not None:
        document = {
            name: value for name, value in document.items() if name not in OPTIONS or not OPTIONS[name].searched
        }
        document["search"] = run.search.document()
    return document | ({"published": dict(run.published)} if run.published else {})


def _run_of(values: dict[str, Any]) -> RunSpec:
    names = [item.name for item in fields(Request) if item.name not in OF_DATA]
    _known("a run", values, ["data", "label", "published", "search", *names])
    data, published = _text("data", values.pop("data", None)), _table(values.pop("published", {}))
    search = SearchSpec.from_document(_table(values.pop("search"))) if "search" in values else None
    request = Request.from_document({name: _value(name, value) for name, value in values.items() if name != "label"})
    label = _text("label", values.get("label", request.machine))
    for name, value in published.items():
        if type(value) not in (int, float) or not math.isfinite(value):
            raise InputError("the published {name} must be a number, not {value!r}", name=name, value=value)
    return RunSpec(data, label, request, published, search)


def _as_typed(name: str, value: Any) -> Any:
    """Write powers of two as text such as 2^-3."""
    kind = OPTIONS[name].kind
    return kind.written(value) if isinstance(kind, Number) and kind.powers and isinstance(value, float) else value


def _value(name: str, value: Any) -> Any:
    """Parse a number that is written as on the command line, such as "2^-3"."""
    is_number = name in OPTIONS and isinstance(OPTIONS[name].kind, Number | Share)
    return OPTIONS[name].kind.parse(value) if is_number and isinstance(value, str) else value
