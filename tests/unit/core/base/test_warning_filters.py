"""The warning filters belong to the process: whoever changes them changes them for trainings that run beside."""

from __future__ import annotations

import ast
import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import mcsvm_gui
from mcsvm import solvers
from mcsvm_gui.core.base import library_warnings
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.readers.formats import libsvm
from mcsvm_gui.core.evaluate.scores import evaluate

PACKAGES = [Path(package.__file__).parent for package in (mcsvm_gui, solvers)]
CHANGES = "catch_warnings", "simplefilter", "filterwarnings", "resetwarnings"
PLANTED = """
import warnings as w
from warnings import simplefilter
def read():
    with w.catch_warnings():
        pass
"""


def changes(source: str) -> list[str]:
    """Names of what changes filters, wherever they stand in a module."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [node.attr for node in nodes if isinstance(node, ast.Attribute)]
    names += [name.name for node in nodes if isinstance(node, ast.ImportFrom) for name in node.names]
    return [name for name in names if name in CHANGES]


@pytest.mark.slow
def test_no_module_of_the_application_changes_filters() -> None:
    sources = {path: path.read_text("utf-8") for package in PACKAGES for path in package.rglob("*.py")}
    assert len(sources) > 100
    assert {str(path): found for path, source in sources.items() if (found := changes(source))} == {}
    assert sorted(changes(PLANTED)) == ["catch_warnings", "simplefilter"]


Unchanged = Callable[[Callable[[], object]], None]


@pytest.fixture
def unchanged(monkeypatch: pytest.MonkeyPatch) -> Unchanged:
    """Calls a function twice: the second time, with all its imports done, it must not even ask for other filters.

    Tests turn warnings into errors, so it must not warn either.
    """

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("the warning filters of the process are changed")

    def twice(function: Callable[[], object]) -> None:
        function()
        with monkeypatch.context() as patch:
            for name in CHANGES:
                patch.setattr(warnings, name, refuse)
            function()

    return twice


@pytest.mark.parametrize("value", [b"1e", b"x", b"1.2.3", b"1_0", b"0x1", b"--1", "\u00e9".encode(), b"\xc2\xa01"])
def test_a_value_that_is_no_number_of_a_libsvm_file(unchanged: Unchanged, value: bytes) -> None:
    def read() -> None:
        with pytest.raises(libsvm._TooOddError):
            libsvm.parse(b"1 1:0.5 2:" + value + b"\n2 1:3\n")

    unchanged(read)


@pytest.mark.slow
def test_a_long_libsvm_file_is_parsed_piece_by_piece(unchanged: Unchanged) -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.standard_normal(2 * libsvm._PIECE + 3), [5e-324, 1.7976931348623157e308, -0.0]])
    lines = [f"{i % 2} 1:{first!r} 7:{second!r}" for i, (first, second) in enumerate(values.reshape(-1, 2).tolist())]
    parsed = libsvm.parse("\n".join(lines).encode())
    np.testing.assert_array_equal(parsed.values, values)
    unchanged(lambda: libsvm.parse(b"1 1:2\n"))


def workbook_without_default_style() -> bytes:
    """openpyxl warns of such a file, which other programs write."""
    buffer, whole = io.BytesIO(), io.BytesIO()
    with pd.ExcelWriter(whole, engine="openpyxl") as writer:
        pd.DataFrame({"x": [1.5, 2.0], "label": ["a", "b"]}).to_excel(writer, index=False)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "xl/styles.xml":
                start, end = content.index(b"<cellStyles"), content.index(b"</cellStyles>") + len(b"</cellStyles>")
                content = content[:start] + content[end:]
            new.writestr(name, content)
    return buffer.getvalue()


def test_a_workbook_that_its_library_warns_of(tmp_path: Path) -> None:
    """pandas changes filters itself where it reads one."""
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "plain.xlsx"
    path.write_bytes(workbook_without_default_style())
    assert open_dataset(path).labels.tolist() == ["a", "b"]
    with pytest.raises(UserWarning, match="no default style"):  # the file is one that openpyxl warns of
        read_with_warnings(openpyxl, path)


def read_with_warnings(openpyxl: Any, path: Path) -> None:
    dropped = openpyxl.styles.stylesheet.warn
    openpyxl.styles.stylesheet.warn = warnings.warn
    try:
        openpyxl.load_workbook(path, read_only=True)
    finally:
        openpyxl.styles.stylesheet.warn = dropped


def test_scores_that_are_undefined(unchanged: Unchanged) -> None:
    """No row of class z, and a class that is never predicted."""
    unchanged(lambda: evaluate(["a", "a", "b"], ["a", "z", "a"], ["a", "b", "z"]))
    scores = evaluate(["a", "a", "b"], ["a", "z", "a"], ["a", "b", "z"])
    assert scores.balanced_accuracy == pytest.approx(0.25)
    assert [score.precision for score in scores.per_class] == [0.5, 0.0, 0.0]
    unchanged(lambda: evaluate(["a", "a"], ["a", "a"], ["a", "b"]))


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true, predicted = rng.integers(0, 4, 50), rng.integers(0, 5, 50)
    names = [str(number) for number in range(6)]  # 4 is only predicted, 5 is nowhere
    scores = evaluate([names[i] for i in true], [names[i] for i in predicted], names)
    assert scores.kappa == pytest.approx(metrics.cohen_kappa_score(true, predicted, labels=np.arange(6)), rel=1e-12)
    assert scores.macro_f1 == pytest.approx(metrics.f1_score(true, predicted, average="macro", zero_division=0.0))
    recalls = metrics.recall_score(true, predicted, average=None, labels=np.arange(4))
    assert scores.balanced_accuracy == pytest.approx(recalls.mean())


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".html", ".pdf"])
def test_a_report_with_letters_that_no_font_has(unchanged: Unchanged, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    from mcsvm_gui.core.report import FORMATS
    from mcsvm_gui.core.report.blocks import Figure, Report
    from mcsvm_gui.core.report.plots import Bars

    name = "\u6f22\u5b57 \U00012345 \ue000"
    plot = Bars([name, "b"], ["ww", "cs"], [1.0, 2.0], ["1", "2"], name)
    report = Report(name, "today", (Figure(plot, name),), {})
    unchanged(lambda: FORMATS[suffix].content(report))
    assert b"Last Resort" not in FORMATS[".html"].content(report)


def test_a_cluster_of_other_versions() -> None:
    pytest.importorskip("distributed")
    from distributed import client
    from distributed.versions import VersionMismatchWarning

    library_warnings.drop_version_mismatches()
    library_warnings.drop_version_mismatches()
    client.warnings.warn(VersionMismatchWarning("Mismatched versions found"))
    with pytest.raises(UserWarning, match="other"):
        client.warnings.warn("something other")
    assert client.warnings.catch_warnings is warnings.catch_warnings
