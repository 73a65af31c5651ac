"""The map is what the model decides there, for any kernel, any plane, and over the background."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_data import blobs, trained

from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.model import decide
from mcsvm_gui.core.explain.surface import BAND, CLEAR, LINE, Plane, Surface, leads


def pixels(surface: Surface, count: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Some of the picture: (row, column) of each, and its place on the plane."""
    chosen = np.random.default_rng(seed).integers(0, surface.side, size=(count, 2))
    plane = surface.plane
    share = (chosen[:, ::-1] + 0.5) / surface.side
    return chosen, plane.low + share * (plane.high - plane.low)


def check(model: Any, surface: Surface, row: np.ndarray, rows: np.ndarray) -> None:
    frame = surface.frame(row)
    chosen, at = pixels(surface)
    values = np.mean([model.decision(surface.plane.through(one, at)) for one in rows], axis=0)
    labels = decide(model.machine, values, model.classes)
    lead = leads(model, values, labels)
    codes = frame.codes[chosen[:, 0], chosen[:, 1]]
    inside = (codes < LINE) & (np.abs(lead) > 1e-6) & (np.abs(lead - CLEAR) > 1e-6)
    assert inside.sum() > 15
    np.testing.assert_array_equal(codes[inside] % BAND, labels[inside])
    np.testing.assert_array_equal((codes[inside] >= BAND), lead[inside] >= CLEAR)


@pytest.mark.parametrize("machine", MACHINES)
def test_two_columns_through_a_row(machine: str) -> None:
    X, y = blobs(60, 3, 5)
    model = trained(X, y, machine=machine, C=10.0, tol=1e-3)._model
    surface = Surface(model, Plane.of_features(1, 3, X))
    for row in X[:2]:
        check(model, surface, row, row[None])


@pytest.mark.filterwarnings("ignore:The training stalled")  # tanh is not positive semidefinite
@pytest.mark.parametrize(
    ("kernel", "gamma"), [("rbf", 0.01), ("rbf", 3.0), ("linear", 1.0), ("polynomial", 0.2), ("sigmoid", 0.05)]
)
def test_every_kernel_in_directions_that_part_classes(kernel: str, gamma: float) -> None:
    X, y = blobs(60, 3, 5)
    model = trained(X, y, kernel=kernel, gamma=gamma, C=10.0, tol=1e-3)._model
    surface = Surface(model, Plane.parting(X, y))
    np.testing.assert_allclose(surface.plane.directions.T @ surface.plane.directions, np.eye(2), atol=1e-12)
    check(model, surface, X[3], X[3:4])


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
def test_the_mean_over_the_background(kernel: str) -> None:
    X, y = blobs(60, 3, 5)
    model = trained(X, y, machine="cs", kernel=kernel, gamma=0.3, C=10.0, tol=1e-3)._model
    surface = Surface(model, Plane.of_features(0, 2, X), X[10:18])
    check(model, surface, X[0], X[10:18])


def test_the_row_is_decided_where_it_lies() -> None:
    X, y = blobs(60, 3, 4)
    model = trained(X, y, C=10.0)._model
    surface = Surface(model, Plane.of_features(0, 1, X))
    for row in X[:10]:
        frame = surface.frame(row)
        assert frame.winner == model.predict(row[None])[0]
        share = (surface.plane.place(row) - surface.plane.low) / (surface.plane.high - surface.plane.low)
        across, down = (share * surface.side).astype(int)
        assert frame.codes[down, across] in (frame.winner, frame.winner + BAND, LINE)
