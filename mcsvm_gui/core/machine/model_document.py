"""Contents of a model file: the document, the arrays that belong to it, and the model rebuilt from both.

A model has coefficients and dual variables. A file stores one of them if the other follows from it without rounding,
which holds for all machines but the absolute ones (llw, adm, atm, ats, mmr): `read_duals` says how.
"""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.decision import Decision
from mcsvm.solvers.dual.certificate import Certificate
from mcsvm.solvers.kernels import KERNELS, Kernel, Points
from mcsvm.solvers.machines import MACHINES, Machine
from mcsvm.solvers.model import Expansion, Model
from mcsvm.solvers.posing import positive, whole
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.uncertainty.conformal import Conformal
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm.solvers.uncertainty.novelty import Landmarks
from mcsvm.solvers.uncertainty.probability import Calibration
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.roles.value import Role
from mcsvm_gui.core.data.row_source import RowFile, RowSource
from mcsvm_gui.core.machine.posing import parameters
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import (
    UNLEARNED,
    Calibrated,
    Duals,
    LabelKind,
    Origin,
    PredictionSets,
    TrainedModel,
    Weighing,
    labels_of,
)

POINTS = "points", "points_data", "points_indices", "points_indptr"
PREPARATION = "idf", "donors", "donors_known"
LANDMARKS = "landmarks", "landmarks_data", "landmarks_indices", "landmarks_indptr"
SETS = (*LANDMARKS, "set_margins", "set_distances")
ROWS = "row_numbers", "row_files"
DUALS = "dual_parts", "dual_rows", "dual_alpha"  # left out if `read_duals` returns them
TRAINED = "support", "owners", "expansion", "bias", *DUALS
PAIRS = "expansion_starts", "expansion_vectors"  # where the coefficients of each pair begin, and their vectors
ARRAYS = (*PAIRS, *POINTS, *PREPARATION, *TRAINED, *SETS, *ROWS)
FLOAT, INT = "<f8", "<i8"  # in memory; a file stores integers in the smallest type that holds them
LONGEST_ROWS = 2**48


class Array(NamedTuple):
    dtype: str
    shape: tuple[int, ...]


# -- to the file ----------------------------------------------------------------------------------


def contents_of(trained: TrainedModel) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return document and arrays as a file stores them: dual variables that follow from coefficients are left out."""
    document, arrays = describe(trained), arrays_of(trained)
    if _equal(read_duals(trained.model), trained.duals):
        document["n_duals"] = None
        arrays = {name: array for name, array in arrays.items() if name not in DUALS}
    return document, arrays


def _equal(one: Duals | None, other: Duals) -> bool:
    return one is not None and all(np.array_equal(array, getattr(other, name)) for name, array in vars(one).items())


def read_duals(model: Model) -> Duals | None:
    """Return the dual variables that follow from the coefficients without rounding; None if they do not."""
    machine, support = model.machine, model.support
    if machine.split == "joint":
        form = machine.form(3, 1.0)  # machines treat any number of classes alike, and the table of k classes has k^3
        if not form.is_readable:
            return None
        return Duals(np.array([0, support.size]), support, form.read_alpha(model.owners, model.expansion))
    coefficients = sp.csc_array(model.expansion)
    coefficients.eliminate_zeros()
    coefficients.sort_indices()
    starts = coefficients.indptr.astype(np.int64)
    return Duals(starts, support[coefficients.indices], np.abs(coefficients.data)[:, None])


def describe(trained: TrainedModel) -> dict[str, Any]:
    model, rows = trained.model, trained.model.points.rows
    return {
        "machine": model.machine.name,
        "kernel": {"name": model.kernel.name, **parameters(model.kernel)},
        "classes": list(trained.class_names),
        "label_name": trained.label_name,
        "weights": None if trained.weighing is None else asdict(trained.weighing),
        "n_support": int(model.support.size),
        "n_coefficients": int(model.expansion.nnz) if sp.issparse(model.expansion) else None,  # None: a dense table
        "n_prepared": int(rows.shape[1]),
        "n_stored": int(rows.nnz) if sp.issparse(rows) else None,  # None: the points are dense
        "n_duals": int(trained.duals.rows.size),  # in a file None: they follow from the coefficients
        "preparation": trained.preparation.document(),
        "request": trained.request.document(),
        "origin": origin_document(trained.origin),
        "calibration": None if trained.calibrated is None else trained.calibrated.document(),
        "sets": _sets_document(_sets_of(trained)),
        "rule": None if trained.rule is None else trained.rule.document(),
        "row_files": None if trained.rows is None else [asdict(file) for file in trained.rows.files],
        "unlearned": dict(trained.unlearned),
        "label_kind": trained.label_kind,
    }


def _sets_of(trained: TrainedModel) -> PredictionSets | None:
    return None if trained.calibrated is None else trained.calibrated.sets


def _sets_document(sets: PredictionSets | None) -> dict[str, Any] | None:
    """Return how many numbers and rows there are for each class."""
    if sets is None:
        return None
    rows = sets.landmarks.points.rows
    return {
        "margins": [levels.size for levels in sets.margins.levels],
        "distances": [levels.size for levels in sets.distances.levels],
        "landmarks": np.diff(sets.landmarks.parts).tolist(),
        "n_stored": int(rows.nnz) if sp.issparse(rows) else None,
    }


def origin_document(origin: Origin) -> dict[str, Any]:
    return {
        **{name: getattr(origin, name) for name in ("solver", "iterations", "kernel_evaluations", "n_train")},
        **{name: getattr(origin, name) for name in ("n_bounded", "digest")},
        "ending": origin.ending.value,
        "certificate": {name: float(value) for name, value in asdict(origin.certificate).items()},
        "class_counts": list(origin.class_counts),
        "versions": dict(origin.versions),
        "system": origin.system,
        "processor": origin.processor,
        "decisions": [decision.document() for decision in origin.decisions],
        "certified": origin.certified,
    }


def arrays_of(trained: TrainedModel) -> dict[str, np.ndarray]:
    model, duals, rows = trained.model, trained.duals, trained.model.points.rows
    floats = {"bias": model.bias, "dual_alpha": duals.alpha}
    ints = {"support": model.support, "owners": model.owners, "dual_parts": duals.parts, "dual_rows": duals.rows}
    if sp.issparse(model.expansion):
        floats["expansion"] = model.expansion.data
        ints |= {"expansion_starts": model.expansion.indptr, "expansion_vectors": model.expansion.indices}
    else:
        floats["expansion"] = model.expansion
    if trained.rows is not None:
        ints["row_numbers"] = trained.rows.numbers
        if trained.rows.codes is not None:
            ints["row_files"] = trained.rows.codes
    sets = _sets_of(trained)
    kept = {"points": rows} if sets is None else {"points": rows, "landmarks": sets.landmarks.points.rows}
    for name, points in kept.items():
        if sp.issparse(points):
            floats[f"{name}_data"] = points.data
            ints |= {f"{name}_indices": points.indices, f"{name}_indptr": points.indptr}
        else:
            floats[name] = points
    if sets is not None:
        floats |= {"set_margins": np.concatenate(sets.margins.levels)}
        floats |= {"set_distances": np.concatenate(sets.distances.levels)}
    for name, array in trained.preparation.arrays().items():
        (ints if array.dtype.kind == "i" else floats)[name] = array
    return {name: array.astype(FLOAT) for name, array in floats.items()} | {
        name: array.astype(INT) for name, array in ints.items()
    }


# -- from the file --------------------------------------------------------------------------------


def expected_arrays(document: dict[str, Any]) -> dict[str, Array]:
    """Return the expected arrays, from the document alone; impossible shapes fail when compared with the file's
    length."""
    machine, classes = _machine(document), len(_class_names(document))
    support, features = _count(document, "n_support"), _count(document, "n_prepared")
    outputs = outputs_of(machine, classes)
    expected = {
        "support": Array(INT, (support,)),
        "owners": Array(INT, (support,)),
        "bias": Array(FLOAT, (outputs,)),
    }
    if document["n_duals"] is not None:
        slots = classes if machine.split == "joint" else 1
        parts = 1 if machine.split == "joint" else outputs
        expected["dual_parts"] = Array(INT, (parts + 1,))
        expected["dual_rows"] = Array(INT, (_count(document, "n_duals"),))
        expected["dual_alpha"] = Array(FLOAT, (_count(document, "n_duals"), slots))
    if document["n_coefficients"] is not None:
        coefficients = _count(document, "n_coefficients")
        expected |= {"expansion": Array(FLOAT, (coefficients,)), "expansion_vectors": Array(INT, (coefficients,))}
        expected["expansion_starts"] = Array(INT, (outputs + 1,))
    else:
        expected["expansion"] = Array(FLOAT, (support, outputs))
    kinds = {"f": FLOAT, "i": INT}
    prepared = preparing.expected_arrays(document["preparation"])
    expected |= {name: Array(kinds[kind], shape) for name, (kind, shape) in prepared.items()}
    expected |= _expected_points("points", document, support, features)
    files = document["row_files"]
    if files is not None:
        rows = Array(INT, (_count(document["origin"], "n_train"),))
        expected |= {"row_numbers": rows} | ({"row_files": rows} if len(files) > 1 else {})
    sets = document["sets"]
    if sets is None:
        return expected
    sizes = {name: sum(_counts(sets, name, classes)) for name in ("margins", "distances", "landmarks")}
    expected |= {f"set_{name}": Array(FLOAT, (sizes[name],)) for name in ("margins", "distances")}
    return expected | _expected_points("landmarks", sets, sizes["landmarks"], features)


def _expected_points(name: str, document: dict[str, Any], rows: int, features: int) -> dict[str, Array]:
    if document["n_stored"] is None:
        return {name: Array(FLOAT, (rows, features))}
    stored = _count(document, "n_stored")
    return {
        f"{name}_data": Array(FLOAT, (stored,)),
        f"{name}_indices": Array(INT, (stored,)),
        f"{name}_indptr": Array(INT, (rows + 1,)),
    }


def _counts(document: dict[str, Any], name: str, classes: int) -> list[int]:
    """Return the counts of each class, at least one each."""
    counts = [_count({name: count}, name) for count in document[name]]
    if len(counts) != classes or min(counts) < 1:
        raise ValueError(f"{name} are not those of its classes")
    return counts


def outputs_of(machine: Machine, classes: int) -> int:
    return classes * (classes - 1) // 2 if machine.split == "pairs" else classes


def rebuild(document: dict[str, Any], arrays: dict[str, np.ndarray]) -> TrainedModel:
    """Rebuild the model and check every number, so that a model that opens also predicts."""
    machine, names = _machine(document), _class_names(document)
    origin = _origin(document["origin"])
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds NaN or infinity")
    _check_indices(arrays, origin.n_train, len(names))
    prepared = preparing.read(document["preparation"], arrays)
    if prepared.width != document["n_prepared"]:
        raise ValueError("its preparation has another number of features")
    if sum(origin.class_counts) != origin.n_train or len(origin.class_counts) != len(names):
        raise ValueError("its class counts do not add up")
    model = Model(
        machine=machine,
        kernel=_kernel(document["kernel"]),
        classes=len(names),
        support=arrays["support"],
        points=Points(_points("points", document, document["n_support"], document["n_prepared"], arrays)),
        owners=arrays["owners"],
        expansion=_expansion(machine, arrays, len(names)),
        bias=arrays["bias"],
    )
    _check_decisions(model)
    duals = _duals(model, arrays, origin.n_train)
    label = _text(document["label_name"]) if document["label_name"] is not None else None
    calibrated, weighing = _calibrated(document["calibration"], len(names)), _weighing(document["weights"])
    if document["sets"] is not None:
        if calibrated is None:
            raise ValueError("it has prediction sets without probabilities")
        calibrated = replace(calibrated, sets=_sets(document, arrays, model.kernel))
    request = Request.from_document(document["request"])
    rule = _rule(document["rule"], len(names))
    if rule is not None and calibrated is None:
        raise ValueError("it decides by probabilities that it does not have")
    rows, unlearned = _rows(document["row_files"], arrays), _read_unlearned(document["unlearned"])
    return TrainedModel(
        *(model, names, prepared, request, label, origin, duals, calibrated, weighing, rule, rows, unlearned),
        _label_kind(document["label_kind"], names),
    )


def _rows(files: list[dict[str, Any]] | None, arrays: dict[str, np.ndarray]) -> RowSource | None:
    """Return the source of the training rows; None if the model does not store it."""
    if files is None:
        return None
    known = tuple(RowFile(_file_name(file["name"]), _text(file["digest"])) for file in files)
    numbers, codes = arrays["row_numbers"], arrays.get("row_files")
    if not known or (numbers < 1).any() or (codes is not None and not _within(codes, len(known))):
        raise ValueError("the numbers of its training rows are none of a file")
    return RowSource(numbers, known, codes)


def _read_unlearned(document: dict[str, Any]) -> dict[str, Role]:
    found = {_text(name): role for name, role in document.items()}
    if not all(role in UNLEARNED for role in found.values()):
        raise ValueError("a column has a role that is none")
    return found


def _label_kind(kind: Any, names: tuple[str, ...]) -> LabelKind:
    """Return the type of the labels; raise ValueError if a class name has another one."""
    if kind not in get_args(LabelKind):
        raise ValueError("its labels have an unknown type")
    labels_of(names, kind)
    return kind


def _check_decisions(model: Model) -> None:
    """Refuse numbers so large that the model could not predict even its own support vectors.

    No kernel has larger values than at the stored row with the largest norm.
    """
    if not model.support.size:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        squares = model.points.rows.multiply(model.points.rows) if model.points.sparse else model.points.rows**2
        norms = np.asarray(squares.sum(axis=1)).ravel()
        largest = int(norms.argmax())
        values = model.decision(model.points.rows[largest : largest + 1])
    if not (np.isfinite(norms).all() and np.isfinite(values).all()):
        raise ValueError("its numbers are too large to be computed with")


def _weighing(document: dict[str, Any] | None) -> Weighing | None:
    if document is None:
        return None
    return Weighing(_text(document["column"]), _real(document["total"]), _count(document, "left_out"))


def _machine(document: dict[str, Any]) -> Machine:
    return MACHINES[_text(document["machine"])]


def _class_names(document: dict[str, Any]) -> tuple[str, ...]:
    names = tuple(_text(name) for name in document["classes"])
    if len(names) < 2 or len(set(names)) != len(names):
        raise ValueError("its classes are not distinct, or fewer than two")
    return names


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("a number where text should be")
    value.encode("utf-8")  # raises ValueError for half characters, which no other file could hold
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("a value where true or false should be")
    return value


def _file_name(value: Any) -> str:
    """Return the name of a file. Its bytes need not be UTF-8: Python stores such a byte as a lone surrogate."""
    if not isinstance(value, str):
        raise ValueError("a number where a file name should be")
    value.encode("utf-8", "surrogateescape")
    return value


def _count(document: dict[str, Any], name: str) -> int:
    value = document[name]
    if type(value) is not int or not 0 <= value < LONGEST_ROWS:
        raise ValueError(f"{name} is no count")
    return value


def _kernel(document: dict[str, Any]) -> Kernel:
    kind = KERNELS[_text(document["name"])]
    if kind.name == "precomputed" or document.keys() != {"name", *kind.parameters}:
        raise ValueError("its kernel lacks a parameter")
    values = {name: document[name] for name in kind.parameters}
    for name, value in values.items():
        if name == "gamma":
            positive(name, value)
        elif name == "degree":
            whole(name, value)
        elif type(value) not in (int, float) or not math.isfinite(value):
            raise ValueError(f"{name} is no number")
    return kind(**values)


def _check_indices(arrays: dict[str, np.ndarray], n_train: int, classes: int) -> None:
    support = arrays["support"]
    if (np.diff(support) <= 0).any() or not _within(support, n_train) or not _within(arrays["owners"], classes):
        raise ValueError("its support vectors are not those of a training set")


def _duals(model: Model, arrays: dict[str, np.ndarray], n_train: int) -> Duals:
    """Return the dual variables of the file, or those that follow from the coefficients."""
    if "dual_alpha" not in arrays:
        duals = read_duals(model)
        if duals is None:
            raise ValueError("it has no dual variables")
        return duals
    parts, rows = arrays["dual_parts"], arrays["dual_rows"]
    if not _pointers(parts, rows.size) or not _within(rows, n_train):
        raise ValueError("its dual variables are not those of a training set")
    begins = np.zeros(rows.size + 1, dtype=bool)
    begins[parts] = True
    if ((np.diff(rows) <= 0) & ~begins[1:-1]).any():
        raise ValueError("its dual variables are not in order")
    return Duals(parts, rows, arrays["dual_alpha"])


def _expansion(machine: Machine, arrays: dict[str, np.ndarray], classes: int) -> Expansion:
    """Return a table, or the coefficients of each pair, which belong to support vectors of its two classes."""
    if ("expansion_starts" in arrays) != (machine.split == "pairs" and classes > 2):
        raise ValueError("its coefficients are those of another machine")
    if "expansion_starts" not in arrays:
        return arrays["expansion"]
    starts, vectors, owners = arrays["expansion_starts"], arrays["expansion_vectors"], arrays["owners"]
    if not _pointers(starts, vectors.size) or not _within(vectors, owners.size):
        raise ValueError("its coefficients are inconsistent")
    pair = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    first, second = (side[pair] for side in np.triu_indices(classes, 1))
    if ((owners[vectors] != first) & (owners[vectors] != second)).any():
        raise ValueError("it has coefficients of a pair for support vectors of other classes")
    if ((np.diff(vectors) <= 0) & (np.diff(pair) == 0)).any():
        raise ValueError("its coefficients are not in order")
    kind = np.int32 if max(starts.size, vectors.size) <= np.iinfo(np.int32).max else np.int64
    shape = owners.size, starts.size - 1
    return sp.csc_array((arrays["expansion"], vectors.astype(kind), starts.astype(kind)), shape=shape)


def _sets(document: dict[str, Any], arrays: dict[str, np.ndarray], kernel: Kernel) -> PredictionSets:
    sets, classes = document["sets"], len(document["classes"])
    levels = {name: _levels(arrays[f"set_{name}"], sets[name]) for name in ("margins", "distances")}
    parts = np.cumsum([0, *_counts(sets, "landmarks", classes)])
    rows = _points("landmarks", sets, int(parts[-1]), document["n_prepared"], arrays)
    return PredictionSets(levels["margins"], levels["distances"], Landmarks(kernel, Points(rows), parts))


def _levels(values: np.ndarray, counts: list[int]) -> Conformal:
    levels = np.split(values, np.cumsum(counts)[:-1])
    if any((np.diff(one) < 0.0).any() for one in levels):
        raise ValueError("what its sets compare with is not in order")
    return Conformal(tuple(levels))


def _points(
    name: str, document: dict[str, Any], count: int, features: int, arrays: dict[str, np.ndarray]
) -> np.ndarray | sp.csr_array:
    if document["n_stored"] is None:
        return arrays[name]
    data, indices, indptr = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    if not _pointers(indptr, data.size) or not _within(indices, features):
        raise ValueError(f"its sparse {name} are inconsistent")
    rows = sp.csr_array((data, indices, indptr), shape=(count, features))
    if not rows.has_canonical_format:
        raise ValueError(f"its sparse {name} are not in order")
    return rows


def _pointers(pointers: np.ndarray, total: int) -> bool:
    return bool(pointers[0] == 0 and pointers[-1] == total and (np.diff(pointers) >= 0).all())


def _within(index: np.ndarray, count: int) -> bool:
    return bool(((index >= 0) & (index < count)).all())


def _origin(document: dict[str, Any]) -> Origin:
    counts = {name: _count(document, name) for name in ("iterations", "kernel_evaluations", "n_train", "n_bounded")}
    names = "primal", "dual", "violation", "infeasibility", "scale"
    numbers = {name: _real(document["certificate"][name]) for name in names}
    return Origin(
        solver=_text(document["solver"]),
        ending=Ending(document["ending"]),
        certificate=Certificate(**numbers),
        seconds=None,
        class_counts=tuple(_count({"class_counts": count}, "class_counts") for count in document["class_counts"]),
        digest=_text(document["digest"]),
        versions=tuple((_text(name), _text(value)) for name, value in document["versions"].items()),
        system=_text(document["system"]),
        processor=_text(document["processor"]),
        decisions=tuple(_decision(entry) for entry in document["decisions"]),
        certified=_flag(document["certified"]),
        **counts,
    )


def _calibrated(document: dict[str, Any] | None, classes: int) -> Calibrated | None:
    if document is None:
        return None
    found = Calibration.from_document(document)
    if not found.fits(classes):
        raise ValueError("its probabilities are those of another number of classes")
    return Calibrated(found, _count(document, "folds"), None)


def _rule(document: dict[str, Any] | None, classes: int) -> CostRule | None:
    """Return the rule of costs; most models do without one."""
    return None if document is None else CostRule.from_document(document, classes)


def _decision(document: dict[str, Any]) -> Decision:
    return Decision(
        step=_count(document, "step"),
        phase=_text(document["phase"]),
        reason=_text(document["reason"]),
        numbers={_text(name): _real(value) for name, value in document["numbers"].items()},
        part=_count(document, "part"),
    )


def _real(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError("a number is not finite")
    return float(value)
