"""The calibration runs and prints every price of the budget; what it measures, no test can know."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from benchmarks import calibrate
from benchmarks.calibrate import Measured, Sizes, fitted, ratios, record

from mcsvm.solvers.budget import Budget

TINY = Sizes(
    repetitions=1,
    features=3,
    block=60,
    rounds=2,
    dense=10,
    newton=(12, 20),
    interior=((30, 5), (40, 8)),
    iterations=2,
    factor=((30, 5), (40, 8)),
    admm=((30, 5), (40, 8)),
    admm_steps=4,
    homotopy=40,
    costs=(2.0**10,),
)
PRICES = [entry.name for entry in fields(Budget) if entry.name.endswith("_price")]


def test_every_price_of_the_budget_is_measured_and_printed() -> None:
    found = calibrate.calibrate(TINY)
    assert list(found) == PRICES
    assert all(one.price >= 0.0 and one.how for one in found.values())
    source, names = "\n".join(record(found)), {}
    exec(source, {"replace": lambda _, **prices: prices, "BUDGET": None}, names)
    assert list(names["MEASURED"]) == PRICES
    assert [line.split()[0] for line in ratios(found)[1:]] == PRICES


def test_a_price_that_nobody_measures_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "MEASUREMENTS", (lambda _: iter([("round_price", Measured(1.0, "never"))]),))
    with pytest.raises(LookupError, match="step_price"):
        calibrate.calibrate(TINY)


def test_prices_are_found_from_seconds() -> None:
    terms = [(1.0, 2e6), (3.0, 1e6), (2.0, 5e6)]
    seconds = [float(np.dot(term, (1e-3, 1e-9))) for term in terms]
    np.testing.assert_allclose(fitted(terms, seconds), (1e-3, 1e-9))
