"""The counts of tests/benchmarks/house.py, on sources whose counts are known."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from benchmarks import house

from mcsvm import solvers

PACKAGE = Path(solvers.__file__ or "").parent


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("A = 1.0", ["A"]),
        ("A: float = -1e-3", ["A"]),
        ("A, B = 3, 0.5", ["A", "B"]),
        ("A = 0.1, 1.0", ["A"]),
        ("A, B = 2, (0.1, 1.0)", ["A", "B"]),
        ("UP, DOWN = 0, 1", []),
        ("SLACK = -1", []),
        ("_inside = 0", []),
        ("A = 1 << 20", ["A"]),
        ("A = True", []),
        ("A = 'a'", []),
        ("A = f(1)", []),
        ("class A:\n    B = 1", []),
    ],
)
def test_constants_of_a_module(source: str, names: list[str]) -> None:
    assert house.constants(ast.parse(source)) == names


def test_comparisons_with_feasible_and_with_a_bound() -> None:
    trees = {
        "asks.py": ast.parse("if part.form.feasible == 'box': pass"),
        "bound.py": ast.parse("from mcsvm.solvers.jit.scan import FULL\nfull = alpha >= upper[i] * FULL"),
        "literal.py": ast.parse("full = alpha >= (1.0 - 1e-9) * part.upper"),
        "neither.py": ast.parse("x = upper * 2.0\nf(feasible)\nupper @ sign > 0.0"),
    }
    assert house.files(trees, house.asks_feasible) == ("asks.py",)
    assert house.files(trees, house.compares_bound) == ("bound.py", "literal.py")
    assert house.thresholds(trees["bound.py"], "bound.py") == {"FULL (jit/scan.py)"}
    assert house.thresholds(trees["literal.py"], "literal.py") == {"1.0 - 1e-09 (literal.py)"}
    assert house.thresholds(trees["neither.py"], "neither.py") == set()


def test_optional_hooks_have_a_literal_public_name() -> None:
    tree = ast.parse(
        "import threading\n_mine = threading.local()\n"
        "getattr(method, 'wind_up', None)\ngetattr(method, name, None)\ngetattr(self, '_kept', 1)\n"
        "getattr(_mine, 'room', None)\ngetattr(method, 'name')"
    )
    assert list(house.optional_hooks(tree, "getattr", 3)) == ["getattr(method, 'wind_up', None)"]


@pytest.mark.slow
def test_a_fit_is_toured_and_the_table_printed(capsys: pytest.CaptureFixture[str]) -> None:
    tour = house.visit(PACKAGE)
    assert tour.files[0] == "estimator.py"
    assert {file.split("/")[0] for file in tour.files}.isdisjoint({"factor", "dense", "selection", "portions.py"})
    assert not {"methods/interior.py", "methods/auto/price.py", "methods/linear/choice.py"} & set(tour.files)
    assert tour.calls == tour.returns
    assert len(tour.files) <= len(tour.ways) <= tour.calls + tour.returns
    house.show([*house.visited(PACKAGE), house.explained(), *house.static(house.parsed(PACKAGE))])
    table = capsys.readouterr().out
    assert "run.decisions: " in table
    assert "getattr" in table
