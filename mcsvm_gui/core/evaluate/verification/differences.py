"""Compare every document entry and every array of a model with those of a model recomputed from the data.

The entries come from `model_document`, so that a field added to the file later is compared without a change here.
HISTORY names the entries that cannot be recomputed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.evaluate.verification.parts import ModelPart
from mcsvm_gui.core.machine import model_document
from mcsvm_gui.core.machine.trained import TrainedModel

Path = tuple[Any, ...]
Differences = Mapping[ModelPart, list[Sentence]]

CLOSE = 1e-9  # relative; processors round differently, and a cluster adds numbers in another order
HISTORY = {  # the course of the training, which cannot be derived from data
    *(("origin", name) for name in ("solver", "iterations", "kernel_evaluations", "versions", "system")),
    *(("origin", name) for name in ("processor", "decisions", "ending")),
    ("preparation", "notices"),
}
OWNERS: dict[Path, ModelPart] = {  # an entry belongs to the part of the longest prefix of its path
    ("origin", "digest"): ModelPart.DATA,
    ("label_name",): ModelPart.DATA,
    ("label_kind",): ModelPart.CLASSES,
    ("unlearned",): ModelPart.DATA,
    **{(name,): ModelPart.DATA for name in model_document.ROWS},
    ("classes",): ModelPart.CLASSES,
    ("origin", "class_counts"): ModelPart.CLASSES,
    ("preparation",): ModelPart.PREPROCESSING,
    ("n_prepared",): ModelPart.PREPROCESSING,
    **{(name,): ModelPart.PREPROCESSING for name in model_document.PREPARATION},
    ("machine",): ModelPart.KERNEL,
    ("kernel",): ModelPart.KERNEL,
    **{(name,): ModelPart.DUALS for name in ("dual_parts", "dual_rows", "dual_alpha", "n_duals")},
    **{(name,): ModelPart.VECTORS for name in ("support", "owners", "n_support", "n_stored")},
    **{(name,): ModelPart.VECTORS for name in model_document.POINTS},
    **{(name,): ModelPart.FUNCTIONS for name in ("expansion", "bias", "n_coefficients", *model_document.PAIRS)},
    ("calibration",): ModelPart.PROBABILITIES,
    ("sets",): ModelPart.SETS,
    **{(name,): ModelPart.SETS for name in model_document.SETS},
    ("rule",): ModelPart.RULE,
    ("origin", "n_train"): ModelPart.COUNTS,
    ("origin", "n_bounded"): ModelPart.COUNTS,
    ("weights",): ModelPart.COUNTS,
    ("origin", "certificate"): ModelPart.CERTIFICATE,
    ("origin", "certified"): ModelPart.CERTIFICATE,
    ("request",): ModelPart.REQUEST,
}


def owner_of(path: Path) -> ModelPart:
    """Return the part that an entry belongs to."""
    for length in range(len(path), 0, -1):
        if path[:length] in HISTORY:
            return ModelPart.HISTORY
        if path[:length] in OWNERS:
            return OWNERS[path[:length]]
    return ModelPart.OTHER


def differences(stored: TrainedModel, recomputed: TrainedModel, rounding: np.ndarray) -> Differences:
    """Return the differences by part; the certificate is compared by a rule of its own.

    `rounding`: (outputs,) the largest change of a class function by rounding.
    """
    found: dict[ModelPart, list[Sentence]] = defaultdict(list)
    one, other = dict(_leaves(_plain(stored))), dict(_leaves(_plain(recomputed)))
    for path in (*one, *(path for path in other if path not in one)):
        part = owner_of(path)
        if part in (ModelPart.HISTORY, ModelPart.CERTIFICATE) or _same(one.get(path), other.get(path)):
            continue
        found[part].append(
            Sentence(
                "{entry} is {stored}, recomputed {recomputed}",
                entry=".".join(map(str, path)),
                stored=_short(one.get(path)),
                recomputed=_short(other.get(path)),
            )
        )
    arrays, expected = model_document.arrays_of(stored), model_document.arrays_of(recomputed)
    for name in (*arrays, *(name for name in expected if name not in arrays)):
        difference = _compare_arrays(name, arrays.get(name), expected.get(name), rounding if name == "bias" else 0.0)
        if difference is not None:
            found[owner_of((name,))].append(difference)
    return found


def summarize_differences(sentences: list[Sentence]) -> Sentence:
    """Return the first difference, and how many more there are."""
    if len(sentences) == 1:
        return Sentence("{first}.", first=sentences[0])
    more = len(sentences) - 1
    return Sentence("{first} ({count} more).", first=sentences[0], count=more)


def _plain(trained: TrainedModel) -> dict[str, Any]:
    """Return the document with feature shifts in units of the scaled values, and without file names.

    The training file may have moved; its digest identifies it.
    """
    origin = replace(trained.origin, decisions=())  # not compared, and there may be one for each of many pairs
    document = model_document.describe(replace(trained, origin=origin))
    preparation = dict(document["preparation"])
    if preparation["kind"] == "table":
        preparation["features"] = [_in_units(list(feature)) for feature in preparation["features"]]
    else:
        pairs = zip(preparation["shift"], preparation["scale"], strict=True)
        preparation["shift"] = [_round_shift(shift * scale) for shift, scale in pairs]
    files = document["row_files"] and [file["digest"] for file in document["row_files"]]
    return {**document, "preparation": preparation, "row_files": files}


def _in_units(feature: list[Any]) -> list[Any]:
    source, level, fill, shift, scale, *part = feature
    fill = _round_shift(fill * scale) if isinstance(fill, float) else fill
    return [source, level, fill, _round_shift(shift * scale), scale, *part]


def _round_shift(value: float) -> float:
    """Round a shift below the rounding error of scaled features to zero: processors differ in these digits."""
    return 0.0 if abs(value) < CLOSE else value


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _leaves(entry, (*path, key))
    elif isinstance(value, (list, tuple)) and len(value):
        for index, entry in enumerate(value):
            yield from _leaves(entry, (*path, index))
    else:
        yield path, [] if isinstance(value, (list, tuple)) else value


def _same(one: Any, other: Any) -> bool:
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    if numbers and (isinstance(one, float) or isinstance(other, float)):
        return bool(abs(one - other) <= CLOSE * max(abs(one), abs(other)))
    return type(one) is type(other) and bool(one == other)


def _short(value: Any) -> str:
    text = f"{value:.10g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _compare_arrays(name: str, stored: np.ndarray | None, recomputed: np.ndarray | None, more: Any) -> Sentence | None:
    """Compare two arrays; None if they are equal within rounding. `more`: tolerance beyond a share of the values."""
    if stored is None or recomputed is None or stored.shape != recomputed.shape:
        return Sentence("{entry} has another size than the recomputed array", entry=name)
    if stored.dtype.kind == "i":
        wrong = stored != recomputed
    else:
        wrong = ~(np.abs(stored - recomputed) <= CLOSE * _scale(name, recomputed) + more)
    if not wrong.any():
        return None
    return Sentence(
        "{count} of {total} values of {entry} differs from the recomputed one",
        "{count} of {total} values of {entry} differ from the recomputed ones",
        count=int(wrong.sum()),
        total=int(wrong.size),
        entry=name,
    )


def _scale(name: str, values: np.ndarray) -> Any:
    """Return the scale of each value: that of its column for features, of its row for coefficients, else its own."""
    sizes = np.abs(values)
    if sizes.ndim == 2:
        return sizes.max(axis=1 if name == "expansion" else 0, keepdims=True, initial=0.0)
    return sizes
