"""mcsvm tune: its document, its table, its refusals, and what a stop leaves."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import ROOT, mcsvm, process
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mcsvm import MultiClassSVC
from mcsvm.solvers.selection.scores import SCORES
from mcsvm.solvers.selection.search import SEARCHES
from mcsvm_gui.cli.commands import tune
from mcsvm_gui.cli.commands.tune import range_of
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.tune import options

SMALL = "--C", "2^-1:2^3", "--gamma", "2^-2:1", "--step", 2, "--folds", 3


def test_the_document_is_that_of_the_contract(blobs: Path, tmp_path: Path) -> None:
    answer = mcsvm("tune", blobs, "--machine", "ww,ovo", *SMALL, "--json", "-o", tmp_path / "c.csv")
    found = answer.document
    assert (answer.code, answer.err) == (0, "")
    assert {"cells", "best", "seconds", "search", "folds", "seed"} <= found.keys()
    assert (found["search"], found["folds"], found["seed"], len(found["cells"])) == ("grid", 3, 0, 12)
    for cell in found["cells"]:
        assert len(cell["fold_accuracy"]) == 3
        assert cell["mean"] == pytest.approx(np.mean(cell["fold_accuracy"]))
        assert cell["std"] == pytest.approx(np.std(cell["fold_accuracy"]))
        assert {"machine", "C", "gamma", "seconds", "n_support"} <= cell.keys()
    for machine in ("ww", "ovo"):
        mine = [cell for cell in found["cells"] if cell["machine"] == machine]
        top = max(cell["mean"] for cell in mine)
        first = min((cell["C"], cell["gamma"]) for cell in mine if cell["mean"] >= top - 1e-12)
        assert (found["best"][machine]["C"], found["best"][machine]["gamma"]) == first
        assert found["best"][machine]["mean"] == top


@pytest.mark.slow
def test_cells_are_those_of_a_pipeline_on_the_same_folds(blobs: Path) -> None:
    """Scaling is fitted in each training part alone."""
    frame = pd.read_csv(blobs)
    X, y = frame[["width", "height"]].to_numpy(), frame["label"].to_numpy()
    found = mcsvm("tune", blobs, "--machine", "cs,ova,dag", *SMALL, "--seed", 3, "--json").document
    folds = list(StratifiedKFold(3, shuffle=True, random_state=3).split(X, y))
    for cell in found["cells"]:
        model = MultiClassSVC(machine=cell["machine"], C=cell["C"], gamma=cell["gamma"])
        pipeline = make_pipeline(MinMaxScaler((-1, 1)), model)
        alone = [pipeline.fit(X[train], y[train]).score(X[test], y[test]) for train, test in folds]
        assert cell["fold_accuracy"] == pytest.approx(alone), cell


def test_cells_are_priced_by_a_file_of_costs(blobs: Path, tmp_path: Path) -> None:
    """As the predictions of a pipeline on the same folds are; and the best cell is another."""
    costs = tmp_path / "costs.csv"
    costs.write_text(",class 2,class 0,class 1\nclass 2,0,1,4\nclass 0,8,0,1\nclass 1,1,2,0\n")
    table = {("class 2", "class 0"): 1, ("class 2", "class 1"): 4, ("class 0", "class 2"): 8}
    table |= {("class 0", "class 1"): 1, ("class 1", "class 2"): 1, ("class 1", "class 0"): 2}
    asked = "tune", blobs, "--machine", "ww", *SMALL, "--score", "cost", "--json"
    found = mcsvm(*asked, "--costs", costs).document
    frame = pd.read_csv(blobs)
    X, y = frame[["width", "height"]].to_numpy(), frame["label"].to_numpy()
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    for cell in found["cells"]:
        pipeline = make_pipeline(MinMaxScaler((-1, 1)), MultiClassSVC(machine="ww", C=cell["C"], gamma=cell["gamma"]))
        prices = []
        for train, test in folds:
            decided = pipeline.fit(X[train], y[train]).predict(X[test])
            prices.append(np.mean([table.get(pair, 0) for pair in zip(y[test], decided, strict=True)]))
        assert cell["scores"]["cost"] == cell["mean"] == pytest.approx(np.mean(prices), abs=1e-12)
    assert found["best"]["ww"]["mean"] == min(cell["mean"] for cell in found["cells"])
    assert found["costs"]["class 0"] == {"class 2": 8.0, "class 0": 0.0, "class 1": 1.0}
    alike = mcsvm(*asked).document
    assert [cell["mean"] for cell in alike["cells"]] == pytest.approx(
        [1 - cell["scores"]["accuracy"] for cell in alike["cells"]]
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("true,a,b\na,0,1\nb,1,0\n", "the costs name a, b: no such class"),
        (",class 0,class 1\nclass 0,0,1\nclass 1,1,0\n", "there are no costs for class 2"),
        (",class 0,class 1\nclass 0,0,-1\nclass 1,1,0\n", "a cost must be at least 0"),
        ("a\n", "a cost matrix has the names of the classes"),
    ],
)
def test_costs_that_do_not_fit_are_refused(content: str, said: str, blobs: Path, tmp_path: Path) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text(content)
    answer = mcsvm("tune", blobs, *SMALL, "--score", "cost", "--costs", costs, "-o", tmp_path / "cells.csv")
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "cells.csv").exists()


def test_the_table_holds_every_cell_with_all_digits(blobs: Path, tmp_path: Path) -> None:
    out = tmp_path / "cells.csv"
    document = mcsvm("tune", blobs, *SMALL, "--json", "-o", out).document
    table = pd.read_csv(out)
    assert table["mean"].tolist() == [cell["mean"] for cell in document["cells"]]
    folds = table[["fold_1", "fold_2", "fold_3"]].to_numpy().tolist()
    assert folds == [cell["fold_accuracy"] for cell in document["cells"]]
    assert set(table["ending"]) == {"converged"}


@pytest.mark.parametrize("search", ["two-line", "coarse-to-fine", "halving", "per-pair"])
def test_every_search_ends_with_a_best_cell(blobs: Path, search: str) -> None:
    found = mcsvm("tune", blobs, "--machine", "ovo", *SMALL, "--search", search, "--json").document
    assert found["search"] == search
    assert found["best"]["ovo"]["gamma"] is not None
    if search == "per-pair":
        assert [pair["classes"] for pair in found["best"]["ovo"]["per_pair"]["pairs"]] == [
            ["class 0", "class 1"],
            ["class 0", "class 2"],
            ["class 1", "class 2"],
        ]
        plain = mcsvm("tune", blobs, "--machine", "ovo", *SMALL, "--search", search).out
        assert plain.count("class 0 or class 1: ") == plain.count("class 1 or class 2: ") == 1


def test_nested_validation_and_repeats(blobs: Path) -> None:
    nested = mcsvm("tune", blobs, "--machine", "ova", *SMALL, "--nested", "--json").document["nested"]["ova"]
    assert len(nested["fold_accuracy"]) == len(nested["chosen"]) == 3
    repeated = mcsvm("tune", blobs, "--machine", "ova", *SMALL, "--repeats", 2, "--json").document
    assert {len(cell["fold_accuracy"]) for cell in repeated["cells"]} == {6}
    held = mcsvm("tune", blobs, "--machine", "ova", *SMALL[:-2], "--holdout", 0.3, "--json").document
    assert {len(cell["fold_accuracy"]) for cell in held["cells"]} == {1}


def test_the_words_say_where_the_edge_is(blobs: Path) -> None:
    answer = mcsvm("tune", blobs, "--machine", "ova", "--C", "2^-9:2^-8", "--gamma", "2^-9:2^-8")
    assert answer.code == 0
    assert "MC060: The best cell is on the edge" in answer.out
    assert answer.out.splitlines()[0].startswith("4 cells, 5 folds, search grid")


def test_a_line_that_is_not_met_and_an_edge_off_the_grid_are_said(blobs: Path) -> None:
    two_line = "tune", blobs, "--machine", "ovo", "--search", "two-line", "--folds", 3
    far = mcsvm(*two_line, "--C", "2^-2:2^0", "--gamma", "2^9:2^10")
    assert "That is the linear kernel" in far.out
    near = mcsvm(*two_line, "--C", "2^-3:2^3", "--gamma", "2^-9:2^-8", "--step", 0.5, "--json")
    if near.document["best"]["ovo"]["gamma"] == 2.0**-8:
        assert "gamma high" in near.document["best"]["ovo"]["edges"]


def test_cells_that_cannot_be_written_are_shown(blobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(tune, "write_text", full)
    answer = mcsvm("tune", blobs, *SMALL, "-o", tmp_path / "cells.csv")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert "6 cells, 3 folds" in answer.out


def test_cells_out_of_time_are_exit_code_3(blobs: Path) -> None:
    hard = "--machine", "llw", "--solver", "smo", "--C", "2^8:2^10", "--gamma", "2^-6:2^-5", "--step", 2, "--folds", 3
    answer = mcsvm("tune", blobs, *hard, "--tol", "1e-13", "--time-limit", "1e-9", "--json")
    assert answer.code == 3
    assert all(len(cell["endings"]) == 3 and cell["relative_gap"] >= -1e-9 for cell in answer.document["cells"])


WRONG = {
    ("--C", "abc"): "error: --C: 'abc' is no number",
    ("--C", "4:2"): "error: --C: a range runs from the smaller to the larger",
    ("--C", "0:2"): "positive numbers",
    ("--gamma", "scale"): "--gamma: a search needs numbers",
    ("--step", "0"): "step",
    ("--folds", "1"): "folds must be at least 2",
    ("--folds", "100"): "folds are too many",
    ("--search", "grid", "--led"): "take --search halving, or leave --led out",
    ("--machine", "ww,xx"): "There is no machine 'xx'",
    ("--machine", "ww,ww"): "once",
    ("--search", "x"): "There is no search 'x'; choose one of grid, two-line",
    ("--search", "per-pair"): "take --machine ovo or dag",
    ("--search", "two-line", "--kernel", "polynomial"): "take --kernel rbf",
    ("--kernel", "linear", "--gamma", "1"): "leave --gamma out",
    ("--kernel", "x"): "There is no kernel 'x'",
    ("--solver", "x"): "There is no solver 'x'",
    ("--bias", "x"): "bias must be one of",
    ("--holdout", "2"): "between 0 and 1",
    ("--holdout", "0.3", "--folds", "7"): "leave one of --holdout and --folds",
    ("--nested", "--folds", "20"): "once a fold is held out for the nested validation",
    ("--kernel", "polynomial", "--degree", "9", "--gamma", "1:2^30"): "error: gamma 2^30: The kernel reaches",
    ("--jobs", "0"): "jobs must be",
    ("--label", "nobody"): "nobody",
    ("-o", "/nowhere/c.csv"): "there is no folder /nowhere",
    ("--class-weight", '{"class 9": 2}'): "which is no class",
}


@pytest.mark.parametrize("wrong", WRONG, ids=" ".join)
def test_wrong_options_are_one_sentence(blobs: Path, wrong: tuple[str, ...]) -> None:
    assert WRONG[wrong] in mcsvm("tune", blobs, *wrong).complaint


def test_one_number_is_a_range_of_one() -> None:
    assert range_of("C", "2^3", 1.0).values == (8.0,)


def test_help_names_every_search() -> None:
    assert set(options.SEARCHES) == set(SEARCHES)


def test_help_names_every_measure() -> None:
    assert {name: score.title for name, score in SCORES.items()} == options.SCORES
    assert {name for name, score in SCORES.items() if not score.higher_is_better} == set(figures.LOSSES)


@pytest.mark.parametrize("name", SCORES)
def test_all_measures_are_told_and_the_best_cell_is_best_by_one(blobs: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "cells.csv"
    found = mcsvm("tune", blobs, *SMALL, "--score", name, "--nested", "--json", "-o", out).document
    assert found["score"] == name
    means = [cell["scores"][name] for cell in found["cells"]]
    assert [cell["mean"] for cell in found["cells"]] == means
    assert found["best"]["ww"]["mean"] == (max if SCORES[name].higher_is_better else min)(means)
    assert found["nested"]["ww"]["mean"] is not None
    table = pd.read_csv(out)
    for other in SCORES:
        told = [cell["scores"][other] for cell in found["cells"]]
        assert table[other.replace("-", "_")].tolist() == told
    plain = mcsvm("tune", blobs, *SMALL, "--json").document
    assert [cell["scores"] for cell in plain["cells"]] == [cell["scores"] for cell in found["cells"]]


def test_a_search_by_log_loss_says_so_in_words_and_in_its_report(blobs: Path, tmp_path: Path) -> None:
    out = tmp_path / "search.md"
    answer = mcsvm("tune", blobs, *SMALL, "--score", "log-loss", "--report", out)
    assert "%" not in answer.out.split("ww:")[1].split(" at ")[0]
    report = out.read_text("utf-8")
    assert "chosen by Log loss" in report
    assert "Balanced accuracy" in report


@pytest.mark.slow
def test_a_budget_ends_the_search_with_the_best_so_far(tmp_path: Path) -> None:
    """Within a twentieth; the document, the words and the report say what ended it."""
    data = ROOT / "resources" / "datasets" / "segment.csv"
    out = tmp_path / "report.md"
    words = "tune", data, "--machine", "llw", "--budget", 5, "--jobs", 1, "--report", out
    found = mcsvm(*words, "--json").document
    assert 4.99 <= found["seconds"] <= 5.25
    assert (found["ended_by_budget"], found["stopped"], found["budget"]) == (True, False, 5.0)
    assert found["best"]["llw"]["mean"] == max(cell["mean"] for cell in found["cells"])
    assert len(found["cells"]) < 225
    assert "time budget" in out.read_text("utf-8")
    whole = mcsvm("tune", data, "--machine", "ovo", "--C", 1, "--gamma", 1, "--budget", 600, "--json").document
    assert (whole["ended_by_budget"], len(whole["cells"])) == (False, 1)


def test_pairs_are_compared_by_accuracy_alone(blobs: Path) -> None:
    answer = mcsvm("tune", blobs, "--machine", "ovo", "--search", "per-pair", "--score", "log-loss")
    assert (answer.code, "--score accuracy" in answer.err) == (2, True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix does")
def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    out = tmp_path / "cells.csv"
    data = ROOT / "resources" / "datasets" / "segment.csv"
    screen, terminal = os.openpty()
    program = process("tune", data, "--machine", "ova,llw", "--jobs", 1, "-o", out, "--json", stderr=terminal)
    os.close(terminal)
    os.read(screen, 1)  # the search has begun, whether it still compiles or has cells to keep
    program.send_signal(signal.SIGINT)
    document, _ = program.communicate(timeout=60)
    os.close(screen)
    assert program.returncode == 130
    assert '"stopped": true' in document
    assert len(pd.read_csv(out)) <= 450


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_a_search_that_found_nothing_says_so(blobs: Path, tmp_path: Path, search: str) -> None:
    model = tmp_path / "m.mcsvm"
    answer = mcsvm("tune", blobs, *SMALL, "--search", search, "--budget", "1e-9", "--model", model)
    assert answer.code == 3
    assert "warning: the search found nothing: its time budget of 1e-09 s ended before the first" in answer.err
    assert "nothing was done" not in answer.out
    assert not model.exists()
    answer = mcsvm("tune", blobs, *SMALL, "--search", search, "--budget", "1e-9", "--json")
    assert (answer.code, answer.document["cells"]) == (3, [])


@pytest.mark.slow
def test_more_rows_than_the_budget_allows_give_a_certified_model_of_some(tmp_path: Path) -> None:
    """Overlapping classes at small gamma cost much; the search begins with few rows, and so does the model."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 12_000)
    X = random.normal(size=(y.size, 6)) + 0.3 * np.eye(3, 6)[y]
    data, model = tmp_path / "d.csv", tmp_path / "m.mcsvm"
    pd.DataFrame(X.round(4)).assign(label=np.array(["a", "b", "c"])[y]).to_csv(data, index=False)
    given = "--machine", "ova,ovo,ww", "--led", "--search", "halving", "--budget", 5, "--test-share", 0.3
    answer = mcsvm("tune", data, *given, "--model", model, "--json")
    assert answer.code == 0, answer.err
    found = answer.document
    first = found["trained"][0]
    assert first["ending"] == "converged"
    assert first["certified"]
    assert first["n_train"] < 8_400
    assert first["n_test"] > 3_000
    assert any(
        f"trained on {first['sample']} of the {12_000 - first['n_test']} training rows" in note
        for note in found["notes"]
    )
    assert mcsvm("verify", model, data).code == 0
