"""What "Find the best model" searches, which cells it takes, and how they are trained."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from mcsvm.solvers.selection.cell import Cell, CellResult, FoldResult
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine import warming
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.tune.best import Chosen, best_of_each, least_rows, search_for_best, trainings
from mcsvm_gui.core.tune.options import range_of
from mcsvm_gui.core.tune.search import Tuned, Tuning

IRIS = open_dataset(str(example("iris")))
REQUEST = Request(data=IRIS.name, digest=IRIS.digest, holdout=0.3)


def rows_of(*counts: int) -> Dataset:
    """The first rows of each class of iris."""
    assert IRIS.labels is not None
    names = zip(IRIS.classes, counts, strict=True)
    return IRIS.take(np.concatenate([np.flatnonzero(IRIS.labels == name)[:count] for name, count in names]))


def result(*folds: float, support: int = 9) -> CellResult:
    known = {"seconds": 0.0, "n_support": support, "steps": 1, "ending": None, "certificate": None}
    return CellResult({number: FoldResult(share, **known) for number, share in enumerate(folds)})  # type: ignore[arg-type]


def tuned(cells: dict[Cell, CellResult], *, cut: bool = False, ranges: tuple[str, ...] = ()) -> Tuned:
    request, wanted = search_for_best(REQUEST, IRIS, ("ww", "ovo"), 60.0, ranges)
    return Tuned(Tuning(request, wanted, IRIS), cells, {}, (), 1.0, False, over_budget=cut)


def found(cells: dict[Cell, CellResult], *, cut: bool = False, ranges: tuple[str, ...] = ()) -> dict[str, Chosen]:
    return best_of_each(tuned(cells, cut=cut, ranges=ranges))


def test_what_a_first_search_compiles_is_not_of_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    request, wanted = search_for_best(REQUEST, IRIS, ("ovo",), 0.5)
    one = replace(wanted, search="grid", led=False, C=range_of("1"), gamma=range_of("1"))
    Tuning(request, replace(one, budget=None), IRIS).run()  # all that is compiled is here
    compiled: list[str] = []
    monkeypatch.setattr(warming, "_searched", set())
    monkeypatch.setattr(warming, "_search", lambda machine: (compiled.append(machine), time.sleep(0.6)))
    found = Tuning(request, one, IRIS).run()
    assert compiled == ["ovo"]
    assert (len(found.results), found.over_budget) == (1, False)
    Tuning(request, one, IRIS).run()
    assert compiled == ["ovo"]  # once in a process


def test_a_machine_tested_on_few_folds_is_not_the_best_by_luck() -> None:
    lucky, sure = Cell("ww", 4.0, 1.0), Cell("ovo", 4.0, 1.0)
    both = {lucky: result(1.0), sure: result(0.9, 0.9, 0.9, 0.9, 0.9)}
    assert list(found(both, cut=True)) == ["ovo", "ww"]
    assert list(found({lucky: result(0.9, 0.9, support=7), sure: result(0.9, 0.9)})) == ["ww", "ovo"]


def test_a_search_that_goes_on_goes_further_each_time() -> None:
    best, near = Cell("ww", 2.0**12, 1.0), Cell("ww", 2.0**10, 1.0)
    first = found({best: result(0.9), near: result(0.8)})["ww"]
    assert (first.edges, first.ranges) == (("C high",), ("C=2^-2:2^16", "gamma=2^-10:2^4"))
    farther = Cell("ww", 2.0**16, 2.0**-10)
    second = found({farther: result(0.95), near: result(0.8)}, ranges=first.ranges)["ww"]
    assert set(second.edges) == {"C high", "gamma low"}
    assert second.ranges == ("C=2^-2:2^20", "gamma=2^-14:2^4")
    wanted = search_for_best(REQUEST, IRIS, ("ww",), 60.0, second.ranges)[1]
    assert wanted.gamma is not None
    assert (wanted.C.high, wanted.gamma.low, wanted.C.step) == (20.0, -14.0, 2.0)


def test_a_search_that_was_cut_goes_on_in_the_same_ranges() -> None:
    ranges = ("C=2^-2:2^16", "gamma=2^-10:2^4")
    cut = found({Cell("ww", 2.0**16, 1.0): result(0.9)}, cut=True, ranges=ranges)["ww"]
    assert (cut.cut, cut.edges, cut.ranges) == (True, (), ranges)


def test_beyond_a_plateau_nothing_is_promised() -> None:
    least, inside = Cell("ww", 0.25, 1.0), Cell("ww", 4.0, 1.0)
    assert found({least: result(0.9), inside: result(0.9)})["ww"].edges == ()
    assert found({least: result(0.9), inside: result(0.8)})["ww"].edges == ("C low",)
    end = ("C=2^-2:2^60",)
    assert found({Cell("ww", 2.0**60, 1.0): result(0.9)}, ranges=end)["ww"].edges == ()


@pytest.mark.parametrize(("counts", "folds"), [((50, 50, 50), 5), ((5, 4, 4), 3), ((3, 3, 3), 2), ((2, 2, 2), 2)])
def test_small_classes_have_fewer_folds(counts: tuple[int, ...], folds: int) -> None:
    assert search_for_best(REQUEST, rows_of(*counts), ("ww",), 60.0)[1].folds == folds


@pytest.mark.parametrize(("rarest", "folds"), [(1, None), (3, 3), (40, 5)])
def test_the_best_is_trained_however_small_a_class_is(rarest: int, folds: int | None) -> None:
    """With probabilities where they can be estimated: the training of the best must not fail for want of them."""
    rows = rows_of(40, 40, rarest)
    plain = replace(REQUEST, holdout=None)
    request, wanted = search_for_best(plain, rows, ("ova",), 60.0)
    done = Tuned(Tuning(request, wanted, rows), {Cell("ova", 1.0, 1.0): result(0.9)}, {}, (), 1.0, False)
    assert least_rows(done) == rarest
    (wished,) = trainings(plain, done, best_of_each(done))
    calibration = train(wished, rows).document["calibration"]
    assert (None if calibration is None else calibration["folds"]) == folds
