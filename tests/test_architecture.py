"""The house stands as its plan says."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from copies import SOURCES, copy_checkout, import_path

ROOT = Path(__file__).resolve().parent.parent
CHECK = "from importlinter.cli import lint_imports_command as check; check(['--no-cache'])"

VIOLATIONS = {
    "solvers/__init__.py": "import pandas",
    "solvers/machines/__init__.py": "import mcsvm.solvers.kernels",
    "mcsvm_gui/core/base/resources.py": "import PySide6.QtCore",
    "mcsvm_gui/cli/__init__.py": "import mcsvm_gui.app",
    "mcsvm_gui/cli/arguments.py": "import PySide6.QtCore",
    "mcsvm_gui/cli/progress.py": "import mcsvm_gui.ui",
    "mcsvm_gui/core/base/i18n/__init__.py": "import mcsvm_gui.core.data.dataset",
    "mcsvm_gui/core/compare/tested_runs.py": "import mcsvm_gui.core.tune.heat",
    "mcsvm_gui/core/experiment/plan.py": "import mcsvm_gui.core.report",
    "mcsvm_gui/ui/threads/__init__.py": "import mcsvm_gui.pages",
    "mcsvm_gui/ui/kit/theme.py": "import mcsvm_gui.ui.plots.base",
    "mcsvm_gui/ui/runs/collection.py": "import mcsvm_gui.ui.train.page",
    "mcsvm_gui/ui/train/page.py": "import mcsvm_gui.ui.data.page",
}


def python(code: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": import_path(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def complaint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the contracts, about a copy of the sources with all violations planted as the last line of their files."""
    copy = tmp_path_factory.mktemp("house")
    copy_checkout(copy, "pyproject.toml")
    for place, line in VIOLATIONS.items():
        with (copy / place).open("a", encoding="utf-8") as source:
            source.write(f"{line}\n")
    result = python(CHECK, copy)
    assert result.returncode == 1
    return result.stdout


def test_imports_point_one_way() -> None:
    result = python(CHECK)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("place", VIOLATIONS)
def test_a_planted_violation_is_caught(complaint: str, place: str) -> None:
    """By its own line, so that none hides behind another."""
    importer = place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    importer = f"mcsvm.{importer}" if importer.startswith("solvers") else importer
    imported = VIOLATIONS[place].removeprefix("import ").replace("PySide6.QtCore", "PySide6")
    line = 1 + len((ROOT / place).read_text("utf-8").splitlines())
    assert re.search(rf"{re.escape(f'{importer} -> {imported}')} \(.*\bl\.{line}\b", complaint), complaint


def test_the_command_line_loads_neither_qt_nor_numbers_before_it_needs_them() -> None:
    heavy = "PySide6", "pyqtgraph", "pandas", "sklearn", "numba"
    result = python(f"import sys, mcsvm_gui.cli; print([name for name in {heavy} if name in sys.modules])")
    assert (result.returncode, result.stdout.strip()) == (0, "[]")


@pytest.mark.slow
def test_the_first_look_loads_no_qt() -> None:
    result = python("import sys, mcsvm_gui.core.compare.first_look; print('PySide6' in sys.modules)")
    assert (result.returncode, result.stdout.strip()) == (0, "False")


def mapped(folder: str) -> list[str]:
    """What the map in a README names at the start of its lines."""
    block = (ROOT / folder / "README.md").read_text("utf-8").split("## Map")[1].split("```")[1]
    return [f"{folder}/{line.split()[0]}" for line in block.strip().splitlines()]


@pytest.mark.parametrize("path", [*mapped("."), *mapped("packaging")])
def test_what_a_map_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@dataclass(frozen=True)
class Definition:
    place: str
    name: str
    lines: int | None  # of a function without its docstring; None of a class


@cache
def definitions(folder: str) -> tuple[Definition, ...]:
    """What is kept of the trees: all of them take a gigabyte, and every collection of garbage looks through them."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return tuple(one for path in paths for one in defined(path, ast.parse(path.read_text("utf-8"))))


def defined(path: Path, tree: ast.AST) -> Iterator[Definition]:
    """Also inside others. Expressions, which are most of a tree, define nothing."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            lines = None if isinstance(node, ast.ClassDef) else lines_of(node)
            yield Definition(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", node.name, lines)
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from defined(path, node)


LONGEST = 60  # lines of a function without its docstring


@pytest.mark.parametrize("folder", ["solvers", "mcsvm_gui", "tests", "packaging"])
def test_no_function_is_long(folder: str) -> None:
    assert [one.place for one in definitions(folder) if (one.lines or 0) > LONGEST] == []


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    documented = ast.get_docstring(function) is not None
    description = function.body[0].end_lineno - function.body[0].lineno + 1 if documented else 0
    return function.end_lineno - function.lineno + 1 - description


DOCUMENTS = "README.md", "CONTRIBUTING.md", "packaging/README.md", "solvers/README.md", "mcsvm_gui/README.md"
NOTES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "solvers" / "notes").glob("*.md"))
PLACE = re.compile(r"`([\w./-]+\.(?:py|md|toml|cff|yaml|po|spec|txt))`")


@pytest.mark.parametrize("document", [*DOCUMENTS, *NOTES])
def test_every_file_that_a_document_names_is_there(document: str) -> None:
    """From the root, or anywhere in the folders that the document is about."""
    home = ROOT / "solvers" if document in NOTES else (ROOT / document).parent
    folders = [home] if home != ROOT else [ROOT / name for name in ("solvers", "mcsvm_gui", "tests", "packaging")]
    there = [path.as_posix() for folder in folders for path in folder.rglob("*.*")]
    named = [
        name for name in PLACE.findall((ROOT / document).read_text("utf-8")) if not re.search("NAME|LANGUAGE", name)
    ]
    assert len(named) > 3 or document in NOTES
    lost = [name for name in named if not any(path.endswith(f"/{name}") for path in there)]
    assert [name for name in lost if not (ROOT / name).exists()] == []


def test_every_invariant_of_the_solvers_names_tests_that_exist() -> None:
    text = (ROOT / "solvers" / "README.md").read_text("utf-8")
    rows = text.split("## Invariants")[1].split("\n## ")[0].strip().splitlines()[2:]
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text("utf-8"), row


def test_the_readme_is_a_page() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text) <= 14_000
    assert text.count("\n") <= 200


def test_folders_that_are_no_packages_stay_so() -> None:
    """packaging/__init__.py would shadow PyPI's `packaging`."""
    found = [path for folder in ("packaging", "resources") for path in (ROOT / folder).rglob("__init__.py")]
    assert found == [ROOT / "packaging" / "python" / "mcsvm" / "__init__.py"]


def test_the_version_is_written_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    sources = [path for package in SOURCES for path in (ROOT / package).rglob("*.py")]
    assert [path for path in sources if f'"{project["version"]}"' in path.read_text("utf-8")] == []


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="True is immortal from Python 3.12 on")
def test_emitting_a_signal_keeps_the_references_to_true() -> None:
    """PySide6 6.12 drops one at every emit and aborts the process after some hundred."""
    result = python(
        "import sys\n"
        "from PySide6.QtCore import QObject, Signal\n"
        "class Source(QObject):\n"
        "    fired = Signal(bool)\n"
        "source = Source()\n"
        "before = sys.getrefcount(True)\n"
        "for _ in range(200): source.fired.emit(True)\n"
        "print(sys.getrefcount(True) - before)\n"
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > -100


def test_no_two_test_files_have_one_name() -> None:
    """pytest imports them by their names alone."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
