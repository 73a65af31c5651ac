"""The first two pages of a report: the answer, its numbers, and how it was made; then the chapters that were chosen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report_makers import written_project

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.refit import refit_request
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Outcome, train
from mcsvm_gui.core.report import FORMATS
from mcsvm_gui.core.report.blocks import Heading, Paragraph, Properties, Report, Table
from mcsvm_gui.core.report.chapters import CHAPTERS, USUAL, read_chapters
from mcsvm_gui.core.report.of_project import read_known, read_project, report_of
from mcsvm_gui.core.report.summary_pages import Known

pytest.importorskip("matplotlib")
WINE = str(example("wine"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Outcome]]:
    path = tmp_path_factory.mktemp("pages") / "wines.mcsvmproj"
    requests = [Request(machine=name, gamma=0.01, holdout=0.4, data=WINE) for name in ("ww", "ovo")]
    rows = open_dataset(WINE)
    final = refit_request(train(requests[0], rows), rows)
    return path, written_project(path, [*requests, final], ["ww 1", "ovo 2", "ww 1 final"])


@pytest.fixture(scope="module")
def report(made: tuple[Path, list[Outcome]]) -> Report:
    return report_of("wines", read_project(made[0]), known=read_known(made[0]))


def headings(report: Report) -> list[str]:
    return [block.text for block in report.blocks if isinstance(block, Heading) and block.level == 2]


def words(report: Report) -> str:
    return " ".join(block.text for block in report.blocks if isinstance(block, Paragraph))


def test_the_answer_comes_first_with_its_numbers(report: Report, made: tuple[Path, list[Outcome]]) -> None:
    assert headings(report)[:3] == ["Result", "What drives the model", "How it was made"]
    best = max(made[1][:2], key=lambda outcome: outcome.document["test_accuracy"]).document
    share = best["test_accuracy"]
    assert f"{100 * share:.1f}% test accuracy (95% CI" in words(report) or share == 1.0
    numbers = next(block for block in report.blocks if isinstance(block, Table))
    assert numbers.rows[0][0] == "Accuracy"
    assert numbers.rows[0][1] == ("100%" if share == 1.0 else f"{100 * share:.1f}%")
    labels = pd.read_csv(WINE).iloc[:, -1] if "label" not in pd.read_csv(WINE) else pd.read_csv(WINE)["label"]
    assert f"has {len(labels)} rows, 13 features and {labels.nunique()} classes" in words(report)
    assert f"{best['n_test']} rows (40%) were held out for the test (seed 0)" in words(report)
    assert "The delivered model is trained on all 178 rows and was not tested itself." in words(report)
    assert report.document["answer"]["quality"] == "good"


def test_what_drives_the_model_is_its_permutation_importance(report: Report) -> None:
    table = next(
        block for block in report.blocks if isinstance(block, Table) and block.columns[:2] == ("column", "points")
    )
    losses = [float(row[1]) for row in table.rows]
    assert losses == sorted(losses, reverse=True)
    assert len(table.rows) == 8
    assert "5 other columns follow" in table.caption, "wine has 13 columns"


def test_no_line_says_that_something_was_not_said(made: tuple[Path, list[Outcome]]) -> None:
    report = report_of("wines", read_project(made[0]), chapters=CHAPTERS)
    values = [row for block in report.blocks if isinstance(block, Properties) for row in block.rows]
    assert not [row for row in values if row[1] in ("not said", "", "None")]
    assert any(row[0] == "C" for row in values)


@pytest.mark.parametrize("chapters", [(), ("runs",), USUAL, CHAPTERS])
def test_only_the_chosen_chapters_follow(made: tuple[Path, list[Outcome]], chapters: tuple[str, ...]) -> None:
    report = report_of("wines", read_project(made[0]), chapters=chapters)
    said = headings(report)
    wanted = {"data": "Data: wine.csv", "runs": "All runs", "software": "This report was made with"}
    assert {name for name, text in wanted.items() if text in said} == set(wanted) & set(chapters)
    assert ("Settings of ww 1 (run 1)" in said) == ("settings" in chapters)
    assert len(report.document["runs"]) == 3, "JSON holds everything"


def test_the_first_pages_are_at_most_two(made: tuple[Path, list[Outcome]]) -> None:
    report = report_of("wines", read_project(made[0]), known=read_known(made[0]), chapters=())
    content = FORMATS[".pdf"].content(report)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", content)) <= 2
    for suffix, format_ in FORMATS.items():
        text = format_.content(report)
        assert suffix in (".pdf", ".json") or b"test accuracy" in text


def test_chapters_are_read_in_their_order_and_unknown_ones_refused() -> None:
    assert read_chapters("runs, data") == ("data", "runs")
    assert (read_chapters("none"), read_chapters("all")) == ((), CHAPTERS)
    with pytest.raises(InputError, match="no chapter 'summary'"):
        read_chapters("summary")


def test_a_project_may_hold_anything(made: tuple[Path, list[Outcome]]) -> None:
    for chosen in (None, 3, {"1": {"mean": "x"}}, {"1": {"mean": 0.9, "chosen": True, "share": "y", "measure": 4}}):
        known = Known(chosen, {"1": [{"name": 3}]})
        assert headings(report_of("x", read_project(made[0]), known=known, chapters=()))[0] == "Result"
    assert np.isfinite(report_of("x", read_project(made[0])).document["answer"]["run"])
