"""Scripts give the same numbers as the application, with `mcsvm` alone and in at most 20 lines."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.tested_runs import RowCache
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.experiment.python_script import LINES, explanation_script, search_script, training_script
from mcsvm_gui.core.explain.looked_at import looked_at, one_row
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuning

SOURCES = Path(__file__).parents[4] / "packaging" / "python"


def run(script: str) -> list[list[str]]:
    """The words of each line that it prints."""
    assert len(script.splitlines()) <= LINES
    imported = [node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name.name for node in imported for name in node.names} | {
        getattr(node, "module", "") for node in imported
    }
    assert not any(str(module).startswith("mcsvm_gui") for module in modules)
    code = f"import sys; sys.path.insert(0, {str(SOURCES)!r})\n{script}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 0, found.stderr
    return [line.split() for line in found.stdout.splitlines()]


def asked(data: str, **values: object) -> Request:
    path = str(example(data))
    return Request(data=path, digest=open_dataset(path).digest, **values)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "values"),
    [
        ("glass", {"holdout": 0.3, "C": 4.0, "gamma": 0.5}),
        ("wine", {"holdout": 0.25, "seed": 7, "rules": Rules(scale="standard"), "kernel": "linear"}),
        ("iris", {"class_weight": (("virginica", 2.0),), "rules": Rules(scale="none"), "kernel": "polynomial"}),
    ],
)
def test_a_training_script_gives_the_same_numbers(data: str, values: dict[str, object]) -> None:
    requests = [replace(asked(data, **values), machine=machine) for machine in ("ww", "ova", "dag")]
    dataset = open_dataset(str(example(data)))
    printed = run(training_script(requests, dataset))
    for request, (machine, known, tested, gap, support) in zip(requests, printed, strict=True):
        document = train(request, dataset).document
        assert machine == request.machine
        assert float(known) == document["train_accuracy"]
        assert (None if tested == "None" else float(tested)) == document["test_accuracy"]
        assert float(gap) == pytest.approx(document["certificate"]["relative_gap"], rel=1e-6)
        assert int(support) == document["n_support"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "values"), [("ww", {"holdout": 0.3, "C": 4.0, "gamma": 0.5}), ("ovo", {"C": 2.0, "kernel": "linear"})]
)
def test_an_explanation_script_gives_the_same_values(machine: str, values: dict[str, object]) -> None:
    request, dataset = asked("wine", machine=machine, **values), open_dataset(str(example("wine")))
    held = RowCache().rows_of(request, dataset)
    one = looked_at(1, "a", train(request, dataset).trained, held.tested, held.training)
    found = one_row([one], 7)
    assert found is not None
    own = found.explained[0][1].of_pair(0, found.winner, found.runner_up)
    [printed] = run(explanation_script(request, dataset, 7, (found.winner, found.runner_up)))
    np.testing.assert_allclose(np.array(printed, dtype=float), own, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "share"), [("grid", None), ("halving", 0.3)])
def test_a_search_script_chooses_the_same_cells(how: str, share: float | None) -> None:
    request, dataset = asked("iris"), open_dataset(str(example("iris")))
    machines, led = (("llw", "ovo"), True) if how == "halving" else (("ww", "ovo"), False)
    ranges = Range(-2.0, 6.0, 4.0), Range(-4.0, 0.0, 2.0)
    wanted = TuneRequest(machines, *ranges, search=how, test_share=share, led=led)
    tuned = Tuning(request, wanted, dataset).run()
    for machine, cost, gamma, mean in run(search_script(request, wanted, dataset)):
        best = tuned.best(machine)
        assert best is not None
        assert (float(cost), float(gamma)) == (best.C, best.gamma)
        assert float(mean) == tuned.results[best].mean


def test_what_has_no_room_is_refused_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "gaps.csv"
    file.write_text("a,b,label\n1,x,p\n2,y,q\n3,x,p\n4,y,q\n", "utf-8")
    request = Request(data=str(file))
    with pytest.raises(InputError, match="columns that are not numbers"):
        training_script([request], open_dataset(str(file), ReadOptions()))
    two = [asked("iris"), asked("iris", holdout=0.3)]
    with pytest.raises(InputError, match="the same rows"):
        training_script(two, open_dataset(str(example("iris"))))
