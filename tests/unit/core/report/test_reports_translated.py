"""No English is left in a report that the window writes, in any other language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from pseudo_language import PseudoLanguage, english
from report_makers import written_project

from mcsvm.solvers.budget import Phase
from mcsvm.solvers.decision import SMALL_PHASE
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.problem import BIASES
from mcsvm_gui.core.base import i18n, resources
from mcsvm_gui.core.base.i18n import as_sentence, translation
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import versions
from mcsvm_gui.core.report import of_project, of_search, shared
from mcsvm_gui.core.report.blocks import Code, Figure, Heading, Paragraph, Properties, Report, Table
from mcsvm_gui.core.report.formats import html
from mcsvm_gui.core.report.of_project import read_project
from mcsvm_gui.core.tune.document import document
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.core.tune.search import Tuning

DATA = resources.dataset("iris")
WORDS = re.compile("[A-Za-z]+")
# Data and the path of its file, what options are given, libraries and processors: the same in every language.
NAMES = {*WORDS.findall(" ".join([*MACHINES, *METHODS, *KERNELS, *BIASES, str(DATA), DATA.read_text("utf-8")]))}
NAMES |= {name for kind in (Request, ReadOptions, Rules) for field in fields(kind) for name in field.name.split("_")}
NAMES |= {"read", "rules", "digest", "True", "False", "csv", "Dogan", "et", "al"}
NAMES |= {phase.value for phase in Phase} | {SMALL_PHASE}  # methods of auto, as solver_used names them
NAMES |= {library for library, _ in versions()} | {"python", "scikit", "learn"}
NAMES |= {"scale", "minmax", "reject", "zeros", "Holm", "grid", "done", "ms", "kB", "JSON", "SHA"}


@pytest.fixture(autouse=True)
def pseudo_language() -> Iterator[None]:
    i18n.install(PseudoLanguage())
    yield
    i18n.install()


def texts(report: Report) -> Iterator[str]:
    yield report.title
    for block in report.blocks:
        if isinstance(block, Heading | Paragraph):
            yield block.text
        elif isinstance(block, Properties):
            yield from (name for name, _ in block.rows)
        elif isinstance(block, Table):
            yield from (block.caption, *block.columns, *(cell for row in block.rows for cell in row))
        elif isinstance(block, Figure):
            yield block.caption
        else:
            assert isinstance(block, Code)


def left(report: Report) -> list[str]:
    said = [text for text in texts(report) if not text.startswith(i18n.tr("Trained with {used}.", used="")[:7])]
    return sorted({text for text in said if english(text, NAMES)})


def test_the_report_of_a_project_is_translated(tmp_path: Path) -> None:
    requests = [Request(machine, data=str(DATA), gamma=1.0, holdout=0.3) for machine in ("ww", "ovo")]
    written_project(tmp_path / "some.mcsvmproj", requests, ["iris", "iris ovo"])
    assert left(of_project.report_of("iris", read_project(tmp_path / "some.mcsvmproj"))) == []


def test_what_is_missing_is_said_in_the_language_too(tmp_path: Path) -> None:
    moved = tmp_path / "moved.csv"
    moved.write_bytes(DATA.read_bytes())
    written_project(tmp_path / "some.mcsvmproj", [Request(data=str(moved), gamma=1.0)], ["iris"])
    moved.unlink()
    report = of_project.report_of("iris", read_project(tmp_path / "some.mcsvmproj"))
    known = {*WORDS.findall(str(tmp_path)), "moved", "csv"}
    assert [text for text in left(report) if english(text, NAMES | known)] == []


def test_the_report_of_a_search_is_translated() -> None:
    from mcsvm.solvers.selection.grid import Range

    wanted = TuneRequest(("ww", "ovo"), Range(0.0, 2.0, 2.0), Range(-2.0, 0.0, 2.0), folds=2)
    tuned = Tuning(Request(data=str(DATA), tol=0.01), wanted, open_dataset(str(DATA))).run()
    report = of_search.report_of(document(tuned), tuned.tuning.dataset, "mcsvm tune")
    assert left(report) == []
    assert '<html lang="en">' in html.text_of(Report("", "", (), {}))


def test_the_preprocessing_is_told_in_the_words_of_the_language() -> None:
    """A German report ended with “fehlende zellen: mean; …: zeros”: nouns in small letters, values of options."""
    i18n.install(translation.translations("de"))
    said = as_sentence(shared.preparation_text(Request(rules=Rules(missing="mean", unknown="reject"))))
    assert "Trainingszeilen" in said
    assert "mean" not in WORDS.findall(said)
