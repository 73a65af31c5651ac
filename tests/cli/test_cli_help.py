"""Help, suggestions for misspelled words, and examples that the program itself understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from command_line import ROOT, mcsvm

from mcsvm_gui.cli import COMMANDS, command_parsers
from mcsvm_gui.core.base.about import own_version
from mcsvm_gui.core.machine import names

IRIS = ROOT / "resources" / "datasets" / "iris.csv"


def test_without_a_command_the_help_is_printed() -> None:
    answer = mcsvm()
    assert (answer.code, answer.err) == (0, "")
    assert all(re.search(rf"^    {name} ", answer.out, re.MULTILINE) for name in COMMANDS)
    assert answer == mcsvm("help") == mcsvm("--help") == mcsvm("-h")


def test_the_version_has_a_short_name() -> None:
    assert mcsvm("-V") == mcsvm("--version")
    assert mcsvm("-V").out == f"mcsvm {own_version()}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_its_own_help_with_examples(command: str) -> None:
    answer = mcsvm("help", command)
    assert (answer.code, answer.err) == (0, "")
    assert answer == mcsvm(command, "--help")
    assert f"mcsvm {command}" in answer.out.partition("examples:\n")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_understood(command: str) -> None:
    for line in command_parsers()[command].examples:
        words = shlex.split(line.partition("   ")[0].partition(" > ")[0])
        assert words[:2] == ["mcsvm", command]
        command_parsers()[command].parse_args(words[2:])


def test_the_machine_comes_before_reading_and_rare_options_have_a_page_of_their_own() -> None:
    told, reading = mcsvm("help", "train").out, mcsvm("help", "reading").out
    assert told.index("--machine") < told.index("--gamma") < told.index("--label")
    assert "more options of machine: mcsvm help machine" in told
    assert "25 more options of reading data: mcsvm help reading" in told
    assert len(told.splitlines()) <= 110  # 168 when all options were listed
    for option in ("--ngrams", "--skip-lines", "--encoding"):
        assert option not in told
        assert option in reading
    assert "--label" in reading
    machine = mcsvm("help", "machine").out
    assert "--cache-mb" not in told
    assert "--cache-mb" in machine
    assert "--gamma" in machine


def test_every_machine_and_solver_that_is_accepted_is_listed_and_so_do_errors() -> None:
    from mcsvm.solvers.machines import MACHINES
    from mcsvm.solvers.methods import METHODS

    assert set(MACHINES) == {*names.MACHINES, *names.MORE_MACHINES}
    assert set(METHODS) == {*names.SOLVERS, *names.MORE_SOLVERS}
    told = " ".join(mcsvm("help", "train").out.replace("-\n", "-").split())
    for machine in MACHINES:
        assert re.search(rf"--machine \S*\b{machine}\b", told), machine
    solvers = told.partition("--solver")[2].partition("--kernel")[0].replace("- ", "-")
    assert set(METHODS) <= set(re.findall(r"[a-z0-9-]+", solvers))
    assert all(name in mcsvm("train", IRIS, "--machine", "x").complaint for name in MACHINES)
    assert all(name in mcsvm("train", IRIS, "--solver", "x").complaint for name in METHODS)


MEANT = {
    ("trian",): "did you mean train?",
    ("--verison",): "did you mean --version?",
    ("help", "tran"): "did you mean train?",
    ("train", IRIS, "--test-size", "0.3"): "did you mean --holdout? (see mcsvm train --help)",
    ("train", IRIS, "--test_size=0.3"): "did you mean --holdout?",
    ("tune", IRIS, "--test-size", "0.3"): "did you mean --test-share? (see mcsvm tune --help)",
    ("train", IRIS, "--random-state", "1"): "did you mean --seed?",
    ("train", IRIS, "--max_iter", "5"): "did you mean --max-iter?",
    ("train", IRIS, "--n-jobs", "2"): "did you mean --threads?",
    ("tune", IRIS, "--n_jobs", "2"): "did you mean --jobs?",
    ("train", IRIS, "--cache-size", "2"): "did you mean --cache-mb?",
    ("train", IRIS, "--probability"): "did you mean --calibrate?",
    ("train", IRIS, "--target", "y"): "did you mean --label?",
    ("train", IRIS, "-t", "2"): "did you mean --kernel?",
    ("train", IRIS, "-s", "0"): "did you mean --machine?",
    ("train", IRIS, "--kernal", "rbf"): "did you mean --kernel?",
    ("train", IRIS, "--folds", "5"): "it is an option of mcsvm check, mcsvm tune, mcsvm compare",
    ("train", IRIS, "--scoring", "f1"): "--score is an option of mcsvm tune",
    ("--json", "train", IRIS): "options follow the command",
    ("predict", "m.mcsvm", IRIS, "--columns", "a"): "a model keeps the settings that it was trained with",
    ("predict", "m.mcsvm", IRIS, "--C", "2"): "a model keeps the settings that it was trained with",
    ("export", "m.mcsvm", "--too", "onnx"): "did you mean --to?",
    ("train", IRIS, "--machine", "w"): "(did you mean ww?)",
    ("train", IRIS, "--machine", "ovr"): "(did you mean ova?)",
    ("train", IRIS, "--machine", "crammer_singer"): "(did you mean cs?)",
    ("train", IRIS, "--solver", "smoo"): "(did you mean smo?)",
    ("train", IRIS, "--kernel", "gaussian"): "(did you mean rbf?)",
    ("train", IRIS, "--bias", "regularised"): "(did you mean regularized?)",
    ("train", IRIS, "--scale", "std"): "--scale must be one of minmax, standard, none",
    ("train", IRIS, "--scale", "standardise"): "(did you mean standard?)",
    ("train", IRIS, "--missing", "men"): "(did you mean mean?)",
    ("tune", IRIS, "--search", "halve"): "(did you mean halving?)",
    ("tune", IRIS, "--machine", "ww,ovr"): "(did you mean ova?)",
    ("compare", IRIS, "--machines", "ww,ovr"): "(did you mean ova?)",
    ("run", "hsu"): "(did you mean hsu-lin-2002-linear?)",
    ("train", IRIS, "extra.csv"): "unrecognized arguments: extra.csv (see mcsvm train --help)",
}


@pytest.mark.parametrize("words", MEANT, ids=lambda words: " ".join(map(str, words)).replace(str(IRIS), "DATA"))
def test_what_was_meant_is_suggested(words: tuple[object, ...]) -> None:
    assert MEANT[words] in mcsvm(*words).complaint


def test_kernels_may_be_called_as_in_scikit_learn_and_errors_list_those_of_files(tmp_path: Path) -> None:
    poly, full = (mcsvm("train", IRIS, "--kernel", name, "--json").document for name in ("poly", "polynomial"))
    assert poly["kernel"] == full["kernel"]
    assert poly["kernel"]["name"] == "polynomial"
    complaint = mcsvm("train", IRIS, "--kernel", "x").complaint
    assert complaint == "error: There is no kernel 'x'; choose one of rbf, linear, polynomial, sigmoid."


def test_options_that_a_model_has_settled_are_not_listed() -> None:
    for command in ("predict", "evaluate", "explain", "verify"):
        told = mcsvm("help", command).out
        for option in ("--scale", "--columns", "--drop", "--text", "--C"):
            assert f"{option} " not in told, (command, option)
        assert "--missing reject|drop" in told


def test_an_error_of_a_value_names_its_option() -> None:
    for option, value in (("--C", "0"), ("-c", "0"), ("--gamma", "-1"), ("--tol", "0"), ("--holdout", "7")):
        named = {"-c": "--C"}.get(option, option)
        assert mcsvm("train", IRIS, option, value).complaint.startswith(f"error: {named} must be ")
