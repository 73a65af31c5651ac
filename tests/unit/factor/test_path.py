"""The central path leads to the optimum of the factored problem, and remembers which systems failed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_data import blobs, problem_of
from ticks import stopped_when

from mcsvm.solvers.factor.layout import Layout
from mcsvm.solvers.factor.normal import Columns, Separate, rank_cap
from mcsvm.solvers.factor.path import Path
from mcsvm.solvers.interrupt import tick

X, Y = blobs(n=24, classes=4, features=3, seed=5)


def path_of(machine: str, bias: str) -> Path:
    part = problem_of(X, Y, machine, cost=10.0, bias=bias).part(0)
    layout = Layout(part)
    columns = Columns(part.gram, 0.0 if part.balanced else part.offset, part.balanced, rank_cap(part))
    return Path(layout, columns, np.zeros(part.form.outputs))


@pytest.mark.parametrize("bias", ["none", "regularized", "exact"])
@pytest.mark.parametrize("machine", ["ww", "cs", "llw", "ova"])
def test_the_path_leads_to_the_optimum(machine: str, bias: str) -> None:
    path = path_of(machine, bias)
    point = path.start()
    for _ in range(40):
        following = path.advance(point, 1e-6)
        if following is None:  # rounding has won
            break
        point = following
    layout, weights = path.layout, path.layout.weights(point.x)
    gradient = layout.gradient(path.functions(weights) + point.b)
    np.testing.assert_allclose(gradient, point.w - point.z, atol=1e-3)
    np.testing.assert_allclose(layout.total(point.x) + point.t, np.broadcast_to(layout.upper, point.t.shape))
    assert path.mean(point) < 1e-4
    if layout.part.balanced:
        np.testing.assert_allclose(weights.sum(axis=0), 0.0, atol=1e-6)


def test_a_form_that_failed_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    path, tried = path_of("llw", "none"), []

    def fail(self: Separate, diagonal: Any) -> bool:
        tried.append(diagonal)
        tick()
        return False

    monkeypatch.setattr(Separate, "prepare", fail)
    point = path.start()
    stopped_when(lambda: bool(tried), lambda: path.advance(point, 1e-3))
    assert tried
    assert path.failed == 0
    for _ in range(2):
        following = path.advance(point, 1e-3)
        assert following is not None
        point = following
    assert path.failed == 1
    assert len(tried) == 2, "by the work that was given up, and once"
    again = Path(path.layout, path.columns, path.given, failed=1)
    assert again.advance(point, 1e-3) is not None
    assert len(tried) == 2
