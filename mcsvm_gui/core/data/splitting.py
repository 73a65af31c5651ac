"""Hold-out by lot: every class gives its share, and the same seed gives the same rows."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np

from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.preparation.rules import some
from solvers.errors import InputError, Sentence


class Split(NamedTuple):
    train: np.ndarray  # rising row numbers
    test: np.ndarray
    notices: tuple[Notice, ...]


def hold_out(labels: np.ndarray, share: float, seed: int) -> Split:
    """A class of one row stays in the training part; every class keeps at least one row there."""
    if not 0.0 < share < 1.0:
        raise InputError("holdout must be a share between 0 and 1, such as 0.3, not {share!r}", share=share)
    rows_of: dict[str, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        rows_of.setdefault(label, []).append(row)
    chosen, untested = np.zeros(len(labels), dtype=bool), []
    for label in sorted(rows_of):
        rows = np.array(rows_of[label])
        count = min(int(rows.size * share + 0.5), rows.size - 1)
        chosen[np.random.default_rng([seed, _stamp(label)]).permutation(rows)[:count]] = True
        if count == 0:
            untested.append(label)
    if not chosen.any():
        raise InputError(
            "a share of {share:g} of these {labels} rows holds no row; hold out more, or nothing",
            share=share,
            labels=len(labels),
        )
    return Split(np.flatnonzero(~chosen), np.flatnonzero(chosen), _notices(untested))


def split(dataset: Dataset, share: float, seed: int) -> tuple[Dataset, Dataset, tuple[Notice, ...]]:
    assert dataset.labels is not None
    parts = hold_out(dataset.labels, share, seed)
    return dataset.take(parts.train), dataset.take(parts.test), parts.notices


def _stamp(label: str) -> int:
    """Each class draws its own lots, so that one more class changes nothing for the others."""
    return zlib.crc32(label.encode("utf-8", "surrogatepass"))


def _notices(untested: list[str]) -> tuple[Notice, ...]:
    if not untested:
        return ()
    sentence = Sentence(
        "classes with too few rows to be held out, which therefore are not tested: {untested}", untested=some(untested)
    )
    return (Notice("untested classes", sentence),)
