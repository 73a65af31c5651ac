"""Manners that all commands share: quiet is quiet, folders are not created, one sentence for a file that is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import ROOT, mcsvm
from report_makers import written_project

from mcsvm_gui.cli import COMMANDS, command_parsers
from mcsvm_gui.core.base.resources import experiments
from mcsvm_gui.core.machine.request import Request

IRIS = ROOT / "resources" / "datasets" / "iris.csv"
FAST = "--machine", "ova", "--kernel", "linear"
SMALL = "--machines", "ova", "--kernel", "linear", "--folds", "2"
SEARCH = *FAST, "--C", "1", "--folds", "2"
ALONE = "first-look", "help", "completion"  # commands whose output is what was asked for


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("manners") / "m.mcsvm"
    assert mcsvm("train", IRIS, *FAST, "--model", path).code == 0
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("manners") / "e.toml"
    assert mcsvm("compare", IRIS, *SMALL, "--save", path).code == 0
    return path


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("manners") / "p.mcsvmproj"
    written_project(path, [Request(machine="ova", kernel="linear", data=str(IRIS))], ["one"])
    return path


@pytest.fixture
def lines(model: Path, saved: Path, project: Path, tmp_path: Path) -> dict[str, tuple[object, ...]]:
    """A line for each command that reports something in words."""
    return {
        "inspect": ("inspect", IRIS),
        "check": ("check", IRIS),
        "train": ("train", IRIS, *FAST, "--trace", tmp_path / "t.csv"),
        "tune": ("tune", IRIS, *SEARCH, "-o", tmp_path / "c.csv"),
        "compare": ("compare", IRIS, *SMALL),
        "run": ("run", saved),
        "report": ("report", project, "-o", tmp_path / "r.md"),
        "predict": ("predict", model, IRIS, "-o", tmp_path / "p.csv"),
        "evaluate": ("evaluate", model, IRIS),
        "explain": ("explain", model, IRIS, "--rows", "1", "--background", "10"),
        "export": ("export", model, "--to", "json", "-o", tmp_path / "m.json"),
        "curve": ("curve", IRIS, *FAST, "--folds", "2"),
        "verify": ("verify", model, IRIS),
        "doctor": ("doctor",),
    }


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ALONE])
def test_quiet_is_quiet(command: str, lines: dict[str, tuple[object, ...]]) -> None:
    told, quiet = mcsvm(*lines[command]), mcsvm(*lines[command], "--quiet")
    assert told.out
    assert (quiet.out, quiet.err) == ("", "")
    assert quiet.code == told.code
    assert mcsvm(*lines[command], "-q") == quiet
    document = mcsvm(*lines[command], "-q", "--json")
    assert document.document["schema"] == 1
    assert document.err == ""


WRITING = {  # every option that names a file to be written
    ("train", "--model"): (IRIS, *FAST),
    ("train", "--trace"): (IRIS, *FAST),
    ("tune", "--output"): (IRIS, *SEARCH),
    ("tune", "--model"): (IRIS, *SEARCH),
    ("tune", "--report"): (IRIS, *SEARCH),
    ("compare", "--save"): (IRIS, *SMALL),
    ("compare", "--results"): (IRIS, *SMALL),
    ("compare", "--report"): (IRIS, *SMALL),
    ("run", "--results"): ("SAVED",),
    ("run", "--report"): ("SAVED",),
    ("report", "--output"): ("PROJECT",),
    ("predict", "--output"): ("MODEL", IRIS),
    ("evaluate", "--report"): ("MODEL", IRIS),
    ("explain", "--output"): ("MODEL", IRIS),
    ("export", "--output"): ("MODEL", "--to", "json"),
}


def test_the_table_knows_every_option_that_names_a_file_to_be_written() -> None:
    found = {
        (command, action.option_strings[-1])
        for command, parser in command_parsers().items()
        for action in parser._actions
        if action.option_strings and action.dest in WRITTEN
    }
    found.remove(("check", "--model"))  # which is read
    assert found == set(WRITING)


WRITTEN = {"model", "trace", "output", "report", "save", "results"}


@pytest.mark.parametrize("option", WRITING, ids=" ".join)
def test_no_command_creates_a_folder(
    option: tuple[str, str], model: Path, saved: Path, project: Path, tmp_path: Path
) -> None:
    named = {"MODEL": model, "SAVED": saved, "PROJECT": project}
    words = [named.get(str(word), word) for word in WRITING[option]]
    folder = tmp_path / "new" / "folder"
    suffix = {"--report": ".md", "--save": ".toml"}.get(option[1], ".md" if option[0] == "report" else ".out")
    complaint = mcsvm(option[0], *words, option[1], folder / f"out{suffix}").complaint
    assert complaint.endswith(f"there is no folder {folder}; create it first")
    assert not list(tmp_path.iterdir())


READING = {  # every place that names a file to be read; GONE is not there
    **{f"{command} DATA": (command, "GONE") for command in ("inspect", "check", "train", "tune", "compare", "curve")},
    "check --test": ("check", IRIS, "--test", "GONE"),
    "check --model": ("check", IRIS, "--model", "GONE"),
    "train --test": ("train", IRIS, "--test", "GONE"),
    "train --costs": ("train", IRIS, "--calibrate", "temperature", "--costs", "GONE"),
    "tune --costs": ("tune", IRIS, "--score", "cost", "--costs", "GONE"),
    "run EXPERIMENT": ("run", "GONE.toml"),
    "report PROJECT": ("report", "GONE", "-o", "r.md"),
    **{f"{command} MODEL": (command, "GONE", IRIS) for command in ("predict", "evaluate", "explain", "verify")},
    **{f"{command} DATA": (command, "MODEL", "GONE") for command in ("predict", "evaluate", "explain", "verify")},
    "evaluate --costs": ("evaluate", "MODEL", IRIS, "--costs", "GONE"),
    "explain --training": ("explain", "MODEL", IRIS, "--training", "GONE"),
    "export MODEL": ("export", "GONE", "--to", "json", "-o", "m.json"),
    "export --check": ("export", "MODEL", "--to", "json", "-o", "m.json", "--check", "GONE"),
}


@pytest.mark.parametrize("place", READING)
def test_a_file_that_is_not_there_is_the_same_sentence_everywhere(
    place: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [model if word == "MODEL" else word for word in READING[place]]
    gone = "GONE.toml" if "GONE.toml" in words else "GONE"
    assert mcsvm(*words).complaint.endswith(f"{gone}: there is no such file; check its name")
    assert not list(tmp_path.iterdir())


def test_warnings_of_inspect_are_those_of_other_commands(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a,b,label\n1,2,x\n2,3,y\n3,4,x\n4,5,z\n")  # classes of one row each
    said, trained = mcsvm("inspect", path), mcsvm("train", path)
    warnings = [line for line in said.err.splitlines() if line.startswith("warning: ")]
    assert warnings
    assert warnings == said.err.splitlines()
    assert set(warnings) <= set(trained.err.splitlines())
    assert "arning:" not in said.out
    assert mcsvm("inspect", path, "--quiet").err == ""


def test_bundled_experiments_are_listed() -> None:
    listed = mcsvm("run", "--list")
    assert listed == mcsvm("run")
    assert [line.split()[0] for line in listed.out.splitlines()] == list(experiments())
    document = mcsvm("run", "--list", "--json").document
    assert [one["name"] for one in document["experiments"]] == list(experiments())
    assert all(one["title"] in listed.out for one in document["experiments"])
    complaint = mcsvm("run", "nobody").complaint
    assert all(name in complaint for name in experiments())
    assert "leave the name out" in mcsvm("run", "--list", "hsu-lin-2002-rbf").complaint
    assert "--report needs an experiment" in mcsvm("run", "--report", "r.md").complaint


def test_an_accuracy_can_be_required(model: Path) -> None:
    measured = mcsvm("evaluate", model, IRIS, "--json").document["accuracy"]
    assert 0.9 < measured < 1.0
    assert mcsvm("evaluate", model, IRIS, "--min-accuracy", 0.9).code == 0
    low = mcsvm("evaluate", model, IRIS, "--min-accuracy", 1, "--json")
    assert low.code == 1
    assert low.document["accuracy"] == measured
    assert low.err == f"failed: --min-accuracy 1: the accuracy is {100 * measured:.3g}%\n"
    for wrong in ("0", "95", "x"):
        assert "--min-accuracy" in mcsvm("evaluate", model, IRIS, "--min-accuracy", wrong).complaint


def test_the_solver_is_explained_when_asked(tmp_path: Path) -> None:
    plain, verbose = mcsvm("train", IRIS, *FAST), mcsvm("train", IRIS, *FAST, "-v")
    reason = mcsvm("train", IRIS, *FAST, "--json").document["solver_reason"]
    assert reason not in plain.out
    assert reason in verbose.out.splitlines()
