"""The same mistake is the same sentence on the command line, in the window and, as far as possible, in Python.

The window reads a form with `read_form`, begins a Session of a Request and opens files with `open_dataset`. Python has
scikit-learn's frame for one parameter ("The 'C' parameter of MultiClassSVC must be ..."): there the value, the choices
and the suggestion agree.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from combinations import BIASES, SQUARE, Y, refusal
from command_line import NASTY, ROOT, mcsvm

import mcsvm as library
from mcsvm import InputError, MultiClassSVC, ParameterError
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.form import read_form
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Session

IRIS = ROOT / "resources" / "datasets" / "iris.csv"
PARAMETERS = KERNELS["polynomial"].parameters
VALUES = [  # an option of a form, what was typed, and the same in Python
    ("C", "0", 0.0),
    ("C", "-1", -1.0),
    ("C", "abc", "abc"),
    ("gamma", "-1", -1.0),
    ("gamma", "wide", "wide"),
    ("degree", "0", 0),
    ("degree", "2.5", 2.5),
    ("coef0", "x", "x"),
    ("tol", "0", 0.0),
    ("margin", "-2", -2.0),
    ("gap_tol", "0", 0.0),
    ("max_iter", "0", 0),
    ("max_iter", "1.5", 1.5),
    ("time_limit", "-1", -1.0),
    ("cache_mb", "0", 0.0),
    ("threads", "0", 0),
    ("class_weight", "equal", "equal"),
]


@pytest.mark.parametrize(("name", "text", "value"), VALUES, ids=lambda value: str(value))
def test_a_wrong_value_is_the_same_sentence(name: str, text: str, value: object) -> None:
    _, errors = read_form({name: text}, PARAMETERS)
    shown, option = errors[name], f"--{name.replace('_', '-')}"
    of_option = shown.removeprefix(name) if shown.startswith(f"{name} must") else f": {shown}"
    words = "train", IRIS, "--kernel", "polynomial", option, text
    assert mcsvm(*words).complaint == f"error: {option}{of_option}"
    with pytest.raises(ParameterError) as error:
        MultiClassSVC(kernel="polynomial", **{name: value}).fit(SQUARE, Y)
    sentence = str(error.value)
    assert sentence.startswith(f"The '{name}' parameter of MultiClassSVC must be ")
    assert f"Got {value!r} instead." in sentence


NAMES = [
    ("machine", "w", MACHINES, "ww"),
    ("machine", "one_vs_rest", MACHINES, "ova"),
    ("machine", "zzz", MACHINES, None),
    ("solver", "smoo", METHODS, "smo"),
    ("solver", "libsvm", METHODS, "smo"),
    ("kernel", "gaussian", KERNELS, "rbf"),
    ("kernel", "zzz", KERNELS, None),
    ("bias", "regularised", ("none", "regularized", "exact"), "regularized"),
]


@pytest.mark.parametrize(("name", "given", "known", "meant"), NAMES)
def test_a_wrong_name_is_the_same_list_and_the_same_suggestion(
    name: str, given: str, known: object, meant: str | None
) -> None:
    with pytest.raises(InputError) as shown:  # as experiment files and projects bring it into the window
        Session(Request(**{name: given}), open_dataset(IRIS))
    assert mcsvm("train", IRIS, f"--{name}", given).complaint == f"error: {shown.value}"
    with pytest.raises(ParameterError) as raised:
        MultiClassSVC(**{name: given}).fit(SQUARE, Y)
    files = [one for one in list(known) if one != "precomputed"]  # type: ignore[call-overload]
    assert ", ".join(files) in str(shown.value)
    assert ", ".join(files) in str(raised.value)
    assert (f"(did you mean {meant}?)" in str(shown.value)) == (meant is not None)
    assert (f"Did you mean {meant!r}?" in str(raised.value)) == (meant is not None)


def refused(method: str) -> list[tuple[str, str, str]]:
    """The first combination of machine, bias and kernel that a method refuses; none if it takes all."""
    every = product(MACHINES, BIASES, [name for name in KERNELS if name != "precomputed"])
    return [of for of in every if refusal(of[0], method, *of[1:]) is not None][:1]


@pytest.mark.parametrize("method", [name for name in METHODS if refused(name)])
def test_what_does_not_go_together_is_the_same_sentence(method: str) -> None:
    machine, bias, kernel = refused(method)[0]
    with pytest.raises(InputError) as raised:
        MultiClassSVC(machine, method, kernel, bias=bias).fit(SQUARE, Y)
    words = "--machine", machine, "--solver", method, "--kernel", kernel, "--bias", bias
    assert mcsvm("train", IRIS, *words).complaint == f"error: {raised.value}"


def test_a_kernel_that_files_cannot_hold_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError) as shown:
        Request(kernel="precomputed")
    assert "works on kernel values instead of features" in str(shown.value)
    assert mcsvm("train", IRIS, "--kernel", "precomputed").complaint == f"error: {shown.value}"


WRONG_FILES = {  # what is in the file
    "one class": "a,b,label\n1,2,x\n2,3,x\n",
    "fields": "a,b,label\n1,2,x\n2,3\n3,4,y\n",
    "no rows": "a,b,label\n",
    "empty": "",
}


@pytest.mark.parametrize("wrong", [*WRONG_FILES, "missing", "folder"])
def test_a_wrong_file_is_the_same_sentence(wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    if wrong in WRONG_FILES:
        path.write_text(WRONG_FILES[wrong])
    elif wrong == "folder":
        path.mkdir()
    with pytest.raises(InputError) as shown:
        open_dataset(str(path))
    with pytest.raises(InputError) as raised:
        library.open_dataset(path)
    assert str(raised.value) == str(shown.value)
    for command in ("train", "check", "inspect", "tune", "curve"):
        assert mcsvm(command, path).complaint == f"error: {shown.value}", command


@pytest.mark.parametrize("name", ["pair_test_no_label.csv", "nowhere.csv"])
def test_a_wrong_label_column_is_the_same_sentence(name: str) -> None:
    path = str(NASTY / name)
    with pytest.raises(InputError) as raised:
        library.open_dataset(path, label="nobody")
    assert mcsvm("train", path, "--label", "nobody").complaint == f"error: {raised.value}"
