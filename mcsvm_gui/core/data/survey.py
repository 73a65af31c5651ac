"""The content of a data set, counted once: plain numbers that a window can show without touching the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcsvm_gui.core.base.figures import amount, count, percent
from mcsvm_gui.core.base.i18n import tr

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Column, Dataset


@dataclass(frozen=True)
class Survey:
    rows: int
    features: int
    categories: int
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    missing: int
    filled: float | None  # share of nonzero cells, for sparse files
    digest: str
    weight: float | None = None  # of all rows together, if they have weights


def survey(dataset: Dataset) -> Survey:
    """Count the content. Reads every cell, so it must not run in the window's thread."""
    matrix = dataset.matrix
    cells = 0 if matrix is None else matrix.shape[0] * matrix.shape[1]
    return Survey(
        rows=dataset.rows,
        features=len(dataset.columns),
        categories=_categories(dataset.columns) if matrix is None else 0,
        classes=dataset.classes,
        counts=dataset.class_counts,
        missing=dataset.missing,
        filled=None if matrix is None else matrix.nnz / max(1, cells),
        digest=dataset.digest,
        weight=None if dataset.weights is None else float(dataset.weights.sum()),
    )


def _categories(columns: Sequence[Column]) -> int:
    return sum(not column.numeric for column in columns)


def summary(found: Survey) -> str:
    """Return one line: rows, features and their kinds, classes, missing cells, the digest's beginning."""
    parts = [
        tr("{count} row", "{count} rows", count=found.rows),
        *([] if found.weight is None else [tr("weights {total} in all", total=amount(found.weight))]),
        _features(found),
        tr("{count} class", "{count} classes", count=len(found.classes)),
        _cells(found),
        tr("SHA-256 {digest}", digest=found.digest[:8]),
    ]
    return "  ·  ".join(parts)


def _features(found: Survey) -> str:
    total = tr("{count} feature", "{count} features", count=found.features)
    numbers = found.features - found.categories
    if not found.categories:
        return total
    if not numbers:
        return tr("{features}, all text", features=total)
    kinds = {"numbers": count(numbers), "texts": count(found.categories)}
    return tr("{features}: {numbers} numeric, {texts} text", features=total, **kinds)


def _cells(found: Survey) -> str:
    if found.filled is not None:
        return tr("sparse, {share} filled", share=percent(found.filled))
    if not found.missing:
        return tr("no missing cells")
    return tr("{count} missing cell", "{count} missing cells", count=found.missing)
