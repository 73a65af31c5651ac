"""mcsvm check: findings with their codes, exit codes for scripts, and baselines that are scikit-learn's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import ROOT, mcsvm
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from mcsvm_gui.core.check.baselines import BASELINES, boosting
from mcsvm_gui.core.check.of_columns import Leak

DATASETS = ROOT / "resources" / "datasets"
PARTS = "code", "severity", "where", "what", "do"


def test_the_document_is_that_of_the_contract() -> None:
    answer = mcsvm("check", DATASETS / "segment.csv", "--holdout", 0.3, "--json")
    assert answer.code == 0
    found = answer.document["findings"]
    assert {one["code"] for one in found} == {"MC001", "MC003", "MC013"}
    assert all(one[part] for one in found for part in PARTS)
    assert {one["severity"] for one in found} == {"note"}


def test_in_words_each_finding_has_its_code_its_place_and_what_to_do() -> None:
    answer = mcsvm("check", DATASETS / "wine.csv", "--scale", "none")
    assert answer.code == 0
    assert "warning MC017  Columns on very different scales" in answer.out
    assert "To do: Scale them: --scale minmax." in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100
    cured = mcsvm("check", DATASETS / "wine.csv", "--scale", "minmax")
    assert "MC017" not in cured.out


def test_nothing_found_is_said() -> None:
    assert "nothing found" in mcsvm("check", DATASETS / "wine.csv").out


def test_a_test_file_is_checked_against_the_training_file(tmp_path: Path) -> None:
    test = tmp_path / "test.csv"
    lines = (DATASETS / "wine.csv").read_text("utf-8").splitlines()
    test.write_text("\n".join(lines[:40]) + "\n", "utf-8")
    found = mcsvm("check", DATASETS / "wine.csv", "--test", test, "--json").document["findings"]
    assert {"MC001", "MC036"} <= {one["code"] for one in found}
    assert "test.csv" in next(one["where"] for one in found if one["code"] == "MC001")


def test_what_training_refuses_is_an_error_here_and_no_failure(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    rows = (f"{row if row % 5 else ''},{row * 7 % 5},{'ab'[row % 2]}\n" for row in range(40))
    path.write_text("x,z,class\n" + "".join(rows))
    answer = mcsvm("check", path, "--json")
    assert answer.code == 0
    assert ("MC020", "error") in {(one["code"], one["severity"]) for one in answer.document["findings"]}
    assert mcsvm("train", path).code == 2


@pytest.fixture(scope="module")
def leak(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warning (a column that tells the class), and no error."""
    path = tmp_path_factory.mktemp("leak") / "leak.csv"
    rng = np.random.default_rng(0)
    rows = (f"{rng.normal(row % 3, 2.0)!r},{7 * (row % 3)},k{row % 3}\n" for row in range(120))
    path.write_text("x,code,label\n" + "".join(rows).replace("np.float64(", "").replace(")", ""))
    return path


@pytest.mark.parametrize(("level", "code"), [(None, 0), ("error", 0), ("warning", 1)])
def test_a_script_can_ask_for_an_exit_code(leak: Path, level: str | None, code: int) -> None:
    wanted = () if level is None else ("--fail-on", level)
    answer = mcsvm("check", leak, *wanted, "--json")
    assert [(one["code"], one["severity"]) for one in answer.document["findings"]] == [("MC010", "warning")]
    assert answer.code == code
    assert answer.err == ("failed: --fail-on warning: 1 finding (MC010)\n" if code else "")
    assert mcsvm("check", leak, *wanted, "--quiet") == type(answer)(code, "", answer.err)


def test_notes_fail_nothing_and_errors_fail_both(tmp_path: Path) -> None:
    for level in ("warning", "error"):
        assert mcsvm("check", DATASETS / "segment.csv", "--fail-on", level).code == 0  # notes alone
        path = tmp_path / "gaps.csv"
        rows = (f"{row if row % 5 else ''},{row * 7 % 5},{'ab'[row % 2]}\n" for row in range(40))
        path.write_text("x,z,class\n" + "".join(rows))
        assert mcsvm("check", path, "--fail-on", level).code == 1
    assert "--fail-on must be one of warning, error" in mcsvm("check", path, "--fail-on", "note").complaint


def test_training_mentions_what_the_check_finds(leak: Path) -> None:
    found = f"1 finding (MC010 {Leak.title})"
    line = f"Data check: {found}. Details: mcsvm check {leak} --holdout 0.3"
    answer = mcsvm("train", leak, "--holdout", 0.3)
    assert line in answer.out.splitlines()
    told = mcsvm("train", leak, "--holdout", 0.3, "--json")
    assert told.err == f"warning: {line}\n"
    full = mcsvm("train", leak, "--verbose").out
    assert f"MC010: {Leak.title} (column" in full
    assert "Data check:" not in full
    assert "Data check" not in mcsvm("train", DATASETS / "segment.csv").out  # notes alone


def test_rows_without_classes_are_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "unlabelled.csv"
    path.write_text("x,z\n" + "".join(f"{row * 3.7 % 1},{row * 7.1 % 1}\n" for row in range(50)))
    assert mcsvm("check", path).code == 0


@pytest.mark.parametrize("words", [("--test", "x.csv", "--holdout", 0.3), ("--folds", "none")])
def test_wrong_options_are_one_line(words: tuple[object, ...]) -> None:
    assert mcsvm("check", DATASETS / "iris.csv", *words).complaint


def test_a_model_that_was_stopped_is_not_certified(blobs: Path, tmp_path: Path) -> None:
    model = tmp_path / "early.mcsvm"
    done = mcsvm("train", blobs, "--model", model, "--max-iter", 1, "--solver", "smo")
    assert (done.code, "MC061: Not certified (ww). " in done.out) == (3, True)
    found = mcsvm("check", blobs, "--model", model, "--json").document["findings"]
    assert [one["where"] for one in found if one["code"] == "MC061"] == ["early.mcsvm"]


def test_probabilities_of_other_rows_are_off_and_they_are_far_away(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, shift in (("train", 0.0), ("other", 3.0)):
        y = np.arange(300) % 2
        x = 2.0 * y + rng.normal(size=300) + shift
        cells = zip(x.tolist(), rng.normal(size=300).tolist(), y.tolist(), strict=True)
        rows = "".join(f"{value!r},{noise!r},c{code}\n" for value, noise, code in cells)
        (tmp_path / f"{name}.csv").write_text("x,z,class\n" + rows)
    model = tmp_path / "model.mcsvm"
    train = "train", tmp_path / "train.csv", "--model", model, "--kernel", "linear", "--calibrate", "temperature"
    assert mcsvm(*train, "--quiet").code == 0
    codes = {}
    for name in ("train", "other"):
        found = mcsvm("check", tmp_path / f"{name}.csv", "--model", model, "--json").document["findings"]
        codes[name] = {one["code"] for one in found}
    assert {"MC062", "MC063"} <= codes["other"] - codes["train"]
    for name in ("train", "other"):
        words = mcsvm("evaluate", model, tmp_path / f"{name}.csv").out
        assert (f"MC062: Probabilities that are off ({name}.csv). " in words) == (name == "other")


def test_baselines_see_the_folds_and_the_rows_that_the_machine_sees() -> None:
    path = DATASETS / "wine.csv"
    how = "--C", 4, "--folds", 4, "--seed", 3
    found = mcsvm("check", path, "--baselines", *how, "--json").document["accuracies"]
    X, y = read(path)
    right: dict[str, list[np.ndarray]] = {"majority": [], "neighbours": []}
    for train, test in StratifiedKFold(4, shuffle=True, random_state=3).split(X, y):
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        scaled = 2.0 * (X - low) / (high - low) - 1.0
        for name, method in (("majority", DummyClassifier()), ("neighbours", KNeighborsClassifier(5))):
            right[name].append(method.fit(scaled[train], y[train]).predict(scaled[test]) == y[test])
    for name, hits in right.items():
        assert found[name] == pytest.approx(np.concatenate(hits).mean(), abs=1e-12)
    assert found["boosting"] > 0.9
    assert found["machine"] > found["neighbours"] - 0.05
    assert set(found) == {"machine", *BASELINES}


@pytest.mark.parametrize("count", [300, pytest.param(11_000, marks=pytest.mark.slow)])
def test_trees_grown_in_steps_are_those_of_one_fit(count: int) -> None:
    """Also where early stopping ends them, on more than 10 000 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, 4))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=count) > 1.0).astype(np.int64)
    found = boosting(X, y, X[:200], 3, lambda: False)
    with threadpool_limits(1, user_api="openmp"):  # beside another busy process, threads spin while they wait
        expected = HistGradientBoostingClassifier(random_state=3).fit(X, y).predict(X[:200])
    np.testing.assert_array_equal(found, expected)


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    cells = [line.split(",") for line in path.read_text("utf-8").splitlines()]
    place = cells[0].index("class") if "class" in cells[0] else len(cells[0]) - 1
    y = np.array([row[place] for row in cells[1:]])
    X = np.array([[float(cell) for number, cell in enumerate(row) if number != place] for row in cells[1:]])
    return X, y


@pytest.mark.slow
def test_the_machine_beside_baselines_is_the_one_that_evaluate_trains_anew(blobs: Path, model: Path) -> None:
    beside = mcsvm("check", blobs, "--baselines", "--json").document["accuracies"]["machine"]
    alone = mcsvm("evaluate", model, blobs, "--folds", 5, "--json").document["accuracy"]
    assert beside == pytest.approx(alone)


TREES = """
import numpy as np
from mcsvm_gui.core.check.baselines import boosting
rows = np.arange(60.0)[:, None]
print((boosting(rows, (rows[:, 0] > 30).astype(int), rows, 0, lambda: False)).sum())
"""


@pytest.mark.slow
def test_trees_grow_where_no_program_counts_physical_cores(tmp_path: Path) -> None:
    """As on Windows 11, which has no wmic, and on a Debian without lscpu."""
    environment = {name: value for name, value in os.environ.items() if name != "LOKY_MAX_CPU_COUNT"}
    command = [sys.executable, "-W", "error::UserWarning", "-c", TREES]
    answer = subprocess.run(
        command, env={**environment, "PATH": str(tmp_path)}, cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert (answer.stdout, answer.stderr) == ("29\n", "")
