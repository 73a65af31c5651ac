"""A row explained, in every format, where no name of the file is a word."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mcsvm_gui.core.base.writing import csv_text
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.explain.flips import flip_row
from mcsvm_gui.core.explain.looked_at import all_rows, looked_at, one_row
from mcsvm_gui.core.explain.overview import permuted
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train
from mcsvm_gui.core.report import write_report
from mcsvm_gui.core.report.blocks import Heading, Report
from mcsvm_gui.core.report.chapters import OF_EXPLANATION
from mcsvm_gui.core.report.of_explanation import report_of

COLUMNS = ("<script>x</script>", "\u05e9\u05dc\u05d5\u05dd", "two\nlines", "long " + "x" * 300)
CLASSES = ("<b>bold</b> & more", "\u202eturned", "\\input{x} $y$ _z_")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    rows = np.random.default_rng(0).normal(size=(90, 4)).round(2)
    codes = np.digitize(rows[:, :2].sum(axis=1), [-0.7, 0.7])
    path = tmp_path_factory.mktemp("hostile") / "hostile <i>.csv"
    lines = [(*map(str, row), CLASSES[code]) for row, code in zip(rows.tolist(), codes.tolist(), strict=True)]
    path.write_text(csv_text((*COLUMNS, "label"), lines), "utf-8")
    return open_dataset(str(path), ReadOptions(label="label"))


def report(dataset: Dataset, kernel: str) -> Report:
    trained = train(Request(kernel=kernel, gamma=0.1, C=2.0, data=dataset.name), dataset).trained
    of = looked_at(1, "ww <b>", trained, dataset, dataset)
    found = one_row([of], 4)
    assert found is not None
    return report_of(of, found, flip_row(trained, dataset, of.data, 4), all_rows(of), permuted(trained, dataset))


@pytest.mark.parametrize("kernel", ["rbf", pytest.param("sigmoid", marks=pytest.mark.slow)])
def test_names_are_neither_markup_nor_marks(dataset: Dataset, kernel: str, tmp_path: Path) -> None:
    made = report(dataset, kernel)
    for suffix in ("html", "md", "tex", "pdf", "json"):
        write_report(tmp_path / f"explained.{suffix}", made)
    html, markdown, latex = ((tmp_path / f"explained.{one}").read_text("utf-8") for one in ("html", "md", "tex"))
    assert ("They are sampled; standard errors: up to" in html) == (kernel == "sigmoid")
    assert ("They are exact." in html) == (kernel == "rbf")
    assert "<script>" not in html + markdown
    assert "\\input{x}" not in latex
    alone = re.sub(r"<bdi[^>]*>[^<]*</bdi>|<title>[^<]*</title>", "", html)
    assert not set("\u202e") & set(alone + markdown + latex), "outside of an isolated name it would turn what follows"
    assert (tmp_path / "explained.pdf").read_bytes().startswith(b"%PDF")
    told = json.loads((tmp_path / "explained.json").read_text("utf-8"))
    assert ("standard_errors" in json.dumps(told)) == (kernel == "sigmoid")


def test_the_chapters_are_chosen(dataset: Dataset) -> None:
    trained = train(Request(gamma=0.1, C=2.0, data=dataset.name), dataset).trained
    of = looked_at(1, "ww", trained, dataset, dataset)
    found = one_row([of], 4)
    assert found is not None
    given = of, found, flip_row(trained, dataset, of.data, 4), all_rows(of), permuted(trained, dataset)

    def headings(chapters: Sequence[str]) -> list[str]:
        return [block.text for block in report_of(*given, chapters).blocks if isinstance(block, Heading)]

    whole, least = headings(OF_EXPLANATION), headings(())
    for name in OF_EXPLANATION:
        left_out = headings([one for one in OF_EXPLANATION if one != name])
        assert [one for one in whole if one in left_out] == left_out
        assert len(left_out) < len(whole), name
        assert set(headings([name])) > set(least), name
