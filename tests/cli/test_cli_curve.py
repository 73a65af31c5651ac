"""mcsvm curve: accuracies are those of the same rows by hand, and what they promise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command_line import ROOT, mcsvm

SEGMENT = ROOT / "resources" / "datasets" / "segment.csv"
HOW = "--C", 16, "--gamma", "2^-2"


@pytest.mark.slow
def test_the_document_is_that_of_the_contract_and_its_last_point_that_of_a_search() -> None:
    found = mcsvm("curve", SEGMENT, *HOW, "--folds", 4, "--json").document
    points = found["points"]
    assert [point["rows"] for point in points] == sorted(point["rows"] for point in points)
    assert len(points) == 5
    for point in points:
        assert {"rows", "accuracy", "std", "seconds"} <= point.keys()
        assert point["accuracy"] == pytest.approx(np.mean(point["fold_accuracy"]))
    cell = mcsvm("tune", SEGMENT, *HOW, "--folds", 4, "--json").document["cells"][0]
    assert points[-1]["fold_accuracy"] == cell["fold_accuracy"]
    projected = found["projected"]
    assert [at["rows"] for at in projected["at"]] == [2 * points[-1]["rows"], 4 * points[-1]["rows"]]
    for told in (*projected["at"], projected["limit"]):
        assert told["low"] <= told["high"] <= 1.0
        assert told["accuracy"] >= points[0]["accuracy"]
    assert projected["limit"]["accuracy"] >= projected["at"][-1]["accuracy"] >= projected["at"][0]["accuracy"]


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--machine", "ovo"), ("--kernel", "linear"), ("--split", "order")])
def test_it_is_told_in_words(words: tuple[str, ...]) -> None:
    answer = mcsvm("curve", SEGMENT, *words)
    assert answer.code == 0
    assert answer.out.count(" rows  ") == 7
    assert "2 times the rows are worth" in answer.out


def test_few_rows_are_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("x,label\n" + "".join(f"{row},{row % 2}\n" for row in range(12)), "utf-8")
    answer = mcsvm("curve", path)
    assert answer.code == 2
    assert "rows of a class" in answer.err
