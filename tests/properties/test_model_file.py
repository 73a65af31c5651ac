"""Whatever happens to a model file, opening it gives the model or one sentence."""

from __future__ import annotations

import io
import json
import pickle
import struct
import tempfile
import tracemalloc
import warnings
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from mcsvm import InputError, MultiClassSVC
from mcsvm.solvers.machines import MACHINES
from mcsvm_gui.core.base import arrays
from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.library.fitted import trained_of
from mcsvm_gui.core.machine import model_document, model_file
from mcsvm_gui.core.machine.model_file import load, save
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.machine.trained import TrainedModel

MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def blobs(*, sparse: bool = False, rows: int = 24) -> Dataset:
    rng = np.random.default_rng(3)
    y = np.arange(rows) % 3
    X = rng.normal(size=(rows, 3)) + 2.0 * np.eye(3)[y]
    labels = np.array(["a", "b, c", "d\ne"], dtype=object)[y]
    columns = NumberedColumns(1, 3) if sparse else (*(Column(name, "number") for name in "xy"), Column("z", "category"))
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "z": np.where(X[:, 2] > 0, "up", "down")})
    matrix = sp.csr_array(np.where(np.abs(X) > 1.7, X, 0.0)) if sparse else None
    return Dataset(
        *("blobs", "csv", columns, None if sparse else table, matrix, "label", labels, None, (), ()), digest="0" * 64
    )


@cache
def trained(machine: str, *, sparse: bool) -> TrainedModel:
    """Those of Weston and Watkins with probabilities and sets."""
    calibrate = "temperature" if machine == "ww" else "none"
    return train(Request(machine=machine, gamma=0.7, calibrate=calibrate), blobs(sparse=sparse)).trained


@cache
def sound(machine: str = "ww", *, sparse: bool = False) -> bytes:
    return bytes_of(trained(machine, sparse=sparse))


def bytes_of(model: TrainedModel) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / "m", model)
        return (Path(folder) / "m").read_bytes()


def opened(content: bytes, place: Path) -> TrainedModel | None:
    """The model, or None for a refusal in words; anything else that is raised fails the test."""
    path = place / "m.mcsvm"
    path.write_bytes(content)
    try:
        return load(path)
    except InputError as error:
        sentence = str(error)
    assert len(sentence.splitlines()) == 1
    assert len(sentence) < 1000
    return None


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return stream.getvalue()


def with_document(change: dict[str, Any], **more: bytes) -> bytes:
    parts = members(sound())
    return packed(parts | {"model.json": json.dumps(json.loads(parts["model.json"]) | change).encode()} | more)


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


# -- what is sound --------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_model_comes_back_as_it_was(machine: str, sparse: bool, tmp_path: Path) -> None:
    model, data = trained(machine, sparse=sparse), blobs(sparse=sparse)
    again = opened(sound(machine, sparse=sparse), tmp_path)
    assert again is not None
    before, after = (one.predictions(data, sets=True) for one in (model, again))
    assert np.array_equal(before.scores, after.scores)
    assert (before.p_values is None) == (machine != "ww")
    if before.p_values is not None:
        assert np.array_equal(before.p_values, after.p_values)
        assert np.array_equal(before.typical, after.typical)
    assert before.labels.tolist() == after.labels.tolist()
    assert (again.request, again.class_names) == (model.request, model.class_names)
    assert again.origin == replace(model.origin, seconds=None)  # files hold no times, so that they are reproducible
    assert again.preparation.document() == model.preparation.document()
    assert bytes_of(again) == sound(machine, sparse=sparse)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_file_has_coefficients_or_dual_variables_unless_rounding_separates_them(machine: str) -> None:
    assert ("dual_alpha.npy" in members(sound(machine))) == (machine in ("llw", "adm", "atm", "ats", "mmr"))


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["ww", "cs", "ova", "ovo", "dag"])
@pytest.mark.parametrize("classes", [10, 60])
def test_a_file_is_at_most_half_as_large_again_as_the_pickle_of_an_svc(classes: int, machine: str) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(10 * classes) % classes
    X = 1.5 * rng.normal(size=(classes, 12))[y] + rng.normal(size=(y.size, 12))
    trained = trained_of(MultiClassSVC(machine=machine).fit(X, y))
    assert len(model_file.packed(trained)) <= 1.5 * len(pickle.dumps(SVC().fit(X, y)))


@pytest.mark.parametrize(("largest", "size"), [(255, 1), (256, 2), (65535, 2), (65536, 4), (2**32 - 1, 4), (2**32, 8)])
def test_integers_take_the_fewest_bytes(largest: int, size: int) -> None:
    found = arrays.narrowed(np.array([0, largest]))
    assert (found.itemsize, found.tolist()) == (size, [0, largest])
    assert arrays.narrowed(np.array([-1, largest])).dtype == np.int64


def test_the_same_model_is_the_same_file() -> None:
    assert bytes_of(trained("ww", sparse=False)) == sound("ww", sparse=False)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=lambda machine: machine.name)
def test_shapes_are_known_without_building_the_machine(machine: Any) -> None:
    """A form of a million classes is never made; what is expected instead is right for small ones."""
    for classes in (2, 3, 5):
        form = machine.form(classes, 1.0)
        parts = {"joint": 1, "one-vs-rest": classes, "pairs": classes * (classes - 1) // 2}[machine.split]
        assert model_document.outputs_of(machine, classes) == (form.outputs if machine.split == "joint" else parts)
        assert form.slots == (classes if machine.split == "joint" else 1)


# -- what is not ----------------------------------------------------------------------------------


@MANY
@given(st.binary(max_size=400))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    assert opened(content, tmp_path) is None


@MANY
@given(st.integers(0, len(sound()) - 1))
def test_cut_short(tmp_path: Path, length: int) -> None:
    assert opened(sound()[:length], tmp_path) is None


@pytest.mark.slow
@MANY
@given(st.lists(st.tuples(st.integers(0, len(sound(sparse=True)) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_bytes_changed(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    content = bytearray(sound(sparse=True))
    for place, value in changes:
        content[place] = value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile's of doubled names
        opened(bytes(content), tmp_path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NUMBERS = st.integers(-2, 5) | st.sampled_from([2**31, 2**62, 10**30, -1, 0.5, 1e308])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


@cache
def document_places(sparse: bool) -> list[tuple[Any, ...]]:
    return places(json.loads(members(sound(sparse=sparse))["model.json"]))[1:]


@pytest.mark.slow
@settings(MANY, max_examples=800)
@given(st.data(), st.booleans())
def test_documents_that_say_something_else(tmp_path: Path, data: st.DataObject, sparse: bool) -> None:
    """Any part of the document replaced: what opens, decides."""
    parts = members(sound(sparse=sparse))
    document = json.loads(parts["model.json"])
    *way, last = data.draw(st.sampled_from(document_places(sparse)))
    holder = document
    for key in way:
        holder = holder[key]
    if data.draw(st.booleans()):
        holder[last] = data.draw(JSON | NUMBERS)
    else:
        del holder[last]
    model = opened(packed(parts | {"model.json": json.dumps(document).encode()}), tmp_path)
    if model is not None:
        try:
            labels = model.predictions(blobs(sparse=sparse), sets=True).labels
            assert set(labels.tolist()) <= {*model.class_names}
        except InputError:
            pass


ARRAYS = st.sampled_from([name for name in members(sound()) if name.endswith(".npy")])


@pytest.mark.slow
@settings(MANY, max_examples=400)
@given(st.data())
def test_arrays_with_other_contents(tmp_path: Path, data: st.DataObject) -> None:
    parts, name = members(sound()), data.draw(ARRAYS)
    array = np.load(io.BytesIO(parts[name]))
    array = array if array.dtype.kind == "f" else array.astype("<i8")
    kind = data.draw(st.sampled_from(["value", "shape", "type", "header", "more"]))
    if kind == "value" and array.size:
        values = [-1, 2**40] if array.dtype.kind == "i" else [np.nan, np.inf, 1e300, -1.0]
        array.flat[data.draw(st.integers(0, array.size - 1))] = data.draw(st.sampled_from(values))
        content = npy(array)
    elif kind == "shape":
        content = npy(array.reshape(1, *array.shape))
    elif kind == "type":
        content = npy(array.astype(data.draw(st.sampled_from(["f4", "i4", "c16", ">f8", "U3", "?"]))))
    elif kind == "header":
        content = parts[name][:10] + data.draw(st.binary(min_size=1, max_size=200)) + parts[name][10:]
    else:
        content = parts[name] + data.draw(st.binary(min_size=1, max_size=20))
    model = opened(packed(parts | {name: content}), tmp_path)
    if kind != "value":
        assert model is None
    elif model is not None:
        with suppress(InputError):
            model.predictions(blobs(), sets=True)


def llw_without_duals() -> bytes:
    parts = members(sound("llw"))
    document = json.loads(parts["model.json"]) | {"n_duals": None}
    kept = {name: part for name, part in parts.items() if not name.startswith("dual")}
    return packed(kept | {"model.json": json.dumps(document).encode()})


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("it ran",)


def huge_header() -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 65535) + b"{" + b" " * 65534


REFUSED = {
    "an array that inflates to more than its shape": lambda: packed(
        members(sound()) | {"bias.npy": bytes(2**26)}, zipfile.ZIP_DEFLATED
    ),
    "a document that inflates to more than a file may": lambda: packed(
        members(sound()) | {"model.json": b" " * 2**26}, zipfile.ZIP_DEFLATED
    ),
    "another compression": lambda: packed(members(sound()), zipfile.ZIP_BZIP2),
    "dual variables that do not follow": lambda: llw_without_duals(),
    "a path out of the folder": lambda: packed(members(sound()) | {"../../evil.npy": b""}),
    "an absolute path": lambda: packed(members(sound()) | {"/etc/evil.npy": b""}),
    "a pickle as an array": lambda: packed(members(sound()) | {"bias.npy": npy(np.array([Bomb()], dtype=object))}),
    "a bare pickle": lambda: pickle.dumps(Bomb()),
    "a header too large": lambda: packed(members(sound()) | {"bias.npy": huge_header()}),
    "a header of nested brackets": lambda: packed(members(sound()) | {"bias.npy": nested_header()}),
    "nested JSON": lambda: packed(members(sound()) | {"model.json": b"[" * 200_000}),
    "a number of too many digits": lambda: packed(members(sound()) | {"model.json": b"9" * 10_000}),
    "NaN in JSON": lambda: with_document({"n_support": float("nan")}),
    "no document": lambda: packed({name: part for name, part in members(sound()).items() if name != "model.json"}),
    "an array less": lambda: packed({name: part for name, part in members(sound()).items() if name != "bias.npy"}),
    "support vectors by the billion": lambda: with_document({"n_support": 2**40}),
    "support vectors beyond all bounds": lambda: with_document({"n_support": 2**200}),
    "classes by the thousand": lambda: with_document({"classes": [str(name) for name in range(5000)]}),
    "one class": lambda: with_document({"classes": ["a"]}),
    "a class twice": lambda: with_document({"classes": ["a", "a", "b"]}),
    "half a character": lambda: with_document({"classes": ["a", "\ud800", "b"]}),
    "an unknown machine": lambda: with_document({"machine": "wx"}),
    "an unknown kernel": lambda: with_document({"kernel": {"name": "exec"}}),
    "sets of another number of classes": lambda: with_document({"sets": sets_with(margins=[24])}),
    "sets without a class": lambda: with_document({"sets": sets_with(distances=[0, 12, 12])}),
    "sets out of order": lambda: packed(members(sound()) | {"set_margins.npy": npy(np.arange(24.0)[::-1])}),
    "no format": lambda: with_document({"format": "other"}),
}


def sets_with(**change: Any) -> dict[str, Any]:
    return json.loads(members(sound())["model.json"])["sets"] | change


def nested_header() -> bytes:
    text = b"(" * 900 + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize("name", REFUSED)
def test_tricks_are_refused_in_words(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert opened(REFUSED[name](), tmp_path) is None
    assert capsys.readouterr().out == ""


def test_a_member_that_claims_a_small_size_is_not_inflated(tmp_path: Path) -> None:
    """The directory says 152 bytes, and the member inflates to 256 MB."""
    content = packed(members(sound()) | {"bias.npy": bytes(2**28)}, zipfile.ZIP_DEFLATED)
    lying = content.replace(struct.pack("<I", 2**28), struct.pack("<I", 152))
    tracemalloc.start()
    assert opened(lying, tmp_path) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lying != content
    assert peak < 2**23


def test_files_that_deflating_would_shrink_beyond_measure_are_not_deflated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "MOST_MORE", 0)
    monkeypatch.setattr(model_file, "MOST_TIMES", 1)
    content = bytes_of(trained("ww", sparse=False))
    assert len(content) > len(sound())
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_twice_is_refused(tmp_path: Path) -> None:
    stream = io.BytesIO(sound())
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("bias.npy", b"")
    assert opened(stream.getvalue(), tmp_path) is None


# -- other versions -------------------------------------------------------------------------------


def test_newer_files_are_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(with_document({"schema": 99}))
    with pytest.raises(InputError, match=r"newer mcsvm \(format 99; this one reads up to 1\): update mcsvm"):
        load(tmp_path / "m")


def test_older_files_are_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this were the version after the next, and the names of two things had changed meanwhile."""
    monkeypatch.setattr(model_file, "SCHEMA", 3)
    monkeypatch.setitem(model_file.MIGRATIONS, 1, lambda old: {**old, "klasses": old["classes"]})
    monkeypatch.setitem(model_file.MIGRATIONS, 2, lambda old: {**old, "classes": [*old["klasses"][:-1], "new"]})
    model = opened(sound(), tmp_path)
    assert model is not None
    assert model.class_names[-1] == "new"
