"""No alteration of a model file that changes what the model predicts passes `mcsvm verify`; no honest model is refused.

The alterations are those of `forging.py`: each entry of the document and each array, one at a time. What they change is
measured by the model's own predictions on the training rows, not by the verification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import forging
import numpy as np
import pytest
from command_line import mcsvm

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.machine import model_file, sources

SAME = 1e-9  # relative, of scores, probabilities and p-values
SHARE = 7  # the fast part tries one alteration in so many of some models


@dataclass(frozen=True)
class Case:
    data: str
    options: str


SOON = "ovo", "small C, ww"  # in every run of all checks; each case takes half a minute, the others are large tests
CASES = {
    "ww": Case("three", "--machine ww --C 4"),
    "cs": Case("three", "--machine cs --C 4"),
    "ova": Case("three", "--machine ova --C 4"),
    "ovo": Case("four", "--machine ovo --C 4"),
    "dag": Case("four", "--machine dag --C 4"),
    "linear": Case("three", "--machine ww --kernel linear --bias exact"),
    "polynomial": Case("three", "--machine llw --kernel polynomial --degree 2 --coef0 1 --scale standard"),
    "temperature": Case("three", "--machine ww --calibrate temperature --calibration-folds 3"),
    "pairwise": Case("four", "--machine ovo --calibrate pairwise --calibration-folds 3"),
    "sigmoid": Case("three", "--machine ova --calibrate sigmoid --calibration-folds 3"),
    "costs": Case("three", "--machine ww --calibrate temperature --calibration-folds 3 --costs {costs}"),
    "small C, ww": Case("three", "--machine ww --C 1e-9"),
    "small C, ova": Case("three", "--machine ova --C 1e-9"),
    "small C, dag": Case("four", "--machine dag --C 1e-9"),
    "small C, exact bias": Case("three", "--machine ww --C 1e-9 --bias exact"),
    "exact bias": Case("four", "--machine cs --C 0.01 --bias exact"),
    "large C": Case("three", "--machine ww --C 1e6"),
    "large C, ovo": Case("four", "--machine ovo --C 1e6"),
    "unconverged": Case("three", "--machine ww --C 100 --max-iter 1 --solver smo"),
    "columns": Case("mixed", "--machine ww --missing knn --neighbors 2 --text note --min-df 2 --dates day"),
    "filled": Case("mixed", "--machine ovo --missing mean --scale standard --drop note,day --missing-indicator"),
    "sparse": Case("sparse", "--machine cs --kernel linear"),
    "weights": Case("weights", "--machine ova --weights w --class-weight balanced"),
    "held out": Case("three", "--machine ww --holdout 0.25 --seed 3"),
}
CODES = {"unconverged": 3}


def _rows(classes: int, count: int = 36) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping clouds, some rows close together; no two columns of the same width."""
    rng = np.random.default_rng(classes)
    codes = np.arange(count) % classes
    centres = rng.normal(scale=1.5, size=(classes, 3))
    return (centres[codes] + rng.normal(size=(count, 3))) * [1.0, 30.0, 0.2] + [0.0, 5.0, -1.0], codes


def _three(folder: Path, classes: int = 3) -> Path:
    points, codes = _rows(classes)
    lines = [f"{a!r},{b!r},{c!r},k{code}" for (a, b, c), code in zip(points.tolist(), codes.tolist(), strict=True)]
    path = folder / f"rows{classes}.csv"
    path.write_text("width,height,depth,class\n" + "\n".join(lines) + "\n", "utf-8")
    return path


def _weights(folder: Path) -> Path:
    points, codes = _rows(3)
    lines = [
        f"{a!r},{b!r},{n % 4}.5,k{code}"
        for n, ((a, b, _), code) in enumerate(zip(points.tolist(), codes.tolist(), strict=True))
    ]
    path = folder / "weights.csv"
    path.write_text("width,height,w,class\n" + "\n".join(lines) + "\n", "utf-8")
    return path


def _mixed(folder: Path) -> Path:
    """Numbers with missing cells, a category, dates and texts."""
    points, codes = _rows(3)
    words = "red apple", "green pear tree", "an apple and a pear", "old tree"
    lines = []
    for n, ((a, b, _), code) in enumerate(zip(points.tolist(), codes.tolist(), strict=True)):
        width = "" if n % 7 == 2 else repr(a)
        colour = ("red", "green", "blue", "")[(n + code) % 4]
        day = f"2024-{1 + n % 12:02d}-{1 + (3 * n) % 28:02d}"
        lines.append(f"{width},{b!r},{colour},{day},{words[(n + code) % 4]},k{code}")
    path = folder / "mixed.csv"
    path.write_text("width,height,colour,day,note,class\n" + "\n".join(lines) + "\n", "utf-8")
    return path


def _sparse(folder: Path) -> Path:
    points, codes = _rows(3)
    lines = []
    for n, (row, code) in enumerate(zip(points.tolist(), codes.tolist(), strict=True)):
        terms = [f"{1 + (5 * c + 7 * n) % 40}:{value!r}" for c, value in enumerate(row)]
        terms += [f"{41 + code}:1.5"] if n % 3 else []
        terms.sort(key=lambda term: int(term.partition(":")[0]))
        lines.append(f"{code} {' '.join(terms)}")
    path = folder / "rows.libsvm"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


DATA = {
    "three": _three,
    "four": lambda folder: _three(folder, 4),
    "mixed": _mixed,
    "sparse": _sparse,
    "weights": _weights,
}


def _trained(name: str, folder: Path) -> tuple[Path, Path]:
    case = CASES[name]
    data, model, costs = DATA[case.data](folder), folder / "model.mcsvm", folder / "costs.csv"
    costs.write_text("true,k0,k1,k2\nk0,0,1,5\nk1,2,0,1\nk2,1,9,0\n", "utf-8")
    words = case.options.format(costs=costs).split()
    answer = mcsvm("train", data, *words, "--model", model, "--quiet")
    assert answer.code in (0, 3), answer
    return data, model


def _behaviour(model: Path, data: Path) -> dict[str, np.ndarray] | None:
    """What the model predicts of the rows of the file; None where it does not open, or cannot predict them."""
    try:
        trained = model_file.load(model)
        rows = sources.open_for(trained, str(data), ReadOptions())
        found = trained.predictions(rows, probabilities=True, sets=True)
    except (FileError, InputError):
        return None
    numbers = {"scores": found.scores, "probabilities": found.probabilities}
    numbers |= {"p-values": found.p_values, "typical": found.typical}
    return {"labels": found.labels} | {name: values for name, values in numbers.items() if values is not None}


def _changed(before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray] | None) -> list[str]:
    """Which of these are no longer the same."""
    if after is None:
        return ["opening"]
    gone = [name for name in before if name not in after or before[name].shape != after[name].shape]
    gone += [name for name in after if name not in before]
    for name in before.keys() & after.keys() - set(gone):
        if name == "labels":
            same = bool((before[name] == after[name]).all())
        else:
            scale = np.nanmax(np.abs(before[name]), axis=0, initial=0.0)
            same = bool(np.array_equal(np.isnan(before[name]), np.isnan(after[name])))
            same = same and bool((np.nan_to_num(np.abs(before[name] - after[name])) <= SAME * scale).all())
        gone += [] if same else [name]
    return sorted(gone)


def _accepted(name: str, folder: Path, each: int = 1) -> tuple[int, list[str], list[str]]:
    """How many alterations were tried, which were accepted, and which of these change what is predicted."""
    data, model = _trained(name, folder)
    contents, before = forging.read(model), _behaviour(model, data)
    assert before is not None
    assert mcsvm("verify", model, data, "--quiet").code == CODES.get(name, 0)
    forged, tried, accepted, changing = folder / "forged.mcsvm", 0, [], []
    for number, forgery in enumerate(forging.forgeries(contents)):
        if number % each:
            continue
        tried += 1
        forging.write(forged, forgery.contents)
        answer = mcsvm("verify", forged, data, "--quiet")
        if answer.code not in (0, 3):
            assert answer.err.startswith("error: "), (forgery.name, answer)
            continue
        accepted.append(forgery.name)
        changes = _changed(before, _behaviour(forged, data))
        if changes:
            changing.append(f"{forgery.name}: {', '.join(changes)}")
    return tried, accepted, changing


@pytest.mark.parametrize("name", ["ww", "dag"])
def test_some_alterations_that_change_predictions_are_found(name: str, tmp_path: Path) -> None:
    tried, _, changing = _accepted(name, tmp_path, SHARE)
    assert tried > 20
    assert not changing


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "name", [name if name in SOON else pytest.param(name, marks=pytest.mark.large) for name in CASES]
)
def test_every_alteration_that_changes_predictions_is_found(
    name: str, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    tried, accepted, changing = _accepted(name, tmp_path)
    record_property(
        "forgeries", f"{tried} tried, {len(accepted)} accepted, {len(changing)} of these change predictions"
    )
    print(f"\n{name}: {tried} forgeries, {len(accepted)} accepted, {len(changing)} of these change predictions")
    print("  accepted: " + "; ".join(accepted))
    assert tried > 100
    assert not changing


def _with(contents: forging.Contents, **arrays: np.ndarray) -> forging.Contents:
    return forging.Contents(contents.document, {**contents.arrays, **arrays})


def _mirrored(contents: forging.Contents) -> forging.Contents:
    """All scales negated: no kernel value between preprocessed rows changes."""
    document = deepcopy(contents.document)
    for feature in document["preparation"]["features"]:
        feature[4] = -feature[4]
    return forging.Contents(document, contents.arrays)


def _renamed(contents: forging.Contents) -> forging.Contents:
    """Another machine, in the request too."""
    document = deepcopy(contents.document)
    document["machine"] = document["request"]["machine"] = "cs"
    return forging.Contents(document, contents.arrays)


def _widened(contents: forging.Contents) -> forging.Contents:
    """Another gamma, in the request too."""
    document = deepcopy(contents.document)
    document["kernel"]["gamma"] *= 1.01
    document["request"]["gamma"] = document["kernel"]["gamma"]
    return forging.Contents(document, contents.arrays)


def _halved(contents: forging.Contents) -> forging.Contents:
    """Coefficients and bias of another model, whose dual variables are feasible."""
    return _with(contents, **{name: 0.5 * contents.arrays[name] for name in ("expansion", "bias")})


def _with_duals(contents: forging.Contents) -> forging.Contents:
    """Dual variables beside the coefficients, which they do not give."""
    document, arrays = deepcopy(contents.document), contents.arrays
    rows, alpha = arrays["support"], np.maximum(-arrays["expansion"], 0.0)
    alpha[0] *= 0.5
    document["n_duals"] = rows.size
    duals = {"dual_parts": np.array([0, rows.size]), "dual_rows": rows, "dual_alpha": alpha}
    return forging.Contents(document, arrays | duals)


TOGETHER: dict[str, tuple[Callable[[forging.Contents], forging.Contents], str]] = {
    "scales": (_mirrored, "preprocessing"),
    "machine": (_renamed, "certificate"),
    "points": (lambda found: _with(found, points=-found.arrays["points"]), "support vectors"),
    "signs": (lambda found: _with(found, expansion=-found.arrays["expansion"]), "class functions"),
    "half": (_halved, "certificate"),
    "duals": (_with_duals, "class functions"),
}


# With a small C all variables are at their bound for any gamma, so that the altered model is an honest one.
@pytest.mark.parametrize(("name", "what"), [*product(("ww", "small C, ww"), TOGETHER), ("ww", "gamma")])
def test_entries_that_are_altered_together_are_found(name: str, what: str, tmp_path: Path) -> None:
    alter, named = TOGETHER.get(what, (_widened, "certificate"))
    data, model = _trained(name, tmp_path)
    forged = tmp_path / "forged.mcsvm"
    forging.write(forged, alter(forging.read(model)))
    answer = mcsvm("verify", forged, data)
    assert answer.code == 2
    assert named in answer.err


def test_a_model_that_claims_to_have_converged_is_verified_as_not_converged(tmp_path: Path) -> None:
    data, model = _trained("unconverged", tmp_path)
    contents, forged = forging.read(model), tmp_path / "forged.mcsvm"
    contents.document["origin"]["ending"] = "converged"
    forging.write(forged, contents)
    answer = mcsvm("verify", forged, data)
    assert answer.code == 3
    assert "Not converged: the violation" in answer.out
    assert "solved to" not in answer.out


def test_rules_other_than_the_models_are_refused(tmp_path: Path) -> None:
    data, model = _trained("ww", tmp_path)
    assert mcsvm("verify", model, data, "--scale", "minmax").code == 0
    assert "trained with --scale minmax" in mcsvm("verify", model, data, "--scale", "none").complaint
