"""The playground without a window: points, random sets, regions against `predict`, steps against `Run`."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.run.loop import Limits, Run
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.experiment import read_experiment
from mcsvm_gui.core.machine.session import Session
from mcsvm_gui.core.playground import random_sets, regions
from mcsvm_gui.core.playground.drawing import MOST_POINTS, REACH, Drawing
from mcsvm_gui.core.playground.fit_options import SIX, FitOptions
from mcsvm_gui.core.playground.fitting import Fitted, fit, fit_all, posed
from mcsvm_gui.core.playground.from_data import SHOWN, number_columns, two_columns, two_components
from mcsvm_gui.core.playground.margins import clearance
from mcsvm_gui.core.playground.palette import BAND, LINE
from mcsvm_gui.core.playground.pictures import of_walk, refit
from mcsvm_gui.core.playground.sharing import table, write_experiment_of
from mcsvm_gui.core.playground.steps import Walk, rivals
from mcsvm_gui.core.playground.tours import tours

SIDE = 61
LAWS = [name for name in KERNELS if name != "precomputed"]


def drawing(count: int = 40, name: str = "gaussians") -> Drawing:
    return random_sets.drawn(name, count, 3)


# -- points -----------------------------------------------------------------------------------------


def test_an_edit_leaves_the_drawing_before_it_as_it_was() -> None:
    before = drawing()
    kept = before.places.copy(), before.classes.copy()
    before.moved(0, (9.0, np.nan))
    before.without(3)
    before.with_points(np.zeros((5, 2)), 7)
    assert np.array_equal(before.places, kept[0])
    assert np.array_equal(before.classes, kept[1])


def test_points_stay_on_the_canvas_and_there_is_room_for_so_many() -> None:
    full = Drawing.empty().with_points(np.full((MOST_POINTS + 5, 2), 7.0), 2)
    assert len(full) == MOST_POINTS
    assert full.room == 0
    assert np.all(full.places == REACH)


@pytest.mark.parametrize("name", random_sets.random_sets())
def test_the_same_seed_draws_the_same_points_with_two_classes_at_least(name: str) -> None:
    one, other = random_sets.drawn(name, 60, 5), random_sets.drawn(name, 60, 5)
    assert one.same_as(other)
    assert one.trainable
    assert len(one) == 60


def test_the_counterexample_of_the_2011_paper_leaves_one_vs_all_without_a_class() -> None:
    """Footnote 1: the class functions are -1 for all classes."""
    single = random_sets.drawn("single-point", 10, 0)
    assert np.unique(single.places, axis=0).shape == (1, 2)
    assert np.bincount(single.classes).tolist() == [4, 3, 3]
    fitted = fit(single, FitOptions(log_cost=0.0), "ova")
    np.testing.assert_allclose(fitted.model.decision(single.places[:1]), -np.ones((1, 3)), atol=1e-3)


def test_a_table_of_the_points_reads_back_as_they_are() -> None:
    points = drawing()
    read = pd.read_csv(io.StringIO(table(points)))
    assert np.array_equal(read[["x", "y"]].to_numpy(), points.places)
    assert np.array_equal(read["class"].to_numpy(), points.classes + 1)


def test_an_experiment_trains_the_same_machines_on_the_same_points_again(tmp_path: Path) -> None:
    points, setting = drawing(), FitOptions(machines=("llw", "ova"), kernel="polynomial", bias="regularized")
    (tmp_path / "share-points.csv").write_text("somebody's", "utf-8")
    written = write_experiment_of(str(tmp_path / "share.toml"), points, setting)
    assert (tmp_path / "share-points.csv").read_text("utf-8") == "somebody's"
    experiment = read_experiment(tmp_path / "share.toml")
    (data,) = experiment.data
    assert [run.label for run in experiment.runs] == ["llw", "ova"]
    assert Path(data.path) == Path(written)
    for run in experiment.runs:
        session = Session(replace(run.request, rules=data.rules), open_dataset(data.path, data.read))
        while session.running:
            session.advance()
        again = session.finish().trained.origin.certificate
        mine = fit(points, setting, run.label).certificate
        assert again.dual <= mine.primal * (1 + 1e-9)
        assert mine.dual <= again.primal * (1 + 1e-9)


# -- regions and margins ------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", LAWS)
@pytest.mark.parametrize("machine", SIX)
def test_regions_are_what_predict_says_at_pixel_centres(machine: str, kernel: str) -> None:
    points = drawing()
    fitted = fit(points, FitOptions(kernel=kernel), machine, seconds=0.2)
    found = regions.regions(fitted.model, fitted.problem, points.used, SIDE)
    across = regions.centres(SIDE)
    rows, columns = np.random.default_rng(0).integers(0, SIDE, (2, 200))
    places = np.stack([across[columns], across[::-1][rows]], axis=1)
    assert np.array_equal(found.labels[rows, columns], points.used[fitted.model.predict(places)])


def test_pixel_centres_fill_the_canvas_evenly() -> None:
    centres = regions.centres(4)
    np.testing.assert_allclose(np.diff(centres), 2.0 * REACH / 4)
    assert centres[0] - REACH / 4 == pytest.approx(-REACH)


@pytest.mark.parametrize("machine", SIX)
def test_clearance_is_the_smallest_spare_of_what_the_machine_asks(machine: str) -> None:
    fitted = fit(drawing(), FitOptions(), machine)
    places = np.random.default_rng(1).uniform(-1, 1, (50, 2))
    values, labels = fitted.model.decision(places), fitted.model.predict(places)
    found = clearance(fitted.problem, values.T, labels)
    for row, label in enumerate(labels):
        assert found[row] == pytest.approx(spare(machine, values[row], int(label)), abs=1e-9)


def spare(machine: str, values: np.ndarray, own: int, classes: int = 4) -> float:
    """By the hinges of the primal problems, written out."""
    others = [c for c in range(classes) if c != own]
    if machine in ("ww", "cs"):
        return min(values[own] - values[c] - 1.0 for c in others)
    if machine == "llw":
        return min(-values[c] - 1.0 / (classes - 1) for c in others)
    if machine == "ova":
        return min(values[own] - 1.0, *(-values[c] - 1.0 for c in others))
    column = {pair: number for number, pair in enumerate((a, b) for a in range(4) for b in range(a + 1, 4))}
    return min(values[column[own, c]] if own < c else -values[column[c, own]] for c in others) - 1.0


def test_codes_tell_classes_margins_and_lines_apart() -> None:
    points = drawing()
    fitted = fit(points, FitOptions(), "ww")
    found = regions.regions(fitted.model, fitted.problem, points.used, SIDE)
    codes = found.codes()
    plain = codes < LINE
    assert np.array_equal(codes[plain] % BAND, found.labels[plain])
    assert np.array_equal(codes[plain] >= BAND, found.clear[plain])
    borders = np.argwhere(codes == LINE)
    assert len(borders)
    for row, column in borders:
        assert np.unique(found.labels[row : row + 2, column : column + 2]).size > 1


# -- fitting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", ["", "none", "regularized", "exact"])
def test_going_on_from_a_moment_ago_ends_at_the_same_optimum(bias: str) -> None:
    setting = FitOptions(bias=bias)
    before = fit_all(drawing(), setting)
    moved, dearer = drawing().moved(4, (0.3, 0.1)), FitOptions(bias=bias, log_cost=4.0)
    for fitted in fit_all(moved, dearer, before).values():
        alone = fit(moved, dearer, fitted.machine)
        check(fitted)
        assert fitted.certificate.dual <= alone.certificate.primal * (1 + 1e-9)
        assert alone.certificate.dual <= fitted.certificate.primal * (1 + 1e-9)


def check(fitted: Fitted) -> None:
    certificate = fitted.certificate
    assert certificate.dual <= certificate.primal + 1e-9 * (1.0 + abs(certificate.primal))
    assert certificate.infeasibility <= 1e-6 * fitted.setting.cost
    assert not (fitted.bounded & ~fitted.support).any()


def test_a_fit_that_is_not_wanted_ends_where_it_stands() -> None:
    fitted = fit(drawing(), FitOptions(log_cost=14.0), "llw", wanted=lambda: False)
    assert fitted.ending.name in ("STOPPED", "CONVERGED")
    check(fitted)


def test_what_is_told_of_a_machine_is_counted_right() -> None:
    found, (picture,) = refit(drawing(), FitOptions(machines=("cs",)), SIDE)
    fitted = found["cs"]
    assert np.array_equal(picture.wrong, fitted.model.predict(fitted.drawing.places) != fitted.drawing.classes)
    numbers = (fitted.support & ~fitted.bounded).sum(), fitted.bounded.sum(), picture.wrong.sum()
    assert picture.lines[1] == "{} free, {} bounded, {} wrong".format(*numbers)


# -- steps ----------------------------------------------------------------------------------------------


def same_place(one: object, other: object) -> bool:
    names = "iteration", "dual", "primal", "violation", "support", "bounded"
    return all(getattr(one, name) == getattr(other, name) for name in names)


def started(machine: str, solver: str) -> tuple[Walk, Run]:
    """A walk that has taken a few steps one by one, and the solver's own run as far at one go."""
    points, setting = drawing(), FitOptions()
    walk, run = Walk(points, setting, machine, solver), Run(posed(points, setting, machine), solver, Limits(1e-3))
    walk.advance(64 if solver == "fw" else 3)  # the solver's own first round of Frank-Wolfe has 64
    while run.running and run.iterations < walk.run.iterations:
        run.advance(walk.run.iterations - run.iterations)
    return walk, run


@pytest.mark.parametrize("solver", ["smo", "s2do"])
@pytest.mark.parametrize("machine", SIX)
def test_step_by_step_is_where_the_run_itself_stands(machine: str, solver: str) -> None:
    walk, run = started(machine, solver)
    assert same_place(walk.run.sample(), run.sample())


@pytest.mark.parametrize("solver", ["smo", "s2do"])
@pytest.mark.parametrize("machine", SIX)
def test_walked_to_the_end_it_is_where_the_run_itself_ends(machine: str, solver: str) -> None:
    walk, run = started(machine, solver)
    while walk.running:
        walk.go_on(1.0)
    while run.running:
        run.advance()
    assert same_place(walk.run.sample(), run.sample())
    assert walk.run.ending is run.ending


@pytest.mark.parametrize("machine", SIX)
def test_frank_wolfe_step_by_step_is_where_its_rounds_are(machine: str) -> None:
    """The same steps, looked at one by one; only rounding differs from those of a round."""
    walk, run = started(machine, "fw")
    here, there = walk.run.sample(), run.sample()
    assert here.iteration == there.iteration == 64
    assert here.dual == pytest.approx(there.dual, rel=1e-6)
    assert here.primal == pytest.approx(there.primal, rel=1e-6)


def test_frank_wolfe_takes_one_step_at_a_time() -> None:
    walk = Walk(drawing(), FitOptions(), "ww", "fw")
    for count in range(1, 6):
        walk.advance(1)
        assert walk.run.iterations == count
        assert walk.updates


@pytest.mark.parametrize("solver", ["smo", "s2do"])
@pytest.mark.parametrize("machine", SIX)
def test_a_step_gains_between_half_and_all_of_gradient_times_change(machine: str, solver: str) -> None:
    """The exact maximum of a quadratic on a box that zero belongs to: what is told of a step accounts for the dual."""
    walk = Walk(drawing(), FitOptions(), machine, solver)
    for _ in range(6):
        before = walk.run.certificate().dual
        walk.advance(1)
        promised = sum(update.gradient * update.change for update in walk.updates)
        gained = walk.run.certificate().dual - before
        assert 0.5 * promised - 1e-5 * promised <= gained <= promised * (1 + 1e-5)
        assert 1 <= len(walk.updates) <= 2


def test_smo_moves_one_variable_and_s2do_two() -> None:
    for solver, width in (("smo", 1), ("s2do", 2)):
        walk = Walk(drawing(), FitOptions(), "ww", solver)
        walk.advance(1)
        assert len(walk.updates) == width
        for update in walk.updates:
            own, other = rivals(walk.problem, update)
            assert own == walk.drawing.classes[update.point]
            assert other not in (None, own)


def test_a_walk_is_painted_from_the_start_to_the_end() -> None:
    walk = Walk(drawing(), FitOptions(), "ova", "smo")
    first = of_walk(walk, SIDE)
    assert first.steps.tolist() == [0.0]
    assert not first.support.any()
    assert first.running
    walk.advance(2)
    second = of_walk(walk, SIDE)
    assert second.steps.tolist() == [0.0, 1.0, 2.0]
    assert np.all(np.diff(second.dual) >= 0.0)
    assert set(second.working.tolist()) == {update.point for update in walk.updates}


# -- tours and data ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tours())
def test_every_stop_of_a_tour_can_be_fitted(name: str) -> None:
    for stop in tours()[name].stops:
        points = random_sets.drawn(stop.points, stop.count, 0)
        for fitted in fit_all(points, stop.setting).values():
            check(fitted)
            assert fitted.ending.name == "CONVERGED"


def test_the_tour_tells_the_truth_about_s2do() -> None:
    stop = tours()["solvers"].stops[-1]
    points = random_sets.drawn(stop.points, stop.count, 0)
    steps = {}
    for solver in ("smo", "s2do"):
        run = Run(posed(points, stop.setting, "ww"), solver, Limits(tolerance=1e-3))
        while run.running:
            run.advance()
        steps[solver] = run.iterations
    assert steps["s2do"] < 0.5 * steps["smo"]


def test_points_from_data_fill_the_canvas_and_keep_their_classes() -> None:
    iris = open_dataset(str(resources.dataset("iris")), ReadOptions())
    columns = number_columns(iris)
    assert len(columns) == 4
    for taken in (two_components(iris), two_columns(iris, columns[0][0], columns[2][0])):
        assert len(taken.drawing) == 150
        assert taken.drawing.used.size == 3
        assert np.bincount(taken.drawing.classes).tolist() == [50, 50, 50]
        np.testing.assert_allclose(np.abs(taken.drawing.places).max(axis=0), 1.0)


def test_of_many_classes_and_rows_the_largest_are_taken() -> None:
    vowel = open_dataset(str(resources.dataset("vowel_train")), ReadOptions())
    taken = two_components(vowel)
    assert taken.drawing.used.size == 10
    assert len(taken.drawing) == SHOWN
    assert "10" in taken.words
