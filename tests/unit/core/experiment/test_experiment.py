"""Experiment files: read, written, refused with a sentence."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import SHARED
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix
from sklearn.svm import LinearSVC
from small_data import blobs

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.base.resources import experiment as bundled
from mcsvm_gui.core.base.resources import folder
from mcsvm_gui.core.data.costs import CostTable
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.experiment import (
    DataSpec,
    Experiment,
    Plan,
    RunSpec,
    perform,
    read_experiment,
    reference,
    write_experiment,
)
from mcsvm_gui.core.experiment.files import experiment_text
from mcsvm_gui.core.experiment.reference import REFERENCES
from mcsvm_gui.core.experiment.results import beside_published
from mcsvm_gui.core.experiment.running import PlannedTraining
from mcsvm_gui.core.experiment.searching import SearchSpec
from mcsvm_gui.core.machine.posing import pose_request
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import score, train
from mcsvm_gui.core.machine.sources import data_of
from mcsvm_gui.core.report.blocks import Table
from mcsvm_gui.core.report.shared import comparison_blocks, data_blocks, disagreement_blocks
from mcsvm_gui.core.tune.search import TuneRequest, Tuning

IRIS = str(example("iris"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
COSTS = st.one_of(st.integers(-20, 20).map(lambda power: 2.0**power), st.floats(1e-9, 1e9))
REQUESTS = st.builds(
    Request,
    machine=st.sampled_from(["ww", "llw", "ovo"]),
    kernel=st.sampled_from(["rbf", "linear", "polynomial"]),
    C=COSTS,
    gamma=st.one_of(st.just("scale"), COSTS),
    bias=st.sampled_from([None, "none", "exact"]),
    class_weight=st.one_of(st.none(), st.just("balanced"), st.just((("a", 2.0), ("b c", 0.5)))),
    max_iter=st.one_of(st.none(), st.integers(1, 10**9)),
    holdout=st.one_of(st.none(), st.floats(0.1, 0.9)),
    seed=st.integers(0, 2**40),
)
PLANS = st.sampled_from(
    [
        Plan(),
        Plan("folds", folds=7, repeats=2, seed=3, whole=True),
        Plan("shares", count=3, share=0.2, summary="median"),
    ]
)


@st.composite
def one_run(draw: st.DrawFn, data: str, label: str, plan: Plan) -> RunSpec:
    """A search takes the place of C and gamma, and splits that of a share held out."""
    request = draw(REQUESTS)
    if plan.splits != "none":
        request = replace(request, holdout=None)
    shares = st.none() | st.floats(0.1, 0.9)
    search = draw(st.none() | st.builds(SearchSpec, search=st.sampled_from(["grid", "two-line"]), holdout=shares))
    if search is not None:
        request = replace(request, C=1.0, gamma="scale")
    return RunSpec(data, label, request, {"accuracy": 0.5}, search)


@st.composite
def experiments(draw: st.DrawFn) -> Experiment:
    names = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    rules, read = Rules(scale=draw(st.sampled_from(["minmax", "none"]))), ReadOptions(label=draw(st.none() | TEXTS))
    data = tuple(
        DataSpec(name, f"/data/{place}.csv", digest="ab", test_digest="cd", read=read, rules=rules)
        for place, name in enumerate(names)
    )
    labels = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    plan = draw(PLANS)
    runs = tuple(draw(one_run(name, label, plan)) for name in names for label in labels)
    return Experiment(draw(TEXTS), plan, data, runs, draw(st.just("") | TEXTS))


@pytest.mark.slow
@given(experiments())
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read_again(experiment: Experiment) -> None:
    assert Experiment.from_document(tomllib.loads(experiment_text(experiment))) == experiment


@pytest.fixture
def small() -> Experiment:
    runs = tuple(RunSpec("iris", name, Request(machine=name, C=4.0)) for name in ("ww", "ovo"))
    return Experiment("Small", Plan("shares", count=3, summary="median"), (DataSpec("iris", IRIS),), runs)


def test_paths_begin_at_the_file_or_at_the_folder(small: Experiment, tmp_path: Path) -> None:
    relative = replace(small, data=(DataSpec("iris", "iris/data.csv", test="iris/test.csv"),))
    path = tmp_path / "e.toml"
    path.write_text(experiment_text(relative))
    assert read_experiment(path).data[0].path == str(tmp_path / "iris" / "data.csv")
    moved = read_experiment(path, tmp_path / "else").data[0]
    assert (moved.path, moved.test) == tuple(
        str(tmp_path / "else" / "iris" / name) for name in ("data.csv", "test.csv")
    )


def test_numbers_are_written_as_people_read_them(small: Experiment, tmp_path: Path) -> None:
    write_experiment(tmp_path / "e.toml", small)
    document = tomllib.loads((tmp_path / "e.toml").read_text())
    assert document["run"][0] == {"data": "iris", "label": "ww", "machine": "ww", "C": "2^2"}


def test_defaults_hold_for_every_run_that_says_nothing_else() -> None:
    found = Experiment.from_document(
        {
            "schema": 1,
            "title": "x",
            "data": {"iris": {"path": IRIS}},
            "defaults": {"tol": 1e-5, "C": "2^3", "data": "iris"},
            "run": [{"machine": "ww"}, {"machine": "cs", "C": 1}],
        }
    )
    assert [(run.label, run.request.C, run.request.tol) for run in found.runs] == [("ww", 8.0, 1e-5), ("cs", 1, 1e-5)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"schema": 9}, "schema"),
        ({"runs": []}, "'runs', which means nothing"),
        ({"data": 5}, "where a table is expected"),
        ({"data": {"iris": {"path": IRIS, "colour": 1}}}, "'colour'"),
        ({"plan": {"splits": "guess"}}, "splits must be one of"),
        ({"plan": {"folds": 0}}, "folds"),
        ({"plan": {"summary": "max"}}, "summary"),
        ({"plan": {"splits": "test"}}, "needs a test file"),
        ({"run": []}, "at least one run"),
        ({"run": [{"data": "other"}]}, "none of the data sets"),
        ({"run": [{"data": "iris"}, {"data": "iris"}]}, "its own label"),
        ({"run": [{"data": "iris", "C": "much"}]}, "no number"),
        ({"run": [{"data": "iris", "published": {"accuracy": "good"}}]}, "must be a number"),
        ({"run": [{"data": "iris", "digest": "x"}]}, "'digest'"),
        ({"run": [{"data": "iris", "search": {"folds": 1}}]}, "at least 2"),
        ({"run": [{"data": "iris", "search": {"holdout": 1.5}}]}, "between 0 and 1"),
        ({"run": [{"data": "iris", "search": {"time_limit": 0}}]}, "time_limit"),
        ({"title": 5}, "title must be text"),
        ({"plan": {"seed": "a"}}, "seed of the plan"),
        ({"plan": {"seed": 1.5}}, "seed of the plan"),
        ({"plan": {"seed": -1}}, "seed of the plan"),
        ({"plan": {"share": "a"}}, "share of the plan"),
        ({"plan": {"share": 1.0}}, "share of the plan"),
        ({"plan": {"whole": "no"}}, "true or false"),
        ({"run": [{"data": "iris", "class_weight": 3}]}, "class_weight must be balanced or"),
        ({"run": [{"data": "iris", "class_weight": ["a"]}]}, "class_weight must be balanced or"),
        ({"data": {"iris": {"path": IRIS, "read": {"separator": 3}}}}, "separator must be text"),
        ({"data": {"iris": {"path": IRIS, "read": {"label": 1.5}}}}, "label must be"),
        ({"run": [{"data": "iris", "published": {"accuracy": math.nan}}]}, "must be a number, not nan"),
        ({"plan": {"splits": "folds"}, "run": [{"data": "iris", "holdout": 0.3}]}, "'ww' says holdout"),
        ({"plan": {"splits": "shares"}, "run": [{"data": "iris", "holdout": 0.3}]}, "'ww' says holdout"),
    ],
)
def test_what_is_no_experiment_is_refused_in_a_sentence(change: dict, sentence: str) -> None:
    document = {"schema": 1, "title": "x", "data": {"iris": {"path": IRIS}}, "run": [{"data": "iris"}]}
    with pytest.raises(InputError, match=sentence):
        Experiment.from_document({**document, **change})


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_no_file_makes_reading_fail_otherwise(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random.toml"
    path.write_bytes(content)
    with pytest.raises(FileError):
        read_experiment(path)


# -- carried out ----------------------------------------------------------------------------------


def test_every_part_is_what_a_training_of_its_rows_gives(small: Experiment) -> None:
    results = perform(small)
    data = open_dataset(IRIS)
    for trial in results.trials:
        assert len(trial.parts) == 3
        for part in trial.parts:
            assert part.rows is not None
            alone = train(trial.spec.request, data.take(part.rows.train), data.take(part.rows.test)).document
            assert part.document["test_accuracy"] == alone["test_accuracy"]
            assert part.document["certificate"] == alone["certificate"]
            assert part.document["iterations"] == alone["iterations"]
        assert trial.summary("accuracy", "median") == np.median(trial.accuracies)


def test_splits_are_the_same_for_every_machine(small: Experiment) -> None:
    first, second = perform(small).trials
    for one, other in zip(first.parts, second.parts, strict=True):
        assert one.rows is not None
        assert other.rows is not None
        assert np.array_equal(one.rows.test, other.rows.test)


def test_published_numbers_stand_beside_ours(small: Experiment) -> None:
    runs = tuple(replace(run, published={"accuracy": 0.9, "iterations": 100.0}) for run in small.runs)
    results = perform(replace(small, runs=runs))
    rows = beside_published(results)
    assert [(data, label, name, theirs) for data, label, name, theirs, _ in rows] == [
        ("iris", label, name, theirs)
        for label in ("ww", "ovo")
        for name, theirs in (("accuracy", 0.9), ("iterations", 100.0))
    ]
    assert all(ours is not None for *_, ours in rows)


def test_runs_that_hold_out_the_same_rows_are_compared_on_them() -> None:
    runs = tuple(RunSpec("iris", name, Request(machine=name, holdout=0.4)) for name in ("ww", "ovo"))
    comparison = perform(Experiment("x", Plan(), (DataSpec("iris", IRIS),), runs)).comparison("iris")
    assert comparison is not None
    assert [side.decisions.size for side in comparison.sides] == [60, 60]
    for side in comparison.sides:
        assert side.scores is not None
        assert side.scores.accuracy == side.document["test_accuracy"]


@pytest.mark.parametrize(
    "plan", [Plan("folds", folds=3, repeats=2, whole=True), Plan("folds", folds=3), Plan("shares", count=3)]
)
def test_scores_are_of_the_rows_of_all_parts_together(plan: Plan) -> None:
    """Also where rows are tested more than once, or some never: counted here by hand."""
    runs = tuple(RunSpec("iris", name, Request(machine=name, C=4.0)) for name in ("ww", "ovo"))
    results = perform(Experiment("x", plan, (DataSpec("iris", IRIS),), runs))
    comparison = results.comparison("iris")
    assert comparison is not None
    names = list(comparison.classes)
    for trial, side in zip(results.trials, comparison.sides, strict=True):
        confused = [
            confusion_matrix(part.tested.labels, part.side.decisions, labels=names)
            for part in trial.parts
            if part.tested is not None
        ]
        assert side.scores is not None
        assert side.scores.confusion.tolist() == sum(confused).tolist()
        assert side.scores.accuracy == pytest.approx(trial.summary("accuracy", "mean"))
        assert (side.decisions != None).all() == plan.tests_rows_once  # noqa: E711
    assert comparison.about.startswith("Scores are of the tested rows of all parts")
    assert ("of the first part" in comparison.about) != plan.whole
    assert ("as often as it was tested" in comparison.about) != plan.tests_rows_once
    table = comparison_blocks(comparison)[0]
    assert isinstance(table, Table)
    assert table.caption == comparison.about


def test_runs_of_several_seeds_are_scored_and_tested_as_their_window_did() -> None:
    """Each on the rows it held out; McNemar for each seed, and the corrected t over both."""
    asked = [Request(machine=name, data=IRIS, holdout=0.3, seed=seed) for name in ("ww", "cs") for seed in (0, 1)]
    results = perform(Experiment.of_requests("x", [(f"{one.machine} {one.seed}", one) for one in asked]))
    comparison = results.comparison("iris")
    assert comparison is not None
    assert [side.scores and side.scores.accuracy for side in comparison.sides] == [
        trial.accuracies[0] for trial in results.trials
    ]
    assert "tested on itself" in comparison.about
    assert not comparison.shared().any()
    told = [(result.name, result.between, result.data) for result in results.tests]
    assert told == [
        ("mcnemar exact", ("ww 0", "cs 0"), "iris"),
        ("mcnemar corrected", ("ww 0", "cs 0"), "iris"),
        ("mcnemar exact", ("ww 1", "cs 1"), "iris"),
        ("mcnemar corrected", ("ww 1", "cs 1"), "iris"),
        ("corrected resampled t", ("ww", "cs"), "iris"),
    ]


def test_trainings_of_a_window_replay_to_the_same_numbers(tmp_path: Path) -> None:
    """Also where two runs have the same name, or the same file is read or prepared in other ways."""
    standard = Rules(scale="standard")
    wanted = [
        ("ww", Request(machine="ww", C=2.0, gamma=0.3, holdout=0.3, seed=4, data=IRIS)),
        ("ww", Request(machine="ww", C=0.1, holdout=0.3, class_weight=(("setosa", 2.0),), data=IRIS)),
        ("ovo", Request(machine="ovo", kernel="linear", rules=standard, data=IRIS)),
    ]
    write_experiment(tmp_path / "e.toml", Experiment.of_requests("Runs", wanted))
    again = perform(read_experiment(tmp_path / "e.toml"))
    assert [trial.spec.label for trial in again.trials] == ["ww", "ww (2)", "ovo"]
    for (_, request), trial in zip(wanted, again.trials, strict=True):
        first, replayed = train(request, open_dataset(IRIS)).document, trial.finished[0].document
        for name in ("certificate", "iterations", "train_accuracy", "test_accuracy", "n_support_per_class", "kernel"):
            assert replayed[name] == first[name]
    with pytest.raises(InputError, match="does not name its data"):
        Experiment.of_requests("Runs", [("x", Request())])


def test_a_search_is_that_of_the_tune_command_and_its_best_cell_is_told() -> None:
    """Machines that are asked for the same otherwise are searched together, the others apart."""
    spec = SearchSpec("2^0:2^2", "2^-2:2^0", holdout=0.3, time_limit=9.0)
    requests = [Request(machine="ww"), Request(machine="ovo"), Request(machine="cs", margin=2.0)]
    published = {"validation": 0.9, "search_seconds": 1.0}
    runs = tuple(RunSpec("iris", request.machine, request, published, spec) for request in requests)
    heard: list[tuple[str, int, int | None]] = []
    results = perform(
        Experiment("x", Plan(), (DataSpec("iris", IRIS),), runs),
        searching=lambda job, done, expected: heard.append((job.spec.label, done, expected)),
    )
    assert heard == [("ww", done, 18) for done in range(1, 19)] + [("cs", done, 9) for done in range(1, 10)]
    for trial in results.trials:
        document = trial.finished[0].document
        costs, gammas = Range(0.0, 2.0), Range(-2.0, 0.0)
        wanted = TuneRequest((trial.spec.request.machine,), costs, gammas, holdout=0.3)
        tuned = Tuning(trial.spec.request, wanted, open_dataset(IRIS)).run().results
        mean = max(result.mean for result in tuned.values())
        assert (document["search"]["mean"], document["search"]["cells"], document["search"]["unsolved"]) == (mean, 9, 0)
        assert document["search"]["equal"] == sum(result.mean == mean for result in tuned.values())
        assert trial.summary("validation", "mean") == mean
    together = [trial.finished[0].document["search"]["together"] for trial in results.trials]
    assert together == [["ww", "ovo"], ["ww", "ovo"], ["cs"]]
    assert [row[2] for row in beside_published(results)] == [*published] * 3


def test_a_search_by_costs_is_written_and_read() -> None:
    costs = CostTable(("a b", "c"), ((0.0, 2.5), (1.0, 0.0)))
    run = RunSpec("iris", "ww", Request(), search=SearchSpec(score="cost", costs=costs))
    experiment = Experiment("x", Plan(), (DataSpec("iris", IRIS),), (run,))
    text = experiment_text(experiment)
    assert Experiment.from_document(tomllib.loads(text)) == experiment
    assert "c = 2.5" in text
    with pytest.raises(InputError, match="a cost must be a number of at least 0, not -1"):
        Experiment.from_document(tomllib.loads(text.replace("2.5", "-1")))
    assert run.search is not None
    assert run.search.wanted(["ww"], "rbf").costs == costs
    assert run.search.said() == {"score": "cost", "costs": {"a b": {"a b": 0.0, "c": 2.5}, "c": {"a b": 1.0, "c": 0.0}}}
    with pytest.raises(InputError, match="the costs name a b, c: no such class"):
        perform(experiment)


def test_a_search_may_choose_by_another_measure() -> None:
    assert SearchSpec().said() == {}
    spec = SearchSpec(C="2^-4:2^8", gamma="2^-6:2^2", step=4, folds=3, score="log-loss")
    assert SearchSpec(**spec.document()) == spec
    assert spec.text == "grid, 3 folds, by log loss"
    run = RunSpec("iris", "ww", Request(machine="ww"), search=spec)
    results = perform(Experiment("x", Plan(), (DataSpec("iris", IRIS),), (run,)))
    document = results.trials[0].finished[0].document["search"]
    tuned = Tuning(Request(), spec.wanted(("ww",), "rbf"), open_dataset(IRIS)).run()
    cell = tuned.best("ww")
    assert (document["score"], document["score_mean"]) == ("log-loss", tuned.results[cell].mean)
    assert document["mean"] == pytest.approx(np.mean(tuned.results[cell].fold_accuracy))
    assert document["score_mean"] == min(found.mean for found in tuned.results.values())


def test_a_machine_that_the_solver_refuses_leaves_the_search_of_the_others_alone() -> None:
    spec = SearchSpec("1:2", "2^-1:2^-1", holdout=0.3)
    runs = tuple(
        RunSpec("iris", name, Request(machine=name, solver="lasvm", bias="exact"), search=spec)
        for name in ("ww", "ova", "ovo")
    )
    results = perform(Experiment("x", Plan("folds", folds=2), (DataSpec("iris", IRIS),), runs))
    ww, *others = results.trials
    assert ww.refused is not None
    assert "lasvm learns binary machines" in ww.refused
    for trial in others:
        assert [part.document["search"]["together"] for part in trial.parts] == [["ova", "ovo"]] * 2


def test_reference_methods_are_searched_tested_and_certified_like_machines(tmp_path: Path) -> None:
    """Both minimise the same, which LIBLINEAR minimises as well."""
    X, y = blobs(n=60, classes=2, features=3, seed=8)
    lines = [",".join([*map(str, row), "ab"[label]]) for row, label in zip(X, y, strict=True)]
    (tmp_path / "two.csv").write_text("\n".join(["p,q,r,label", *lines]))
    runs = tuple(
        RunSpec("two", name, Request(machine="ovo", solver=name, kernel="linear", tol=1e-6), {}, spec)
        for name in REFERENCES
        for spec in [SearchSpec("2^-4:2^0", step=2.0, folds=3)]
    )
    plan = Plan("shares", count=1)
    results = perform(Experiment("x", plan, (DataSpec("two", str(tmp_path / "two.csv")),), runs))
    documents = [trial.finished[0].document for trial in results.trials]
    assert results.converged
    assert [document["solver_used"] for document in documents] == list(REFERENCES)
    assert documents[0]["C"] == documents[1]["C"]
    assert documents[0]["search"]["mean"] == documents[1]["search"]["mean"]
    assert [document["search"]["cells"] for document in documents] == [3, 3]
    dataset = open_dataset(tmp_path / "two.csv")
    train = dataset.take(plan.parts(dataset)[0].train)
    problem = pose_request(replace(runs[0].request, solver="auto"), train).problem
    model = LinearSVC(C=documents[0]["C"], tol=1e-8, max_iter=100_000, random_state=0)
    model.fit(problem.points.rows, problem.labels)
    slack = np.maximum(1.0 - (2 * problem.labels - 1) * model.decision_function(problem.points.rows), 0.0)
    norm = float((model.coef_**2).sum() + model.intercept_[0] ** 2)
    optimum = 0.5 * norm + documents[0]["C"] * float(slack @ slack)
    for document in documents:
        assert document["certificate"]["primal"] == pytest.approx(optimum, rel=1e-4)
        assert document["certificate"]["dual"] <= optimum * (1.0 + 1e-9)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"kernel": "rbf"}, "linear kernel"),
        ({"class_weight": "balanced"}, "no class_weight"),
        ({"calibrate": "temperature"}, "no calibrate"),
        ({"bias": "exact"}, "no bias"),
        ({"gap_tol": 1e-6}, "no gap_tol"),
        ({"bias": "regularized"}, "two"),
        ({}, "two"),
    ],
)
def test_reference_methods_say_what_they_cannot(more: dict[str, Any], why: str) -> None:
    request = Request(**{"machine": "ovo", "solver": "asvm", "kernel": "linear", **more})
    with pytest.raises(InputError, match=rf"asvm is a reference method.*{why}"):
        perform(Experiment("x", Plan(), (DataSpec("iris", IRIS),), (RunSpec("iris", "x", request),)))


@pytest.mark.parametrize(
    "said", [{"score": "macro-f1"}, {"budget": 5.0}, {"holdout": 0.3}, {"search": "halving"}, {"time_limit": 2.0}]
)
def test_searches_of_reference_methods_say_what_they_cannot(said: dict[str, Any]) -> None:
    request = Request(machine="ovo", solver="lsvm", kernel="linear")
    runs = (RunSpec("iris", "x", request, {}, SearchSpec("1:2", folds=3, **said)),)
    with pytest.raises(InputError, match=rf"lsvm is a reference method.*leave {next(iter(said))} out"):
        perform(Experiment("x", Plan(), (DataSpec("iris", IRIS),), runs))


def test_searches_of_reference_methods_split_as_the_data_say(tmp_path: Path) -> None:
    """By a column of two folds, whatever number of folds is named."""
    X, y = blobs(n=60, classes=2, features=3, seed=8)
    lines = [",".join([*map(str, X[i]), "ab"[y[i]], "fg"[i > 20]]) for i in range(60)]
    (tmp_path / "two.csv").write_text("\n".join(["p,q,r,label,part", *lines]))
    request = Request(machine="ovo", solver="asvm", kernel="linear", read=ReadOptions(fold_column="part"))
    dataset = open_dataset(tmp_path / "two.csv", request.read)
    found = reference.search(request, SearchSpec("2^0:2^0", folds=5), dataset, lambda: False)
    assert found is not None
    first, second = dataset.take(np.arange(21)), dataset.take(np.arange(21, 60))
    accuracies = []
    for rows, tested in ((second, first), (first, second)):
        solved = reference.solve(request, reference.posed_of(request, rows))
        accuracies.append(score(reference.trained_of(request, rows, solved), tested)[0])
    assert found[1]["mean"] == pytest.approx(np.mean(accuracies))


def test_what_was_not_tested_has_no_score() -> None:
    runs = (RunSpec("iris", "ww", Request()),)
    results = perform(Experiment("x", Plan(), (DataSpec("iris", IRIS),), runs))
    comparison = results.comparison("iris")
    assert comparison is not None
    assert comparison.sides[0].scores is None
    assert results.trials[0].accuracies == ()
    assert results.tests == ()


def test_stopping_keeps_what_is_done(small: Experiment) -> None:
    seen: list[object] = []

    def report(job: object, *_: object) -> None:
        if job not in seen:
            seen.append(job)

    results = perform(small, report, lambda: len(seen) >= 3)
    assert results.interrupted
    assert len(results.done) == 1
    assert results.document()["interrupted"] is True


class Halt:
    """Stops in the first slice of the training of this number, counted from 1."""

    def __init__(self, training: int) -> None:
        self._training, self._seen = training, set[int]()

    def report(self, job: PlannedTraining, *_: object) -> None:
        self._seen.add(job.place)

    def stopped(self) -> bool:
        return len(self._seen) >= self._training


def test_what_was_stopped_in_the_middle_neither_counts_nor_is_tested() -> None:
    """One fold of cs is done and one is half trained, when ww has all of its own."""
    runs = tuple(RunSpec("iris", name, Request(machine=name, solver="smo", C=1e6, tol=1e-9)) for name in ("ww", "cs"))
    halt = Halt(5)
    plan = Plan("folds", folds=3)
    results = perform(Experiment("x", plan, (DataSpec("iris", IRIS),), runs), halt.report, halt.stopped)
    ww, cs = results.trials
    assert [part.document["ending"] for part in cs.parts][-1] == "stopped"
    assert (len(ww.accuracies), len(cs.accuracies), len(cs.parts)) == (3, 1, 2)
    assert results.tests == ()
    assert [np.isfinite(value) for value in results.table("accuracy")[0]] == [True, False]
    comparison = results.comparison("iris")
    assert comparison is not None
    assert comparison.shared().sum() == cs.parts[0].side.decisions.size
    assert "50 rows" in str(disagreement_blocks(comparison, 3)[:2])


def test_where_nothing_is_possible_the_reason_is_raised() -> None:
    runs = (RunSpec("iris", "x", Request(machine="ww", solver="whole-example")),)
    with pytest.raises(InputError):
        perform(Experiment("x", Plan(), (DataSpec("iris", IRIS),), runs))


# -- the bundled ones -----------------------------------------------------------------------------

BUNDLED = sorted((folder() / "experiments").glob("*.toml"))


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_a_bundled_experiment_can_be_posed(path: Path) -> None:
    """Every run names a machine and a solver there is, and has something published to stand beside."""
    found = read_experiment(path)
    assert bundled(path.stem) == path
    for run in found.runs:
        assert run.request.machine in MACHINES
        assert run.request.solver in {*METHODS, *REFERENCES}
        assert run.published


def test_the_tables_of_the_papers_are_complete() -> None:
    runs = {path.stem: len(read_experiment(path).runs) for path in BUNDLED}
    assert runs == {
        "dogan-2011-parameters": 10 * 4,
        "dogan-2011-accuracy": 10 * 4,
        "dogan-2011-training": 10 * 6,
        "hsu-lin-2002-rbf": 10 * 5,
        "hsu-lin-2002-training": 10 * 5,
        "hsu-lin-2002-linear": 6 * 5,
        "hsu-lin-2002-selection": 9 * 5,
        "kao-2004-model-selection": 4 + 2,
        "kao-2004-linear": 7 * 3,
    }


@pytest.mark.parametrize(
    "path", [path for path in BUNDLED if path.stem.startswith("dogan")], ids=lambda path: path.stem
)
def test_replays_of_the_2011_paper_have_its_target_margins(path: Path) -> None:
    """2 for ww; 1 / (classes - 1) for llw is the machine's own. Its C means nothing with another margin."""
    found = read_experiment(path)
    assert {(run.request.machine, run.request.margin) for run in found.runs} <= {
        ("ww", 2.0), ("llw", None), ("cs", None), ("ova", None),
    }  # fmt: skip
    assert ("ww", 2.0) in {(run.request.machine, run.request.margin) for run in found.runs}
    assert MACHINES["llw"].margin(5) == 0.25
    assert "2 for ww, 1/(d-1) for llw" in " ".join(found.note.split())


@pytest.mark.skipif(not SHARED.is_dir(), reason="the papers' data are not beside this checkout")
@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_experiments_find_their_data(path: Path) -> None:
    for spec in read_experiment(path, SHARED / "data").data:
        assert all(Path(file).is_file() for file in (spec.path, *spec.also, spec.test or spec.path))


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the papers' data are not beside this checkout")
def test_iris_and_glass_of_the_2011_paper() -> None:
    """Medians of ten splits that are not the paper's: within a few test rows (45, 65) of what it prints."""
    path = bundled("dogan-2011-accuracy")
    assert path is not None
    results = perform(read_experiment(path, SHARED / "data").only(["iris", "glass"]))
    for data, _, name, theirs, ours in beside_published(results):
        assert name == "accuracy"
        assert ours == pytest.approx(theirs, abs=0.035 if data == "iris" else 0.055)


def test_a_file_to_test_on_that_changed_is_told(tmp_path: Path) -> None:
    """By the experiment, and wherever the request itself is looked at again."""
    test = tmp_path / "test.csv"
    test.write_text(Path(IRIS).read_text())
    digest = open_dataset(test).digest
    asked = Request(data=IRIS, test=str(test), digest=open_dataset(IRIS).digest, test_digest=digest)
    wanted = Experiment.of_requests("x", [("ww", asked)])
    results = perform(replace(wanted, data=(replace(wanted.data[0], test_digest=None),)))
    assert results.experiment == wanted
    assert any(digest in str(block) for block in data_blocks(results.datasets["iris"], test=results.tests_of["iris"]))
    assert data_of(asked)[1] is not None
    test.write_text(Path(IRIS).read_text().replace("5.1", "5.2"))
    with pytest.raises(FileError, match=r"test.csv: the file has changed since the experiment was written"):
        perform(wanted)
    with pytest.raises(FileError, match=r"test.csv: the file has changed since it was tested on"):
        data_of(asked)


def test_files_of_the_same_columns_are_joined(tmp_path: Path) -> None:
    lines = Path(IRIS).read_text().splitlines(keepends=True)
    for name, part in (("a.csv", lines[:76]), ("b.csv", lines[:1] + lines[76:])):
        (tmp_path / name).write_text("".join(part))
    spec = DataSpec("iris", str(tmp_path / "a.csv"), also=(str(tmp_path / "b.csv"),))
    runs = (RunSpec("iris", "ww", Request()),)
    results = perform(Experiment("x", Plan("folds", folds=3), (spec,), runs))
    whole = perform(Experiment("x", Plan("folds", folds=3), (DataSpec("iris", IRIS),), runs))
    assert results.trials[0].accuracies == whole.trials[0].accuracies
    (tmp_path / "b.csv").write_text("x,y,label\n1,2,a\n2,3,b\n")
    with pytest.raises(FileError, match="cannot be joined"):
        perform(Experiment("x", Plan(), (spec,), runs))
