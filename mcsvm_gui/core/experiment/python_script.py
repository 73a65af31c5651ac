"""Export trainings, searches and explanations as scripts of at most 20 lines that need only `mcsvm`.

The scripts compute the same numbers. If twenty lines are not enough, an error names the reason: files that are no table
of numbers, splits by groups, weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm.solvers.kernels import KERNELS
from mcsvm_gui.core.data.splitting import kind_of
from mcsvm_gui.core.machine.request import Request

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.tune.options import TuneRequest

LINES = 20
LEAST = "search.least_share(parts[0].train.size, len(names))"  # smallest share of the rows
ARGUMENTS = {"seed": "random_state"}  # arguments of MultiClassSVC that have another name than the option
SAID = (
    *("machine", "solver", "kernel", "C", "bias", "tol", "margin", "class_weight", "gap_tol", "max_iter"),
    *("time_limit", "cache_mb", "threads", "seed"),
)
SCALING = {
    "minmax": ("low, high = {train}.min(axis=0), {train}.max(axis=0)", "({X} - (0.5 * low + 0.5 * high)) * {scale}"),
    "standard": ("mean, width = {train}.mean(axis=0), {train}.std(axis=0)", "({X} - mean) * {scale}"),
}
WIDTH = {"minmax": ("high - low", "2.0"), "standard": ("width", "1.0")}


def training_script(requests: Sequence[Request], dataset: Dataset) -> str:
    """Return a script that trains and tests all requests on the same rows, and prints accuracies and certificates."""
    first = requests[0]
    if any(_prepared(one) != _prepared(first) for one in requests):
        raise InputError("a script trains what is prepared and tested alike; choose runs on the same rows")
    lines = [
        _imports(first.holdout),
        "from mcsvm import MultiClassSVC",
        *_reading(first, dataset),
        *_holding_out(first),
        *_scaled(first),
        f"for options in {[_options(one, dataset) for one in requests]!r}:",
        "    model = MultiClassSVC(**options).fit(X[~test], y[~test])",
        f"    tested = {'model.score(X[test], y[test])' if first.holdout is not None else None}",
        "    known = model.score(X[~test], y[~test])",
        '    print(options["machine"], known, tested, model.certificate_.relative_gap, len(model.support_))',
    ]
    return _script(lines)


def explanation_script(request: Request, dataset: Dataset, row: int, between: tuple[int, int]) -> str:
    """Return a script that prints the contribution of each column in a test row, for one class against another.

    `between`: the codes of the two classes.
    """
    from mcsvm_gui.core.compare.tested_runs import RowCache
    from mcsvm_gui.core.data.projections.principal import thin
    from mcsvm_gui.core.explain.explanation import BACKGROUND

    trained_on = RowCache().rows_of(request, dataset).training
    background = thin(trained_on.labels, trained_on.rows, BACKGROUND).tolist()
    lines = [
        _imports(request.holdout),
        "from mcsvm import MultiClassSVC, explain",
        *_reading(request, dataset),
        *_holding_out(request),
        *_scaled(request),
        f"model = MultiClassSVC(**{_options(request, dataset)!r}).fit(X[~test], y[~test])",
        f"row = X[{'test' if request.holdout is not None else '~test'}][[{row}]]",
        f"values = explain.shapley(model, row, X[~test][{background!r}])",
        f"print(*explain.contrast(model, values, {between[0]}, {between[1]})[0])",
    ]
    return _script(lines)


def search_script(request: Request, wanted: TuneRequest, dataset: Dataset) -> str:
    """Return a script that prints the best cell of each machine, and its mean over the folds."""
    if wanted.holdout is not None or wanted.nested or wanted.repeats > 1 or wanted.search in ("per-pair", "two-line"):
        raise InputError("a script searches on folds, once: every cell, coarse to fine or by halving")
    if wanted.score != "accuracy" or request.class_weight is not None:
        raise InputError("a script searches by accuracy and without class weights")
    ranges = [f"Range({one.low:g}, {one.high:g}, {one.step:g})" if one else "None" for one in (wanted.C, wanted.gamma)]
    family = KERNELS[request.kernel].parameters
    others = tuple((name, getattr(request, name)) for name in family if name != "gamma")
    asked = f"trials.shared.KernelFamily({request.kernel!r}, {others!r}), {request.solver!r}, tested=how.tested"
    scaling, how = SCALING.get(request.rules.scale), f"search.SEARCHES[{wanted.search!r}]"
    how = f"search.led({how})" if wanted.led else how
    lines = [
        _imports(wanted.test_share),
        "from mcsvm.solvers.selection import executor, folds, grid, search, settings, study, trials",
        *_reading(request, dataset),
        *(_searched(request, wanted.test_share) if wanted.test_share is not None else []),
        "def prepare(fold):",
        *([f"    {scaling[0].format(train='X[fold.train]')}"] if scaling else []),
        f"    Z = {_applied(request, 'X')}",
        "    return trials.shared.FoldRows.of(Z[fold.train], y[fold.train], Z[fold.test], y[fold.test])",
        f"cells = grid.Grid({wanted.machines!r}, grid.{ranges[0]}, {'grid.' * bool(wanted.gamma)}{ranges[1]})",
        f"parts = folds.stratified(y, {wanted.folds}, {request.seed})",
        f"steps = (how := {how}).steps(cells, {wanted.folds}, {LEAST})",
        f"found = study.Study(steps, executor.Folds(parts, prepare), settings.TrainingSettings({asked})).run()",
        "for machine in cells.machines: print(*(cell := grid.best(found, machine)), found[cell].mean)",
    ]
    return _script(lines)


def _imports(held_out: float | None) -> str:
    return "import csv, numpy as np" if held_out is None else "import csv, zlib, numpy as np"


def _script(lines: list[str]) -> str:
    if len(lines) > LINES:
        raise InputError("that cannot be said in {most} lines", most=LINES)
    return "\n".join(lines) + "\n"


def _prepared(request: Request) -> tuple[Any, ...]:
    return tuple(getattr(request, name) for name in ("digest", "read", "rules", "holdout", "split", "seed", "test"))


# -- data -----------------------------------------------------------------------------------------


def _reading(request: Request, dataset: Dataset) -> list[str]:
    _check(request, dataset)
    guessed = {guess.option.removeprefix("--"): guess.value for guess in dataset.guesses}
    place = {name: number for number, name in enumerate(dataset.order)}
    named = list(dataset.order)
    assert dataset.label_name is not None
    columns = [place[column.name] for column in dataset.columns]
    label, width = place[dataset.label_name], len(named)
    separator = {"tab": "\t", "space": " "}.get(guessed.get("separator", ","), guessed.get("separator", ","))
    chosen = f"[*range({width})]" if columns == list(range(width)) else repr(columns)
    if columns == [number for number in range(width) if number != label]:
        chosen = f"[j for j in range({width}) if j != {label}]"
    first = 1 if guessed.get("header", "yes") == "yes" else 0
    return [
        f"rows = [row for row in csv.reader(open({request.data!r}), delimiter={separator!r}) if row][{first}:]",
        f"names = {list(dataset.classes)!r}",
        f"X = np.array([[float(row[j]) for j in {chosen}] for row in rows])",
        f"y = np.array([names.index(row[{label}].strip()) for row in rows])",
    ]


def _check(request: Request, dataset: Dataset) -> None:
    guessed = {guess.option.removeprefix("--"): guess.value for guess in dataset.guesses}
    plain = (
        (dataset.format == "csv" and bool(dataset.order), Sentence("files that are no table of text")),
        (all(column.kind == "number" for column in dataset.columns), Sentence("columns that are not numbers")),
        (dataset.missing == 0, Sentence("missing cells")),
        (dataset.weights is None, Sentence("weights of rows")),
        (guessed.get("decimal", ".") == "." and (request.read.decimal or ".") == ".", Sentence("decimal commas")),
        (request.test is None, Sentence("a file to test on")),
        (request.sample is None, Sentence("a sample of the training rows")),
        (kind_of(dataset, request.split) == "stratified", Sentence("splits by groups, folds or order")),
        (request.kernel in KERNELS, Sentence("this kernel")),
    )
    for fine, what in plain:
        if not fine:
            raise InputError("a script of {lines} lines has no room for {what}", lines=LINES, what=what)


def _holding_out(request: Request) -> list[str]:
    """Return the lines that hold out the application's test rows: a share of every class, drawn separately."""
    if request.holdout is None:
        return ["test = np.zeros(len(y), bool)"]
    return [
        "test = np.zeros(len(y), bool)",
        "for code, name in enumerate(names):",
        f"    lots, mine = np.random.default_rng([{request.seed}, zlib.crc32(name.encode())]), np.where(y == code)[0]",
        f"    test[lots.permutation(mine)[: min(int(mine.size * {request.holdout!r} + 0.5), mine.size - 1)]] = True",
    ]


def _searched(request: Request, held_out: float) -> list[str]:
    return [*_holding_out(replace(request, holdout=held_out)), "X, y = X[~test], y[~test]"]


def _scaled(request: Request) -> list[str]:
    """Return the lines that remove constant columns and scale the others."""
    kept = "X = X[:, X[~test].min(axis=0) < X[~test].max(axis=0)]"
    scaling = SCALING.get(request.rules.scale)
    return [kept] if scaling is None else [kept, scaling[0].format(train="X[~test]"), f"X = {_applied(request, 'X')}"]


def _applied(request: Request, rows: str) -> str:
    """Return the expression that scales rows; a constant column becomes zero."""
    if request.rules.scale not in SCALING:
        return rows
    width, factor = WIDTH[request.rules.scale]
    scale = f"({factor} / np.where({width} > 0, {width}, np.inf))"
    return SCALING[request.rules.scale][1].format(X=rows, scale=scale)


# -- options --------------------------------------------------------------------------------------


def _options(request: Request, dataset: Dataset) -> dict[str, Any]:
    """Return the machine, and the options that differ from the defaults of MultiClassSVC."""
    values = {name: getattr(request, name) for name in (*SAID, *KERNELS[request.kernel].parameters)}
    if isinstance(request.class_weight, tuple):
        values["class_weight"] = {dataset.classes.index(name): factor for name, factor in request.class_weight}
    plain = Request()
    differing = {name: value for name, value in values.items() if value != getattr(plain, name)}
    if "seed" not in differing:
        differing["seed"] = request.seed
    return {"machine": request.machine} | {ARGUMENTS.get(name, name): value for name, value in differing.items()}
