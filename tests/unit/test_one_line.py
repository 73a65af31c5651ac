"""An entry of a table is one line: planted in a copy of the sources, it is found everywhere (tests/one_line)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from copies import copy_checkout, import_path

pytestmark = pytest.mark.slow

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
OPTION = "    seed: int = option("
WORDS = '{"mild": "Mild", "hot": "Hot"}'
MILD_OR_HOT = f'    spice: str = option("mild", Choice(titles={WORDS}), "Spice", "How hot it is", **READING)'
PLANTED = {  # by script: file, the line before which it is planted, the line
    "training_option": [
        (
            "mcsvm_gui/core/machine/request.py",
            OPTION,
            '    spice: float = option(1.5, POSITIVE, "Spice", "How hot it is", tune="more", **MORE)',
        )
    ],
    "reading_option": [
        (
            "mcsvm_gui/core/data/options.py",
            "    separator: str",
            MILD_OR_HOT,
        )
    ],
    "preparation_rule": [
        (
            "mcsvm_gui/core/data/options.py",
            "    unknown: str = option(",
            MILD_OR_HOT,
        )
    ],
    "kernel_parameter": [
        ("solvers/kernels/sigmoid.py", '    name: ClassVar[str] = "sigmoid"', "    spice: float = 1.5"),
        (
            "solvers/kernels/sigmoid.py",
            "    @property\n    def semidefinite",
            '    parameters: ClassVar[tuple[str, ...]] = ("gamma", "coef0", "spice")',
        ),
        ("mcsvm_gui/core/machine/names.py", "BIASES = {", 'PARAMETERS["sigmoid"] += ("spice",)'),
        (
            "mcsvm_gui/core/machine/request.py",
            OPTION,
            '    spice: float = option(1.5, POSITIVE, "Spice", of_kernel=True, tune="first", **FIRST)',
        ),
    ],
    "search_option": [
        (
            "mcsvm_gui/core/tune/options.py",
            "    jobs: int | None = option(",
            '    spice: float = option(1.5, Number(positive=True), "Spice", "How hot it is", **MORE)',
        )
    ],
    "setting": [
        (
            "mcsvm_gui/core/base/settings.py",
            '    Setting("confirm_close"',
            '    Setting("spice", int, 2, "Spice", "How hot it is.", "Work", highest=9),',
        )
    ],
    "measure": [
        (
            "mcsvm_gui/core/compare/measures.py",
            '        _result("kappa"',
            '        _result("spice", "Spice", _of("spice"), "{:.1f} chilies".format, 1),',
        )
    ],
    "machine": [
        (
            "solvers/machines/__init__.py",
            "__all__",
            'MACHINES["toy"] = replace(MACHINES["ww"], name="toy", title="Toy")',
        ),
        ("solvers/machines/__init__.py", "from mcsvm.solvers.machines import", "from dataclasses import replace"),
        (
            "mcsvm_gui/core/machine/names.py",
            '    "dag": Appearance(',
            '    "toy": Appearance("Toy", "#d55e00", (1, 1), "cross"),',
        ),
    ],
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    copy_checkout(folder)
    (folder / "resources").symlink_to(ROOT / "resources")
    return folder


@pytest.mark.parametrize("kind", PLANTED)
def test_one_line_is_found_everywhere(copy: Path, kind: str) -> None:
    before = {path: (copy / path).read_text("utf-8") for path, *_ in PLANTED[kind]}
    try:
        for path, place, line in PLANTED[kind]:
            text = (copy / path).read_text("utf-8")
            assert text.count(f"\n{place}") == 1, (path, place)
            (copy / path).write_text(text.replace(f"\n{place}", f"\n{line}\n{place}"), "utf-8")
        environment = {**os.environ, "PYTHONPATH": import_path(copy, TESTS), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-W", "error", TESTS / "one_line" / f"{kind}.py"]
        found = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=120)
        assert (found.returncode, found.stderr) == (0, ""), found.stderr[-3000:]
    finally:
        for path, text in before.items():
            (copy / path).write_text(text, "utf-8")
