"""Do the tests notice? Small faults are put into solvers/dual and solvers/run, one at a time, and tests run on each.

    MCSVM_MUTANTS=200 python -m pytest tests/benchmarks/bench_mutants.py -s    # 200 of each folder; without it, 20

A mutant has one comparison, operator, constant, condition or returned value changed. It is killed where the tests of
its folder and the laws of certificates fail; those that live are printed, to be read:
some mean the same as the original.
"""

from __future__ import annotations

import ast
import copy
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from copies import copy_checkout, import_path

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(0)]
ROOT = Path(__file__).resolve().parents[2]
COUNT = int(os.environ.get("MCSVM_MUTANTS", 20))
SEED = int(os.environ.get("MCSVM_SEED", 0))
TESTS = {
    "dual": ["tests/unit/dual", "tests/laws/test_certificate.py"],
    "run": [
        "tests/unit/run",
        "tests/unit/dual",
        "tests/laws/test_promises.py",
        "tests/laws/test_slices_at_any_cost.py",
        "tests/properties/test_trace.py",
    ],
}
OTHER = (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq)
COMPARISONS = {**dict(OTHER), **{second: first for first, second in OTHER}}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
HANGS = 300.0  # seconds


def changed(node: ast.AST) -> ast.AST | None:
    """The node with a fault, or None of what is left as it is."""
    other = copy.deepcopy(node)
    if isinstance(other, ast.Compare) and type(other.ops[0]) in COMPARISONS:
        other.ops[0] = COMPARISONS[type(other.ops[0])]()
    elif isinstance(other, ast.BinOp) and type(other.op) in OPERATORS:
        other.op = OPERATORS[type(other.op)]()
    elif isinstance(other, ast.BoolOp):
        other.op = ast.Or() if isinstance(other.op, ast.And) else ast.And()
    elif isinstance(other, ast.UnaryOp) and isinstance(other.op, ast.USub | ast.Not):
        return other.operand
    elif isinstance(other, ast.Constant) and type(other.value) in (int, float):
        other.value += 1
    elif isinstance(other, ast.If | ast.IfExp | ast.While):
        other.test = ast.UnaryOp(ast.Not(), other.test)
    else:
        return None
    return other


class Replace(ast.NodeTransformer):
    """Puts `new` where the node of that number is, in the order of `ast.walk`."""

    def __init__(self, node: ast.AST, new: ast.AST) -> None:
        self.node, self.new = node, new

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self.new, node) if node is self.node else super().visit(node)


def mutants(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, what it says now, and the module's source with it."""
    text = path.read_text("utf-8")
    count = sum(1 for node in ast.walk(ast.parse(text)) if changed(node) is not None)
    for number in range(count):
        tree = ast.parse(text)
        node = [node for node in ast.walk(tree) if changed(node) is not None][number]
        new = changed(node)
        assert new is not None
        source = ast.unparse(ast.fix_missing_locations(Replace(node, new).visit(tree)))
        line = getattr(node, "lineno", 0)
        said = ast.unparse(new.test if isinstance(new, ast.If | ast.While) else new)
        yield line, said[:90], source


def passes(house: Path, tests: list[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", *tests]
    environment = {**os.environ, "PYTHONPATH": import_path(house), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=house, env=environment, capture_output=True, timeout=HANGS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy to break."""
    copied = tmp_path_factory.mktemp("house")
    copy_checkout(copied, "tests", "resources", "pyproject.toml")
    return copied


@pytest.mark.parametrize("folder", TESTS)
def test_mutants_are_killed(folder: str, house: Path) -> None:
    assert passes(house, TESTS[folder]), "the tests fail on the code as it is"
    found = [(path, *mutant) for path in sorted((ROOT / "solvers" / folder).rglob("*.py")) for mutant in mutants(path)]
    chosen = random.Random(SEED).sample(found, min(COUNT, len(found)))
    alive = []
    for path, line, said, source in chosen:
        place = house / path.relative_to(ROOT)
        original = place.read_text("utf-8")
        place.write_text(source, "utf-8")
        if passes(house, TESTS[folder]):
            alive.append(f"{path.relative_to(ROOT)}:{line}: {said}")
        place.write_text(original, "utf-8")
    killed = len(chosen) - len(alive)
    print(f"\nsolvers/{folder}: {killed} of {len(chosen)} killed (of {len(found)} mutants, seed {SEED})")
    print("\n".join(alive))
