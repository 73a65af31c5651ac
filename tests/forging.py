"""Alter a model file one entry at a time: every leaf of its document, and every array, whatever they are called.

The alterations come from the contents of the file alone, so that a field added later is forged the same day.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.data.options import MISSING, SCALES, UNKNOWN
from mcsvm_gui.core.machine.model_file import DOCUMENT, SUFFIX
from mcsvm_gui.core.machine.request import CALIBRATIONS

VOCABULARIES = (  # a word of one of these becomes every other word of it
    tuple(MACHINES),
    tuple(KERNELS),
    tuple(METHODS),
    BIASES,
    tuple(CALIBRATIONS),
    tuple(MISSING),
    tuple(SCALES),
    tuple(UNKNOWN),
    tuple(ending.value for ending in Ending),
    ("number", "category", "text", "date"),
)
MOST_WORDS = 3  # of a vocabulary are tried
FEW = 3  # entries of a long list are altered one by one: the first, the middle and the last


@dataclass(frozen=True)
class Contents:
    document: dict[str, Any]
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class Forgery:
    name: str
    contents: Contents


def read(path: Path) -> Contents:
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read(DOCUMENT))
        names = [name for name in archive.namelist() if name != DOCUMENT]
        arrays = {name.removesuffix(SUFFIX): _widened(np.load(io.BytesIO(archive.read(name)))) for name in names}
    return Contents(document, arrays)


def _widened(array: np.ndarray) -> np.ndarray:
    """Return integers in a type in which every alteration fits."""
    return array.astype(np.int64) if array.dtype.kind in "iu" else array


def write(path: Path, contents: Contents) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(DOCUMENT, json.dumps(contents.document))
        for name, array in contents.arrays.items():
            stream = io.BytesIO()
            np.save(stream, array)
            archive.writestr(name + SUFFIX, stream.getvalue())


def forgeries(contents: Contents) -> Iterator[Forgery]:
    """Every alteration of one leaf, one list or one array."""
    for place in places(contents.document):
        holder, key = _holder(contents.document, place)
        for name, value in alterations(contents.document, place):
            document = deepcopy(contents.document)
            put(document, place, value)
            yield Forgery(f"{'.'.join(map(str, place))} {name}", Contents(document, contents.arrays))
        for name, other in _neighbours(holder, key):
            document = deepcopy(contents.document)
            altered, _ = _holder(document, place)
            altered[key], altered[other] = altered[other], altered[key]
            yield Forgery(f"{'.'.join(map(str, place))} {name}", Contents(document, contents.arrays))
    for name, array in contents.arrays.items():
        for what, changed in _arrays(array):
            arrays = {**contents.arrays, name: changed}
            yield Forgery(f"{name}.npy {what}", Contents(contents.document, arrays))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every leaf and of every list or mapping; of a long list only a few entries are entered."""
    if path:
        yield path
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for index in sorted({0, len(value) // 2, len(value) - 1} if len(value) > FEW else set(range(len(value)))):
            yield from places(value[index], (*path, index))


def alterations(document: Any, place: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Other values of one entry."""
    yield from _values(*_holder(document, place))


def put(document: Any, place: tuple[Any, ...], value: Any) -> None:
    holder, key = _holder(document, place)
    holder[key] = value


def _holder(document: Any, place: tuple[Any, ...]) -> tuple[Any, Any]:
    for key in place[:-1]:
        document = document[key]
    return document, place[-1]


def _values(holder: Any, key: Any) -> Iterator[tuple[str, Any]]:
    value = holder[key]
    if isinstance(value, bool):
        yield "negated", not value
    elif isinstance(value, int):
        yield from (("+ 1", value + 1), ("- 1", value - 1), ("sign", -value), ("times 2", 2 * value))
    elif isinstance(value, float):
        yield from (("sign", -value), ("times 2", 2.0 * value), ("times 1.001", 1.001 * value), ("zero", 0.0))
        yield "plus 0.5", value + 0.5
    elif isinstance(value, str):
        known = [words for words in VOCABULARIES if value in words]
        for words in known:
            others = [word for word in words if word != value]
            step = max(1, len(others) // MOST_WORDS)
            yield from ((f"to {word}", word) for word in others[::step][:MOST_WORDS])
        if not known:
            yield from (("longer", value + "x"), ("empty", ""), ("reversed", value[::-1]))
    elif value is None:
        yield from (("to 0.5", 0.5), ("to 3", 3), ("to text", "none"))
    elif isinstance(value, list) and value:
        yield from (("shorter", value[:-1]), ("reversed", value[::-1]), ("doubled", value + value[-1:]))
    if value is not None:
        yield "to null", None


def _neighbours(holder: Any, key: Any) -> Iterator[tuple[str, Any]]:
    """The next entry that is another value of the same type."""
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    for other in keys[keys.index(key) + 1 :]:
        if type(holder[other]) is type(holder[key]) and holder[other] != holder[key]:
            yield f"swapped with {other}", other
            return


def _arrays(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    for what, alter in ARRAYS.items():
        changed = alter(array.copy())
        if changed is not None and not (changed.shape == array.shape and np.array_equal(changed, array)):
            yield what, changed


def _one(array: np.ndarray, alter: Callable[[Any], Any]) -> np.ndarray | None:
    """The entry of the largest size altered."""
    if not array.size:
        return None
    place = np.unravel_index(int(np.abs(array).argmax()), array.shape)
    array[place] = alter(array[place])
    return array


def _swapped(array: np.ndarray) -> np.ndarray | None:
    """The largest and the smallest entry."""
    if not array.size:
        return None
    flat = array.reshape(-1)
    high, low = int(flat.argmax()), int(flat.argmin())
    flat[high], flat[low] = flat[low], flat[high]
    return array


ARRAYS: dict[str, Callable[[np.ndarray], np.ndarray | None]] = {
    "sign": lambda array: -array,
    "times 2": lambda array: 2 * array,
    "times 1.001": lambda array: 1.001 * array if array.dtype.kind == "f" else None,
    "plus 1": lambda array: array + 1,
    "zeros": lambda array: 0 * array,
    "one sign": lambda array: _one(array, lambda value: -value),
    "one doubled": lambda array: _one(array, lambda value: 2 * value),
    "one zero": lambda array: _one(array, lambda value: 0),
    "one less": lambda array: _one(array, lambda value: value - 1),
    "swap": _swapped,
    "reversed": lambda array: array[::-1].copy(),
    "rolled": lambda array: np.roll(array, 1, axis=0),
    "columns reversed": lambda array: array[:, ::-1].copy() if array.ndim > 1 else None,
    "shorter": lambda array: array[:-1],
}
