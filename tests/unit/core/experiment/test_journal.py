"""What an experiment has done stands in a journal, and is not done again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import kept_keys
import pytest
from small_data import blobs

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.measures import MEASURES, measure_rows
from mcsvm_gui.core.experiment import DataSpec, Experiment, Journal, Plan, Results, RunSpec, perform, reference, running
from mcsvm_gui.core.experiment.searching import SearchRunner, SearchSpec, key_of_request
from mcsvm_gui.core.machine.posing import Posed
from mcsvm_gui.core.machine.request import Request

IRIS = DataSpec("iris", str(example("iris")))
SEARCH = SearchSpec("2^0:2^2", "2^-2:2^0", folds=3)


def experiment(plan: Plan, **more: Any) -> Experiment:
    runs = tuple(RunSpec("iris", name, Request(machine=name, C=4.0), **more) for name in ("ww", "ovo"))
    return Experiment("Small", plan, (IRIS,), runs)


EXPERIMENTS = {
    "folds": experiment(Plan("folds", folds=3, whole=True)),
    "shares": experiment(Plan("shares", count=2, summary="median")),
    "searched": experiment(Plan("folds", folds=2), search=SEARCH),
    "held out": Experiment("Held out", Plan(), (IRIS,), (RunSpec("iris", "ww", Request(holdout=0.3)),)),
    "not tested": Experiment("All rows", Plan(), (IRIS,), (RunSpec("iris", "ww", Request()),)),
}


@pytest.fixture
def two_classes(tmp_path: Path) -> Path:
    rows, labels = blobs(n=60, classes=2, features=3, seed=8)
    lines = [",".join([*map(str, row), "ab"[label]]) for row, label in zip(rows, labels, strict=True)]
    (tmp_path / "two.csv").write_text("\n".join(["p,q,r,label", *lines]))
    return tmp_path / "two.csv"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "iris.results"


def told(results: Results) -> tuple[Any, ...]:
    """All that a report says of them, but when."""
    document = {name: value for name, value in results.document().items() if name not in ("seconds", "kept")}
    comparison = results.comparison("iris")
    assert comparison is not None
    traces = [[values.tolist() for values in (side.trace or {}).values()] for side in comparison.sides]
    return document, [(line.measure, line.texts) for line in measure_rows(comparison)], traces


@pytest.mark.parametrize("wanted", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_what_is_kept_is_told_again_without_training(
    wanted: Experiment, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = perform(wanted, journal=Journal(path))
    trained = sum(len(trial.finished) for trial in first.trials)
    monkeypatch.setattr(running, "Session", None)
    monkeypatch.setattr(SearchRunner, "_search", None)
    again = perform(wanted, journal=Journal(path))
    assert (first.kept, again.kept) == (0, trained)
    assert told(again) == told(first)


@pytest.mark.parametrize("name", ["folds", "shares"])
def test_seconds_of_a_row_are_of_the_rows_that_were_timed(name: str, path: Path) -> None:
    """In tables of all rows too; journals of old have the seconds of all rows of a part."""
    first = perform(EXPERIMENTS[name], journal=Journal(path))
    trial, comparison = first.trials[0], first.comparison("iris")
    assert comparison is not None
    timed = (trial.whole or trial.parts[0]).side
    assert MEASURES["prediction"].value(comparison.sides[0]) == timed.row_seconds
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    for entry in entries[1:]:
        entry["prediction_seconds"] = entry.pop("row_seconds") * len(entry["decisions"])
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    again = perform(EXPERIMENTS[name], journal=Journal(path)).trials[0]
    for one, other in zip(trial.finished, again.finished, strict=True):
        assert other.side.row_seconds == pytest.approx(one.side.row_seconds)


def test_an_interrupted_experiment_goes_on(path: Path) -> None:
    wanted = EXPERIMENTS["shares"]
    trained: list[list[object]] = [[], []]

    def report(seen: list[object], job: object) -> None:
        if job not in seen:
            seen.append(job)

    perform(wanted, lambda job, *_: report(trained[0], job), lambda: len(trained[0]) > 2, journal=Journal(path))
    results = perform(wanted, lambda job, *_: report(trained[1], job), journal=Journal(path))
    assert not results.interrupted
    assert results.kept == 4 - len(trained[1]) > 0
    assert [trial.accuracies for trial in results.trials] == [trial.accuracies for trial in perform(wanted).trials]


def test_the_search_of_a_reference_method_goes_on_from_cost_to_cost(
    path: Path, two_classes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, spec = Request(machine="ovo", solver="asvm", kernel="linear"), SearchSpec("2^-2:2^1", folds=3)
    runs = (RunSpec("two", "asvm", request, {}, spec),)
    wanted = Experiment("x", Plan("shares", count=1), (DataSpec("two", str(two_classes)),), runs)
    asked, solve = [], reference.solve

    def counted(request: Request, posed: Posed) -> reference.TimedSolution:
        asked.append(request.C)
        return solve(request, posed)

    monkeypatch.setattr(reference, "solve", counted)
    results = perform(wanted, stopped=lambda: len(asked) > 7, journal=Journal(path))  # in the third cost
    assert results.interrupted
    again = perform(wanted, journal=Journal(path))
    assert sorted(asked[8:-1]) == [1.0] * 3 + [2.0] * 3
    document, plain = (done.trials[0].finished[0].document for done in (again, perform(wanted)))
    assert {**document["search"], "seconds": 0, "seconds_together": 0} == {
        **plain["search"], "seconds": 0, "seconds_together": 0,
    }  # fmt: skip


def test_only_the_same_training_of_the_same_rows_is_the_same(path: Path) -> None:
    wanted = EXPERIMENTS["shares"]
    perform(wanted, journal=Journal(path))
    others = (replace(run, request=replace(run.request, C=4.1)) for run in wanted.runs)
    assert perform(replace(wanted, runs=tuple(others)), journal=Journal(path)).kept == 0
    assert perform(replace(wanted, plan=replace(wanted.plan, seed=9)), journal=Journal(path)).kept == 0
    renamed = tuple(replace(run, label=f"my {run.label}") for run in wanted.runs)
    assert perform(replace(wanted, runs=renamed), journal=Journal(path)).kept == 4


def test_which_files_were_asked_for_is_no_part_of_a_key() -> None:
    """Their rows are; and entries of old, whose requests had fewer such fields, are found."""
    named = Request(data="a.csv", test="b.csv", digest="01", test_digest="02")
    assert key_of_request(named) == key_of_request(Request())
    assert not {"data", "test", "digest", "test_digest"} & key_of_request(named).keys()


def test_keys_stay_what_they_are() -> None:
    """tests/one_line finds them with an option more."""
    assert kept_keys.keys() == kept_keys.PINNED
    assert len(set(kept_keys.PINNED.values())) == len(kept_keys.PINNED)


def test_a_line_cut_off_in_the_middle_is_done_again(path: Path) -> None:
    wanted = EXPERIMENTS["shares"]
    perform(wanted, journal=Journal(path))
    path.write_bytes(path.read_bytes()[:-40])
    assert perform(wanted, journal=Journal(path)).kept == 3
    assert perform(wanted, journal=Journal(path)).kept == 4


@pytest.mark.parametrize(
    "content",
    [b"", b"a,b,label\n1,2,x\n", b'{"mcsvm results": 2}\n', b'{"mcsvm results": 1}\nx\n', b'{"mcsvm results": 1}\n5\n'],
)
def test_another_file_is_refused_and_stays_as_it_is(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(FileError):
        Journal(path)
    assert path.read_bytes() == content


def test_an_entry_that_is_none_is_told(path: Path) -> None:
    wanted = EXPERIMENTS["not tested"]
    perform(wanted, journal=Journal(path))
    head, line = path.read_text().splitlines()
    path.write_text(f"{head}\n{json.dumps({'key': json.loads(line)['key'], 'document': {}})}\n")
    with pytest.raises(FileError, match="an entry is not what"):
        perform(wanted, journal=Journal(path))


def test_searches_of_the_same_rows_do_not_see_each_others_cells(path: Path) -> None:
    specs = {"wide": SEARCH, "narrow": SearchSpec("2^0:2^1", "2^-2:2^-1", folds=3)}
    runs = tuple(RunSpec("iris", name, Request(), search=spec) for name, spec in specs.items())
    results = perform(Experiment("Two searches", Plan(), (IRIS,), runs), journal=Journal(path))
    found = [trial.finished[0].document["search"]["cells"] for trial in results.trials]
    assert found == [9, 4]


def test_a_killed_search_goes_on_with_the_cells_it_has(path: Path) -> None:
    wanted = EXPERIMENTS["searched"]
    first = perform(wanted, journal=Journal(path))
    lines = path.read_text().splitlines(keepends=True)
    cells = [line for line in lines if "cell" in json.loads(line)]
    assert len(cells) == 2 * 2 * 9 * 3  # parts, machines, cells, folds
    path.write_text("".join([lines[0], *cells[:-20]]))
    again = perform(wanted, journal=Journal(path))
    assert again.kept == 0
    assert sum("cell" in json.loads(line) for line in path.read_text().splitlines()) == len(cells)
    for one, other in zip(first.trials, again.trials, strict=True):
        assert [part.document["search"]["mean"] for part in one.parts] == [
            part.document["search"]["mean"] for part in other.parts
        ]
        assert one.accuracies == other.accuracies
