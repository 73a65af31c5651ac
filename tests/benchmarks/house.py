"""How many rooms a thought passes through: the rows of DESIGN.md's first table that concern solvers, counted.

    python -m tests.benchmarks.house [tree] [--before OTHER]

`tree` is the checkout to count, this one unless given; its `solvers` is imported from there. `--before` counts another
checkout, in a process of its own, for a column beside it. Static rows come from the syntax trees of the files, the rows
about `fit` from a profile of Python calls. Nothing is timed.

A hop is a call or a return that crosses from one file to another. A loop crosses at every turn, so that each way from
file to file counts once here, and all crossings in a row of their own. DESIGN.md's count for the first tree (31 files,
105 hops, 74 back) does not say how it was made; this one gives 32, 118 and 87 for it. The fit that is counted is the
second of its kind: code is compiled, and the form of the machine is kept. solvers/notes/easy_fit.md lists its files.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parents[2]
ORDINARY = {0, 1, 2, 0.5, 1e-300}  # numbers that need no name; the last only keeps a division from zero
LIMITS = {"upper", "bound", "high"}  # what bounds are called
HOMES = {"jit/rounding.py": "rounding and the range of numbers", "work.py": "sizes of pieces of work"}  # never tuned
RECORDS = {"budget.py"}  # where numbers that can be tuned live: every field of every class


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    question: str
    now: str
    goal: str = ""
    where: tuple[str, ...] = ()  # files or names behind the number


# -- what a tree says ------------------------------------------------------------------------------


Trees = dict[str, ast.Module]  # by the file's path below `solvers`


def parsed(package: Path) -> Trees:
    return {
        file.relative_to(package).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
        for file in sorted(package.rglob("*.py"))
    }


def static(trees: Trees) -> list[Line]:
    by_file = {file: constants(tree) for file, tree in trees.items()}
    budget = budget_fields(trees)
    of_home = {home: sum(len(names) for file, names in by_file.items() if file == home) for home in HOMES}
    elsewhere = {file: names for file, names in by_file.items() if names and file not in HOMES}
    compiled = {file: names for file, names in elsewhere.items() if file.startswith("jit/")}
    other = {file: names for file, names in elsewhere.items() if file not in compiled}
    unnamed = {file: len(unnamed_numbers(tree)) for file, tree in trees.items()}
    limits = {name for file, tree in trees.items() for name in thresholds(tree, file)}
    folders = Counter(file.rpartition("/")[0] or "." for file in trees if not file.endswith("__init__.py"))
    largest, most = max(folders.items(), key=lambda item: item[1])
    asks = files(trees, asks_feasible)
    return [
        Line("files that ask which feasible set a part has", str(len(asks)), "<= 5, to add one", asks),
        plural("files that compare a variable with its bound", files(trees, compares_bound), "<= 6"),
        plural("thresholds of what counts as at its bound", tuple(sorted(limits)), "1"),
        Line("numbers that can be tuned, in their records", str(len(budget)), "<= 60, one file"),
        *(Line(f"numeric constants: {what}", str(of_home[home])) for home, what in HOMES.items()),
        Line("numeric constants elsewhere, compiled code", count_of(compiled), "beside their loops"),
        Line("numeric constants elsewhere", count_of(other), "0", listed(other)),
        Line("unnamed numbers", f"{sum(unnamed.values())} in {sum(map(bool, unnamed.values()))} files"),
        plural("optional hooks found by getattr", tuple(optional(trees, "getattr", 3)), "0"),
        plural("optional hooks found by hasattr", tuple(optional(trees, "hasattr", 2)), ""),
        Line("modules of the largest folder", f"{most} in {largest}", "15, at most 18"),
        Line("folders with more than 18 modules", str(sum(count > 18 for count in folders.values())), "0"),
        Line("modules and folders in all", f"{sum(folders.values())} in {len(folders)}"),
    ]


def count_of(names: dict[str, list[str]]) -> str:
    return f"{sum(map(len, names.values()))} in {len(names)} files"


def listed(names: dict[str, list[str]]) -> tuple[str, ...]:
    return tuple(f"{file}: {', '.join(some)}" for file, some in names.items())


def plural(question: str, found: tuple[str, ...], goal: str) -> Line:
    return Line(question, str(len(found)), goal, found)


def files(trees: Trees, holds: Callable[[ast.Compare], bool]) -> tuple[str, ...]:
    """The files in which a comparison is of this kind."""
    return tuple(file for file, tree in trees.items() if any(map(holds, comparisons(tree))))


def comparisons(tree: ast.Module) -> Iterator[ast.Compare]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Compare))


def asks_feasible(node: ast.Compare) -> bool:
    return any(
        isinstance(side, ast.Attribute | ast.Name) and name_of(side) == "feasible"
        for side in [node.left, *node.comparators]
    )


def compares_bound(node: ast.Compare) -> bool:
    ordered = any(isinstance(kind, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq) for kind in node.ops)
    return ordered and any(name_of(part) == "upper" for side in [node.left, *node.comparators] for part in parts(side))


def thresholds(tree: ast.Module, file: str) -> set[str]:
    """Constants that a bound is multiplied by where something is compared with it, each with its home."""
    homes = {
        alias.asname or alias.name: f"{statement.module.removeprefix('mcsvm.solvers.').replace('.', '/')}.py"
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
    }
    products = (
        part
        for node in comparisons(tree)
        for part in ast.walk(node)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult)
    )
    found = {constant for product in products for constant in share_of_bound(product)}
    return {f"{constant} ({homes.get(constant, file)})" for constant in found}


def share_of_bound(product: ast.BinOp) -> Iterator[str]:
    for constant, bound in (product.left, product.right), (product.right, product.left):
        if any(name_of(part) in LIMITS for part in parts(bound)):
            if isinstance(constant, ast.Name) and constant.id.isupper():
                yield constant.id
            elif is_number(constant) and not (isinstance(constant, ast.Constant) and constant.value in ORDINARY):
                yield ast.unparse(constant)


def parts(node: ast.expr) -> Iterator[ast.expr]:
    """The names of an arithmetic expression, but none inside calls and products: a sum over a bound is no bound."""
    if isinstance(node, ast.Name | ast.Attribute):
        yield node
    elif isinstance(node, ast.Subscript):
        yield from parts(node.value)
    elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        yield from parts(node.left)
        yield from parts(node.right)


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


# -- numbers ---------------------------------------------------------------------------------------


def is_number(node: ast.expr) -> bool:
    """A numeric literal, or arithmetic on such."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    return isinstance(node, ast.BinOp) and is_number(node.left) and is_number(node.right)


def constants(tree: ast.Module) -> list[str]:
    """Names that a module gives to numbers, alone or in tuples.

    0, 1, 2, ... in a row are an enumeration, -1 is an index, and what changes (`_inside`) is no constant.
    """
    found: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            found += numbers_named(statement.targets[0], statement.value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            found += numbers_named(statement.target, statement.value)
    return found


def numbers_named(target: ast.expr, value: ast.expr) -> list[str]:
    if isinstance(value, ast.Tuple) and value.elts and all(map(is_number, value.elts)):
        if isinstance(target, ast.Name):
            return [target.id]
        names = [name_of(each) for each in target.elts] if isinstance(target, ast.Tuple) else []
        return [] if enumerates(value.elts) else names
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=True)
        return [name for one, number in pairs for name in numbers_named(one, number)]
    named = isinstance(target, ast.Name) and is_number(value) and ast.unparse(value) != "-1"
    return [name_of(target)] if named and not name_of(target).startswith("_") else []


def enumerates(values: list[ast.expr]) -> bool:
    plain = [value.value for value in values if isinstance(value, ast.Constant)]
    return plain == list(range(len(values)))


def budget_fields(trees: Trees) -> list[str]:
    """The numbers in the records that prices and thresholds live in; none before there were any."""
    return [
        f"{node.name}.{entry.target.id}"
        for file, tree in trees.items()
        if file in RECORDS
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for entry in node.body
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name) and entry.value is not None
        for value in (entry.value.elts if isinstance(entry.value, ast.Tuple) else [entry.value])
        if is_number(value)
    ]


def unnamed_numbers(tree: ast.Module) -> list[float]:
    """Floating-point literals within functions; whole numbers are counts, shapes and axes as a rule."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    literals = {
        (node.lineno, node.col_offset): node.value
        for function in functions
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    }
    return [value for value in literals.values() if value not in ORDINARY and np.isfinite(value)]


def optional(trees: Trees, function: str, arguments: int) -> Iterator[str]:
    return (f"{file}: {hook}" for file, tree in trees.items() for hook in optional_hooks(tree, function, arguments))


def optional_hooks(tree: ast.Module, function: str, arguments: int) -> Iterator[str]:
    """Calls with a literal name and so many arguments; private names and thread-local variables are no hooks."""
    local = {
        name_of(statement.targets[0])
        for statement in tree.body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.value) == "threading.local()"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func) == function and len(node.args) == arguments:
            name = node.args[1]
            literal = isinstance(name, ast.Constant) and not str(name.value).startswith("_")
            if literal and name_of(node.args[0]) not in local:
                yield ast.unparse(node)


# -- what one fit visits ---------------------------------------------------------------------------


@dataclass
class Tour:
    """Calls and returns that cross from one file of solvers to another, as `sys.setprofile` tells them.

    Frames outside solvers (scikit-learn, NumPy) are looked through. A generator that goes on counts as called again.
    """

    package: str
    files: list[str] = field(default_factory=list)  # in the order of the first visit
    calls: int = 0
    returns: int = 0
    ways: set[tuple[str, str]] = field(default_factory=set)  # the crossings without repetitions

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        here = self.file(frame)
        if here is None or event not in ("call", "return"):
            return
        if here not in self.files:
            self.files.append(here)
        caller = frame.f_back
        while caller is not None and self.file(caller) is None:
            caller = caller.f_back
        there = self.file(caller) if caller is not None else None
        if there is None or there == here:
            return
        if event == "call":
            self.calls += 1
            self.ways.add((there, here))
        else:
            self.returns += 1
            self.ways.add((here, there))

    def file(self, frame: FrameType) -> str | None:
        name = frame.f_code.co_filename
        return name[len(self.package) + 1 :] if name.startswith(self.package) else None


def easy(classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Thirty points that blocks solve at once."""
    rng, y = np.random.default_rng(0), np.arange(30) % classes
    return 4.0 * np.eye(classes)[y] + rng.normal(size=(y.size, classes)), y


def visit(package: Path) -> Tour:
    """A fit that everything is compiled for."""
    from mcsvm import MultiClassSVC

    X, y = easy()
    model = MultiClassSVC(machine="ww", gamma=0.5)
    model.fit(X, y)
    tour = Tour(str(package))
    sys.setprofile(tour)
    try:
        model.fit(X, y)
    finally:
        sys.setprofile(None)
    return tour


def visited(package: Path) -> list[Line]:
    tour = visit(package)
    crossings, count = tour.calls + tour.returns, str(len(tour.files))
    again = len(tour.ways) - len(tour.files) + 1
    return [
        Line('files visited by MultiClassSVC(machine="ww").fit, easy', count, "<= 18", tuple(tour.files)),
        Line("hops between them: different ways from file to file", f"{len(tour.ways)}, {again} back", "<= 45"),
        Line("crossings in all", f"{crossings}, {tour.returns} by return"),
    ]


def explained() -> Line:
    """Whether a run that went over to the interior point says so itself."""
    question = "files to open to learn why auto chose ipm"
    try:
        reasons = reasons_of_interior()
    except ImportError:
        return Line(question, "no run records it", "1")
    return Line(question, "1" if reasons else "no run records it", "1", tuple(reasons))


def reasons_of_interior() -> list[str]:
    from dataclasses import replace

    from mcsvm import Limits, Run, pose
    from mcsvm.solvers.budget import BUDGET, Phase
    from mcsvm.solvers.kernels import KERNELS
    from mcsvm.solvers.methods.auto.conductor import Auto

    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 4
    phases = frozenset({Phase.BLOCKS, Phase.INTERIOR, Phase.FINISHING})
    problem = pose(X, y, machine="ww", kernel=KERNELS["rbf"](gamma=0.7), cost=30.0)
    free = replace(BUDGET, decide_first=1, phases=phases, operation_price=0.0, variable_price=0.0, entry_price=0.0)
    run = Run(problem, Auto(free), Limits(1e-6))
    while run.running:
        run.advance()
    return [f"run.decisions: {one.reason}" for one in run.decisions if one.phase == Phase.INTERIOR.value]


# -- the table -------------------------------------------------------------------------------------


def measured(tree: Path) -> list[Line]:
    package = tree / "solvers"
    return [*visited(package), explained(), *static(parsed(package))]


def counted_elsewhere(tree: Path) -> list[Line]:
    """In a process of its own, as two packages of one name do not go into one."""
    command = [sys.executable, __file__, str(tree), "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [Line(**plain) for plain in json.loads(found)]


def show(lines: list[Line], before: list[Line] | None = None) -> None:
    earlier = {line.question: line.now for line in before or ()}
    table = [("question", "before", "now", "goal")]
    table += [(line.question, earlier.get(line.question, ""), line.now, line.goal) for line in lines]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    shown = [column for column in range(len(wide)) if before or column != 1]
    for row in table:
        print(" | ".join(f"{row[column]:{wide[column]}}" for column in shown).rstrip())
        if row is table[0]:
            print("-|-".join("-" * wide[column] for column in shown))
    for line in lines:
        if line.where:
            print(f"\n{line.question}:", *line.where, sep="\n    ")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Count files, hops and constants of solvers.")
    parser.add_argument("tree", nargs="?", type=Path, default=HERE)
    parser.add_argument("--before", type=Path, help="a checkout for the column beside")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    given = parser.parse_args(arguments)
    tree = given.tree.resolve()
    sys.path.insert(0, str(tree / "packaging" / "python"))
    from mcsvm import solvers

    assert Path(solvers.__file__ or "").is_relative_to(tree), f"{solvers.__file__} is not of {tree}"
    lines = measured(tree)
    if given.json:
        print(json.dumps([asdict(line) for line in lines]))
    else:
        show(lines, counted_elsewhere(given.before) if given.before else None)


if __name__ == "__main__":
    main(sys.argv[1:])
