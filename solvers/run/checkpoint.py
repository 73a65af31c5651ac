"""The file format of checkpoints, from which a run continues with the same bits; states and parts as arrays.

A checkpoint is a zip of a JSON header, arrays in NumPy's format (never pickled) and a digest of both. A file is
replaced as a whole or not at all. run/loop.py (`Run._header`, `Run._arrays`) defines the contents of a checkpoint.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import uuid
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mcsvm.solvers.dual.certificate import Certificate, Proof
from mcsvm.solvers.errors import InputError
from mcsvm.solvers.machines import DualForm
from mcsvm.solvers.methods.base import Point, stored_fields
from mcsvm.solvers.problem import Problem
from mcsvm.solvers.run.parts import Finished

Place = str | os.PathLike[str] | BinaryIO  # the file that a checkpoint is read from
SCHEMA = 1  # increased whenever the meaning of the contents changes
HEADER, DIGEST, ARRAY = "header.json", "digest", ".npy"
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, MemoryError, NotImplementedError, RuntimeError),
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
)


@dataclass
class Saved:
    """The contents of a checkpoint."""

    header: dict[str, Any]  # names and plain numbers
    arrays: dict[str, np.ndarray]

    def group(self, name: str) -> dict[str, np.ndarray]:
        """Return the arrays named "name.key", by key."""
        return {key[len(name) + 1 :]: array for key, array in self.arrays.items() if key.startswith(f"{name}.")}


def named(name: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"{name}.{key}": array for key, array in arrays.items()}


# -- the file -------------------------------------------------------------------------------------


def write(path: str | os.PathLike[str], saved: Saved) -> None:
    """Write a temporary file in the same folder, then rename it, so that a crash leaves the old file or the new one."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with open(beside, "xb") as stream:
            _fill(stream, saved)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(beside, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise InputError(
            "The checkpoint {target} cannot be written: {reason}.", target=target, reason=error.strerror or error
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def packed(saved: Saved) -> bytes:
    """Return the bytes that `write` puts into a file."""
    stream = io.BytesIO()
    _fill(stream, saved)
    return stream.getvalue()


def _fill(stream: Any, saved: Saved) -> None:
    members = {HEADER: json.dumps({**saved.header, "schema": SCHEMA}).encode()}
    members |= {name + ARRAY: _bytes_of(array) for name, array in saved.arrays.items()}
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
        archive.writestr(DIGEST, _digest(members))


def _bytes_of(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


def _digest(members: Mapping[str, bytes]) -> str:
    stamp = hashlib.sha256()
    for name in sorted(members):
        stamp.update(f"{name}:{len(members[name])}:".encode())
        stamp.update(members[name])
    return stamp.hexdigest()


def _sync_folder(folder: Path) -> None:
    """Flush the rename to disk, on systems where a folder can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read(place: Place) -> Saved:
    name = name_of(place)
    with damage_as_input_error(place):
        try:
            with zipfile.ZipFile(place) as archive:
                members = {name: archive.read(name) for name in archive.namelist()}
        except OSError as error:
            raise InputError(
                "The checkpoint{name} cannot be read: {reason}.", name=name, reason=error.strerror or error
            ) from error
        if members.pop(DIGEST).decode() != _digest(members):
            raise InputError("The checkpoint{name} was changed after it was written.", name=name)
        header = json.loads(members.pop(HEADER))
        if header["schema"] != SCHEMA:
            raise InputError(
                "The checkpoint{name} is of format {schema}; this version reads {known}.",
                name=name,
                schema=header["schema"],
                known=SCHEMA,
            )
        arrays = {name.removesuffix(ARRAY): _array_of(content) for name, content in members.items()}
        return Saved(header, arrays)


def _array_of(content: bytes) -> np.ndarray:
    return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)


def name_of(place: Place) -> str:
    return f" {place}" if isinstance(place, str | os.PathLike) else ""


@contextmanager
def damage_as_input_error(place: Place) -> Iterator[None]:
    """Convert every exception that a damaged file can cause to an InputError."""
    try:
        yield
    except InputError:
        raise
    except UNREADABLE as error:
        reason = " ".join(str(error).split())
        raise InputError(
            "The checkpoint{place} is damaged or no checkpoint ({reason}).", place=name_of(place), reason=reason
        ) from error


def check(saved: Saved, problem: Problem, method: str | None) -> None:
    """Raise InputError if the checkpoint is of another problem, method or cache_mb."""
    header = saved.header
    if header["problem"] != problem.digest:
        raise InputError("The checkpoint is of another training problem: other data, machine, kernel or costs.")
    if method is not None and header["method"] != method:
        raise InputError(
            "The checkpoint was made by the solver {method!r}, not by {other!r}.",
            method=header["method"],
            other=method,
        )
    if header["cache_mb"] != problem.cache_mb:
        raise InputError(
            "The checkpoint was made with cache_mb={cache_mb:g}, which decides the last bits of kernel"
            " values: go on with the same, not with {other:g}.",
            cache_mb=header["cache_mb"],
            other=problem.cache_mb,
        )


# -- states and parts -----------------------------------------------------------------------------


def pack_state(state: Any, prefix: str = "") -> dict[str, np.ndarray]:
    """Return the fields of a state as arrays, without those that are None.

    A field of an inner data class is named "outer.inner". Arrays keep their memory order, because the last bit of their
    sums depends on it.
    """
    packed: dict[str, np.ndarray] = {}
    for name in stored_fields(state):
        value, key = getattr(state, name), prefix + name
        if is_dataclass(value):
            packed |= pack_state(value, f"{key}.")
        elif isinstance(value, Enum):
            packed[key] = np.array(value.name)
        elif value is not None:
            packed[key] = np.asarray(value)
    return packed


def restore_state(state: Any, saved: Saved, name: str) -> None:
    """Set the fields of a fresh state to the packed values, which must have the types and shapes of the fresh ones."""
    _restore(state, saved.group(name), "")


def _restore(state: Any, packed: Mapping[str, np.ndarray], prefix: str) -> None:
    for name in stored_fields(state):
        fresh, key = getattr(state, name), prefix + name
        if fresh is None and f"{key}.alpha" in packed:
            fresh = Point(state.alpha, state.functions, state.constant)  # the only data class that may be None
        elif fresh is None:
            continue
        setattr(state, name, _restored(fresh, packed, key))


def _restored(fresh: Any, packed: Mapping[str, np.ndarray], key: str) -> Any:
    """Return the packed value, converted to the type of the fresh value."""
    if is_dataclass(fresh):
        _restore(fresh, packed, f"{key}.")
        return fresh
    stored = packed[key]
    if isinstance(fresh, Enum):
        return type(fresh)[str(stored)]
    if isinstance(fresh, np.ndarray):
        check_type_and_shape(key, stored, fresh)
        return stored
    return type(fresh)(stored)


def check_type_and_shape(key: str, array: np.ndarray, fresh: np.ndarray) -> None:
    """Raise ValueError unless type and shape are those of the fresh array.

    An array that begins empty may have grown.
    """
    grown = fresh.size == 0 and array.ndim == fresh.ndim
    if array.dtype != fresh.dtype or not (grown or array.shape == fresh.shape):
        raise ValueError(f"{key} has another shape or type")


def pack_finished(finished: Sequence[Finished]) -> dict[str, np.ndarray]:
    proofs = [done.proof for done in finished]
    return {
        "done.alpha": join([done.alpha for done in finished]),
        "done.certificate": join([np.array(astuple(proof.certificate)) for proof in proofs]),
        "done.weights": join([proof.weights for proof in proofs]),
        "done.products": join([proof.products for proof in proofs]),
        "done.bias": join([proof.bias for proof in proofs]),
    }


def unpack_finished(saved: Saved, problem: Problem, form: DualForm) -> list[Finished]:
    stalled, arrays = saved.header["stalled"], saved.group("done")
    count, outputs = len(stalled), form.outputs
    wide = shapes_of(problem, count, outputs)
    alphas = split(arrays["alpha"], shapes_of(problem, count, form.slots))
    numbers = split(arrays["certificate"], [(len(fields(Certificate)),)] * count)
    weights, products = split(arrays["weights"], wide), split(arrays["products"], wide)
    biases = split(arrays["bias"], [(outputs,)] * count)
    proofs = [
        Proof(Certificate(*values.tolist()), *rest)
        for values, *rest in zip(numbers, weights, products, biases, strict=True)
    ]
    return [Finished(alpha, proof, bool(flag)) for alpha, proof, flag in zip(alphas, proofs, stalled, strict=True)]


def shapes_of(problem: Problem, count: int, columns: int) -> list[tuple[int, int]]:
    """Return (examples, columns) for each of the first `count` parts."""
    rows = [problem.rows_of(number) for number in range(count)]
    return [(len(problem) if isinstance(some, slice) else some.size, columns) for some in rows]


def join(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Join the arrays to a flat one, because a file of thousands of small arrays would be slow."""
    return np.concatenate([np.empty(0), *(np.asarray(array, dtype=np.float64).ravel() for array in arrays)])


def split(flat: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """Split what `join` has joined into arrays of these shapes, each with memory of its own."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    if flat.dtype != np.float64 or flat.shape != (int(ends[-1]) if shapes else 0,):
        raise ValueError("the parts have other shapes")
    pieces = np.split(flat, ends[:-1]) if shapes else []
    return [piece.reshape(shape).copy() for piece, shape in zip(pieces, shapes, strict=True)]
