"""JSON: the whole model, self-describing, with all support vectors."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm.solvers.model import Expansion
from mcsvm.solvers.uncertainty.costs import CostRule
from mcsvm.solvers.uncertainty.probability import Calibration
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.preparation import TablePreparation, expected_arrays
from mcsvm_gui.core.data.preparation.date_parts import PARTS
from mcsvm_gui.core.export.checked import FilePrediction, Files, Receipt, RefusedFileError, scored, write_checked
from mcsvm_gui.core.export.date_formulas import SECONDS, formula, spelled
from mcsvm_gui.core.export.flat_model import FlatColumn, FlatModel, flat_model
from mcsvm_gui.core.export.probe import Probe, prepared
from mcsvm_gui.core.machine.trained import TrainedModel

FORMAT, VERSION = "mcsvm model", 1

KERNELS = {
    "rbf": "exp(-gamma * |x - z|^2)",
    "linear": "<x, z>",
    "polynomial": "(gamma * <x, z> + coef0)^degree",
    "sigmoid": "tanh(gamma * <x, z> + coef0)",
    "precomputed": "x[serial of z]: the prepared row holds the kernel values themselves",
}
DECISIONS = {
    "argmax": "outputs are class functions in the order of `classes`; the largest wins, ties go to the first",
    "votes": "outputs are pair functions in the order of `pairs`; [a, b] votes for a where positive, else for b; "
    "most votes win, ties go to the first class",
    "graph": "outputs are pair functions in the order of `pairs`; keep a list of all classes in order, compare its "
    "first and last (positive: drop the last, else the first) until one is left",
}
PAIRS = "for each [a, b] in the order of pairs (0, 1), (0, 2), ...: the pair function, or the difference of two class "
PROBABILITIES = {
    "scores": "class functions; for two classes of a pair function f: f / 2 and -f / 2; for more classes of pair "
    "functions: votes + c / (3 (|c| + 1)), c the sum of the class's pair functions (negative where it is the second), "
    "the largest exchanged with that of the class decided for",
    "temperature": "exp(score / temperature), divided by the sum over all classes",
    "pairwise": PAIRS + "functions, gives r_ab = 1 / (1 + exp(A f + B)), between 1e-7 and 1 - 1e-7, and r_ba = 1 - "
    "r_ab; the p of sum 1 that minimise the sum of (r_ba p_a - r_ab p_b)^2, none below 0",
    "sigmoid": "[A, B] for each: 1 / (1 + exp(A f + B)) of the score of each class, divided by their sum; for two "
    "classes of the pair function or the difference of the two class functions, the second being 1 minus it",
}

STEPS = (
    "in place of `columns` and `features`: [column, level, fill, shift, scale, part] for each feature, (value - shift)"
    " * scale, a missing value being `fill`; `part` in place of the value: missing (1 where it is), others (1 where it"
    " is none of the column's levels), or a part of a date, by the formula in `dates` of its seconds since 1970. After"
    " these features stand the words: for each text column count * idf in the order of its vocabulary (idf of all"
    " columns one after another), divided by the length of the row; pieces are those of scikit-learn's"
    " TfidfVectorizer with analyzer, ngrams and stop_words of `rules`. Where `neighbors` is given, a missing number is"
    " the mean of the `count` nearest rows of `donors` that have it (`donors_known`), by the distance of scikit-learn's"
    " KNNImputer on columns of deviation 1; where no row has a cell in common, the mean of the column"
)

COSTS = (
    "in place of `decision`: the class c of the smallest sum over t of probability of t * costs[t][c], the first of "
    "those within 1e-12 of the largest cost, is decided for (where all errors cost the same, the most probable class); "
    "no class where its probability is below `reject`"
)


def refusal(trained: TrainedModel) -> str | None:
    return None


def layout(trained: TrainedModel) -> FlatModel:
    return flat_model(trained, as_weights=False)


def export(trained: TrainedModel, path: Path | str, check: Dataset | None = None) -> Receipt:
    plain = layout(trained)
    return write_checked(trained, plain, path, check, written(plain, trained), PREDICTORS)


def written(plain: FlatModel, trained: TrainedModel) -> Files:
    text = json.dumps(document(plain, trained), indent=1, allow_nan=False, default=_simple)
    return {"": (text + "\n").encode("ascii")}


def document(plain: FlatModel, trained: TrainedModel) -> dict[str, Any]:
    pairs = {} if plain.decides == "argmax" else {"pairs": plain.pairs}
    return {
        "format": FORMAT,
        "version": VERSION,
        "how": "prepared feature = (value, or 1 where it equals level and 0 where not, - shift) * scale, a missing "
        "value being `fill` of its column; outputs = sum over vectors of kernel(prepared, vector) * expansion + bias. "
        "A sparse `expansion` lists, for output p, values[starts[p]:starts[p + 1]] of vectors[starts[p]:starts[p + 1]]",
        "refused": {"missing": "where `fill` is null", "unknown_levels": plain.strict},
        "machine": plain.machine,
        "classes": plain.class_names,
        "decision": {"rule": plain.decides, "how": DECISIONS[plain.decides], **pairs},
        "probabilities": None if plain.calibration is None else _probabilities(plain),
        "costs": None if plain.rule is None else {**plain.rule.document(), "how": COSTS},
        "kernel": {"name": plain.kernel, "how": KERNELS[plain.kernel], **plain.parameters},
        "preparation": _preparation(plain),
        "columns": [dataclasses.asdict(column) for column in plain.columns],
        "features": _features(plain),
        "vectors": _vectors(plain),
        "serials": plain.serials,
        "owners": plain.owners,
        "expansion": _expansion(plain),
        "bias": plain.bias,
        "request": trained.request.document(),
        "certificate": _finite(trained.certificate),
    }


def _preparation(plain: FlatModel) -> dict[str, Any] | None:
    """Return the preparation if features are more than values and levels, otherwise None."""
    if plain.steps is None:
        return None
    dates = {part: spelled(formula(part), SECONDS) for part in PARTS if part in plain.parts}
    return {"how": STEPS, "dates": dates, **plain.steps.document(), "arrays": plain.steps.arrays()}


def _read_preparation(document: dict[str, Any] | None) -> TablePreparation | None:
    if document is None:
        return None
    kinds = {name: kind for name, (kind, _) in expected_arrays(document).items()}
    arrays: dict[str, np.ndarray] = {
        name: np.array(document["arrays"][name], dtype={"f": float, "i": int}[kind]) for name, kind in kinds.items()
    }
    return TablePreparation.read(document, arrays)


def _probabilities(plain: FlatModel) -> dict[str, Any]:
    assert plain.calibration is not None
    document = plain.calibration.document()
    how = {
        name: PROBABILITIES[name]
        for name in (["scores"] if document["method"] != "pairwise" else []) + [document["method"]]
    }
    return {**document, "how": how}


def _features(plain: FlatModel) -> list[dict[str, Any]]:
    parts = zip(plain.sources.tolist(), plain.levels, plain.shift.tolist(), plain.scale.tolist(), strict=True)
    return [{"column": c, "level": level, "shift": shift, "scale": scale} for c, level, shift, scale in parts]


def _expansion(plain: FlatModel) -> Any:
    """Return a row per vector; for pairs of more than two classes, a column per pair with nonzero coefficients."""
    if not sp.issparse(plain.expansion):
        return plain.expansion
    columns = sp.csc_array(plain.expansion)
    return {"shape": columns.shape, "starts": columns.indptr, "vectors": columns.indices, "values": columns.data}


def _read_expansion(document: Any, outputs: int) -> Expansion:
    if isinstance(document, dict):
        return _sparse(sp.csc_array, document, "vectors")
    return np.array(document, dtype=np.float64).reshape(-1, outputs)


def _vectors(plain: FlatModel) -> dict[str, Any]:
    if not sp.issparse(plain.vectors):
        return {"dense": plain.vectors}
    rows = plain.vectors
    return {"shape": rows.shape, "starts": rows.indptr, "columns": rows.indices, "values": rows.data}


def _simple(value: Any) -> Any:
    """Convert arrays and NumPy's numbers, which the json module cannot encode."""
    return value.tolist()


def _finite(certificate: Any) -> dict[str, float | None]:
    """Replace infinities by None: JSON cannot write them, and a run stopped at once may not know its gap."""
    values = {**dataclasses.asdict(certificate), "gap": certificate.gap, "relative_gap": certificate.relative_gap}
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def read(path: Path) -> FlatModel:
    """Read a model back from its file alone."""
    document = json.loads(path.read_text("ascii"))
    kernel = {key: value for key, value in document["kernel"].items() if key not in ("name", "how")}
    columns = [
        FlatColumn(c["name"], c["levels"] and tuple(c["levels"]), c["fill"], c["kind"]) for c in document["columns"]
    ]
    features = document["features"]
    outputs = len(document["bias"])
    return FlatModel(
        machine=document["machine"],
        decides=document["decision"]["rule"],
        class_names=tuple(document["classes"]),
        columns=tuple(columns),
        sources=np.array([feature["column"] for feature in features], dtype=np.int64),
        levels=tuple(feature["level"] for feature in features),
        shift=np.array([feature["shift"] for feature in features]),
        scale=np.array([feature["scale"] for feature in features]),
        kernel=document["kernel"]["name"],
        parameters=kernel,
        vectors=_read_vectors(document["vectors"], len(features)),
        steps=_read_preparation(document["preparation"]),
        serials=np.array(document["serials"], dtype=np.int64),
        owners=np.array(document["owners"], dtype=np.int64),
        expansion=_read_expansion(document["expansion"], outputs),
        bias=np.array(document["bias"], dtype=np.float64),
        strict=document["refused"]["unknown_levels"],
        calibration=None if document["probabilities"] is None else Calibration.from_document(document["probabilities"]),
        rule=None if document["costs"] is None else CostRule.from_document(document["costs"], len(document["classes"])),
    )


def _sparse(kind: Any, document: dict[str, Any], index: str) -> Any:
    """Return the sparse table; raise ValueError for indices out of range, which SciPy does not check."""
    values, places, starts = (np.array(document[name]) for name in ("values", index, "starts"))
    height, width = document["shape"]
    across, along = (width, height) if kind is sp.csc_array else (height, width)
    ordered = starts.shape == (across + 1,) and starts[0] == 0 and starts[-1] == values.size
    if not ordered or (np.diff(starts) < 0).any() or places.shape != values.shape or values.ndim != 1:
        raise ValueError("a sparse table is inconsistent")
    if places.size and not 0 <= places.min() <= places.max() < along:
        raise ValueError("a sparse table has entries outside it")
    return kind((values.astype(np.float64), places.astype(np.int64), starts.astype(np.int64)), shape=(height, width))


def _read_vectors(document: dict[str, Any], features: int) -> np.ndarray | sp.csr_array:
    if "dense" not in document:
        return _sparse(sp.csr_array, document, "columns")
    rows = document["dense"]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(rows[0]) if rows else features)


def _predictor(path: Path, plain: FlatModel, probe: Probe) -> FilePrediction:
    """Read the file back and evaluate it from its own content alone."""
    again, numbers = read(path), {name: number for number, name in enumerate(plain.class_names)}
    if [column.name for column in again.columns] != [column.name for column in plain.columns]:
        raise RefusedFileError("it has other columns than the model")
    order = np.array([numbers.get(name, -1) for name in again.class_names])
    values = again.evaluate(prepared(again, probe))
    codes, shares = again.choose(values), again.probabilities(values)
    labels = np.where(codes < 0, -1, order[codes])
    shares = None if shares is None else shares[:, np.argsort(order)]
    scores = values if scored(plain, probe) else None
    return FilePrediction(labels, Sentence("the file read back"), probe, shares, scores=scores)


PREDICTORS = (_predictor,)
