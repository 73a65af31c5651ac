"""Models that were altered: each command answers, or refuses in one line, and writes nothing else to standard error.

A file may come from anywhere. Numbers of the document and of the arrays are scaled, replaced, removed and reordered,
and the file is packed again as mcsvm packs it. What opens must be usable: no traceback, no warning of a library, and
JSON that others can read.
"""

from __future__ import annotations

import csv
import io
import json
import random
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Answer, mcsvm

from mcsvm_gui.core.base import arrays
from mcsvm_gui.core.machine.model_file import DOCUMENT, SUFFIX

MUTATIONS = 30  # of each test
ROWS = 24
FACTORS = -1, 0, 2, 1.5, 1e8, 1e-150, 1e150, 1e-300, 1e300, -1e300
NUMBERS = 0, -1, 1, 3, 0.5, -0.0, 5e-324, 1e-308, 1e155, 1e300, 1e308, -1e308, 2**53, 2**70
VALUES = *NUMBERS, True, None, "", "x", "ww", "linear", [], [1], {}
TRAINED: dict[str, tuple[str, ...]] = {
    "ww": ("--drop", "words,day"),
    "pairs": ("--drop", "words,day", "--machine", "ovo", "--calibrate", "pairwise", "--calibration-folds", "2"),
    "linear": ("--drop", "words,day", "--machine", "ova", "--kernel", "linear"),
    "text": ("--machine", "cs", "--text", "words", "--dates", "day"),
}
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("predict", "{model}", "{rows}", "--json", "--scores"),
    ("verify", "{model}", "{rows}", "--json"),
    ("evaluate", "{model}", "{rows}", "--json"),
    ("evaluate", "{model}", "{rows}"),
    ("explain", "{model}", "{rows}", "--rows", "1,2", "--background", "3", "--json"),
    ("explain", "{model}", "{rows}", "--rows", "3", "--background", "3", "--flip"),
    ("check", "{rows}", "--model", "{model}", "--json"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("mutated")
    draw = np.random.default_rng(0)
    with (place / "rows.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["width", "colour", "words", "day", "label"])
        for row in range(ROWS):
            colour, words = "rgb"[(row + row // 5) % 3], f"{'red green' if row % 3 else 'blue'} w{row % 5}"
            day = f"2024-0{1 + row % 9}-1{row % 9}"
            writer.writerow([f"{draw.normal() + row % 3:.3f}", colour, words, day, "xyz"[row % 3]])
    for name, options in TRAINED.items():
        answer = mcsvm("train", place / "rows.csv", *options, "--model", place / f"{name}.mcsvm", "--quiet")
        assert answer.code == 0, answer.err
    return place


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.large) for seed in range(2, 10))])
def test_commands_answer_or_refuse(seed: int, folder: Path) -> None:
    rng, opened = random.Random(seed), 0
    for number in range(MUTATIONS):
        name = list(TRAINED)[number % len(TRAINED)]
        what = mutate(rng, folder / f"{name}.mcsvm", folder / "mutated.mcsvm")
        places = {"model": folder / "mutated.mcsvm", "rows": folder / "rows.csv"}
        for words in COMMANDS:
            with warnings.catch_warnings(record=True, action="always") as warned:
                answer = mcsvm(*(word.format(**places) for word in words))
            said = f"seed {seed}, mutation {number} of {name}: {what}; {' '.join(words)}: {answer}"
            assert [str(one.message) for one in warned] == [], said
            assert_plain(answer, "--json" in words, said)
            if answer.code == 2 and "damaged" in answer.err:
                break
            opened += words[0] == "predict"
    assert opened > 3, "most mutations are refused, some are not"


def assert_plain(answer: Answer, with_json: bool, said: str) -> None:
    assert answer.code in (0, 2, 3), said
    assert all(line.startswith(("error: ", "warning: ")) for line in answer.err.splitlines()), said
    assert (answer.err.count("error: ") == 1) == (answer.code == 2), said
    if with_json and answer.out:
        json.loads(answer.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON; {said}"))


# -- mutations ------------------------------------------------------------------------------------


def mutate(rng: random.Random, source: Path, target: Path) -> list[object]:
    """Alter one or two things of a model; return what."""
    with zipfile.ZipFile(source) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(contents.pop(DOCUMENT))
    what = []
    for _ in range(rng.choice((1, 1, 2))):
        if rng.random() < 0.5:
            what.append(alter_document(rng, document))
        else:
            name = rng.choice(sorted(contents))
            contents[name], how = alter_array(rng, contents[name])
            what.append((name.removesuffix(SUFFIX), how))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(DOCUMENT, json.dumps(document))
        for name, content in contents.items():
            archive.writestr(name, content)
    return what


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from leaves(inner, (*path, key))


def alter_document(rng: random.Random, document: dict[str, Any]) -> object:
    *path, last = rng.choice(list(leaves(document)))
    holder: Any = document
    for key in path:
        holder = holder[key]
    old, chance = holder[last], rng.random()
    if chance < 0.1:
        del holder[last]
        return "removed", *path, last
    if chance < 0.6 and isinstance(old, int | float) and not isinstance(old, bool):
        factor = rng.choice(FACTORS)
        holder[last] = old * factor if abs(float(old) * factor) < 1e308 else 1e308
    elif chance < 0.7 and isinstance(old, list):
        holder[last] = old[1:] if rng.random() < 0.5 else [*old, *old[-1:]]
    else:
        holder[last] = rng.choice(VALUES)
    return "set", *path, last, holder[last]


def alter_array(rng: random.Random, content: bytes) -> tuple[bytes, str]:
    found = np.load(io.BytesIO(content))
    found = found if found.dtype.kind == "f" else found.astype("<i8")
    if not found.size:
        return content, "nothing"
    how: list[Callable[[], np.ndarray]] = [lambda: found[::-1], lambda: np.roll(found, 1, axis=-1)]
    if found.dtype.kind == "f":
        factor, number, place = rng.choice(FACTORS), rng.choice(NUMBERS), rng.randrange(found.size)
        how += [lambda: found * factor, lambda: one(found, place, number), lambda: np.full_like(found, number)] * 2
    else:
        place, number = rng.randrange(found.size), rng.choice((0, 1, -1, 10, 2**40, 2**62))
        how += [lambda: one(found, place, number), lambda: one(found, place, int(found.flat[place]) + 1)]
    chosen = rng.randrange(len(how))
    with np.errstate(over="ignore", invalid="ignore"):
        altered = np.nan_to_num(how[chosen](), posinf=1.7e308, neginf=-1.7e308)
    return arrays.packed(altered.astype(found.dtype)), f"way {chosen}"


def one(found: np.ndarray, place: int, number: float) -> np.ndarray:
    altered = found.copy()
    altered.flat[place] = number
    return altered
