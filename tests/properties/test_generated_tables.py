"""Tables of every mix of kinds, roles, gaps and encodings: trained on, saved, predicted and exported alike."""

from __future__ import annotations

import csv
import io
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.machines import MACHINES
from mcsvm_gui import cli
from mcsvm_gui.cli.reading import request_of
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ANALYZERS, DATE_PARTS, MISSING, SCALES, ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.command_line import arguments_of
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.machine.sources import open_for

pytestmark = pytest.mark.slow

ROWS = 24
LETTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff")
NAME = st.text(LETTERS, min_size=1, max_size=8).filter(
    lambda name: name.strip() == name and not name.lstrip("+-").isdecimal() and name.lower() not in TAKEN
)
TAKEN = {"label", "class", "target", "y", "none"}
VOCABULARY = ["corn", "wheat", "straße", "naïve", "gold", "Öl", "the", "über-all", "日本"]
SIMPLE = "number", "category", "name", "ignored", "codes"
KINDS = *SIMPLE, "text", "date"
FORMATS = [name for name in EXPORTERS if name != "onnx" or all(map(find_spec, ("onnx", "onnxruntime")))]


@dataclass(frozen=True)
class Made:
    content: bytes
    read: ReadOptions
    rules: Rules


@st.composite
def made(draw: st.DrawFn) -> Made:
    names = draw(st.lists(NAME, min_size=2, max_size=6, unique_by=str.casefold))
    simple = draw(st.booleans())  # values and levels alone, which every format can hold
    kinds = {name: draw(st.sampled_from(SIMPLE if simple else KINDS)) for name in names}
    kinds[names[0]] = draw(
        st.sampled_from(["number", "category"] if simple else ["number", "category", "text", "date"])
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    gaps = draw(st.booleans())
    columns = {name: [_cell(kind, j, rng, gaps) for j in range(ROWS)] for name, kind in kinds.items()}
    labels = [["a", "b", "c, d"][j % 3] for j in range(ROWS)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    writer.writerow([*columns, "label"])
    writer.writerows(zip(*columns.values(), labels, strict=True))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    read = ReadOptions(
        label="label",
        text=_of(kinds, "text"),
        dates=_of(kinds, "date"),
        categories=_of(kinds, "codes"),
        names=_of(kinds, "name"),
        drop=_of(kinds, "ignored"),
        separator=",",
        header="yes",
        merge=draw(st.sampled_from([None, 'one=a+b; "c, d"="c, d"'])),
    )
    rules = Rules(
        scale=draw(st.sampled_from(list(SCALES))),
        missing=draw(st.sampled_from([rule for rule in MISSING if rule != "reject" or not gaps])),
        missing_indicator=not simple and draw(st.booleans()),
        min_frequency=1 if simple else draw(st.integers(1, 5)),
        date_parts=tuple(draw(st.lists(st.sampled_from(list(DATE_PARTS)), min_size=1, unique=True))),
        analyzer=draw(st.sampled_from(list(ANALYZERS))),
        ngrams=draw(st.sampled_from(["1", "1:2"])),
    )
    return Made(out.getvalue().encode(encoding), read, rules)


def _of(kinds: dict[str, str], kind: str) -> tuple[str, ...]:
    return tuple(name for name, one in kinds.items() if one == kind)


def _cell(kind: str, row: int, rng: np.random.Generator, gaps: bool) -> str:
    if gaps and kind not in ("text", "name") and rng.random() < 0.15:
        return ""
    if kind == "number":
        return repr(float(rng.normal() * 10.0 ** rng.integers(-3, 4)))
    if kind == "category":
        return str(rng.choice(["red", "blue", "naïve", "c d", '"q"']))
    if kind == "codes":
        return str(rng.choice(["01", "1", "2B", "7"]))
    if kind == "date":
        return f"{rng.integers(1900, 2100)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02} {rng.integers(24):02}:15"
    if kind == "text":
        return " ".join(rng.choice(VOCABULARY, size=4))
    return f"row {row}"


MADE = given(table=made(), kernel=st.sampled_from(["linear", "rbf"]), machine=st.sampled_from(list(MACHINES)))
PLAIN = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], print_blob=True
)


@MADE
@settings(PLAIN, max_examples=30)
def test_a_table_is_trained_on_saved_decided_and_exported(
    tmp_path: Path, kernel: str, machine: str, table: Made
) -> None:
    _go_through(tmp_path, kernel, machine, table)


@pytest.mark.large
@pytest.mark.timeout(3600)
@MADE
@settings(PLAIN, max_examples=300)
def test_many_tables(tmp_path: Path, kernel: str, machine: str, table: Made) -> None:
    _go_through(tmp_path, kernel, machine, table)


def _go_through(tmp_path: Path, kernel: str, machine: str, table: Made) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(table.content)
    request = Request(machine, kernel=kernel, rules=table.rules, read=table.read, data=str(path), max_iter=2000)
    dataset = open_dataset(path, request.read)
    assert _repeated(request) == request
    outcome = _trained(replace(request, digest=dataset.digest), dataset)
    if outcome is not None:
        _keep(tmp_path, outcome, dataset)
        _export(tmp_path, outcome, dataset)


def _trained(request: Request, dataset: Dataset) -> Outcome | None:
    """None where the table is refused, such as one in which every row has a missing cell."""
    with suppress(InputError):
        return train(request, dataset)
    return None


def _keep(folder: Path, outcome: Outcome, dataset: Dataset) -> None:
    expected = outcome.trained.decide(dataset)
    model_file.save(folder / "m.mcsvm", outcome.trained)
    loaded = model_file.load(folder / "m.mcsvm")
    again = open_for(loaded, dataset.name, ReadOptions(separator=",", header="yes"))
    assert again.columns == dataset.columns
    assert loaded.decide(again).tolist() == expected.tolist()
    half = dataset.take(np.arange(0, dataset.rows, 3))
    assert loaded.decide(half).tolist() == expected[::3].tolist()


def _export(folder: Path, outcome: Outcome, dataset: Dataset) -> None:
    """In every format that can hold the model: each tries its file on these rows; the others say why not."""
    loaded = model_file.load(folder / "m.mcsvm")
    for name in FORMATS:
        reason, path = EXPORTERS[name].refusal(loaded), folder / f"out.{name}"
        event(f"{name} {'written' if reason is None else 'refused'}")
        if reason is None:
            assert EXPORTERS[name].export(loaded, path, dataset).checks
        else:
            assert str(reason).endswith(".")
            assert "\n" not in str(reason)


def _repeated(request: Request) -> Request:
    """The copied command, parsed again."""
    parser: Any = cli._parser()
    _, *said = shlex.split(shlex.join(arguments_of(request)))
    return request_of(parser.parse_args(said))
