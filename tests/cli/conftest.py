"""Small files to train on, and a model of one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command_line import mcsvm


def write_blobs(path: Path, rows: int = 60, classes: int = 3, seed: int = 0) -> Path:
    """Overlapping clouds; the label in the middle, and columns of different widths."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    centres = np.random.default_rng(99).normal(scale=1.5, size=(classes, 2))
    X = centres[y] + rng.normal(size=(rows, 2))
    lines = [f"{a!r},class {label},{100 * b!r}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("width,label,height\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def blobs(tmp_path: Path) -> Path:
    return write_blobs(tmp_path / "blobs.csv")


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes long enough with a large C that one can interrupt it."""
    return write_blobs(tmp_path_factory.mktemp("large") / "large.csv", rows=6000, classes=6)


@pytest.fixture
def model(blobs: Path, tmp_path: Path) -> Path:
    path = tmp_path / "blobs.mcsvm"
    assert mcsvm("train", blobs, "--model", path, "--quiet").code == 0
    return path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Rows that no model was trained on."""
    return write_blobs(tmp_path / "other.csv", rows=90, seed=7)
