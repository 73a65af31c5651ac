"""Advice: everything the readers and the preparation say reaches the user, with ways out that work."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.check.advice import Advice, look
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.data.dataset import Dataset, Notice
from mcsvm_gui.core.data.preparation import MISSING, SCALES, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.remedies import Remedy, remedies
from mcsvm_gui.core.data.roles.arrangement import ROWS
from mcsvm_gui.core.data.survey import summary, survey


def opened(folder: Path, text: str) -> Dataset:
    path = folder / "made.csv"
    path.write_text(text)
    return open_dataset(path)


@pytest.fixture
def gaps(tmp_path: Path) -> Dataset:
    rows = [f"{i if i % 7 else ''},{1000 * i % 37},{['red', 'blue', ''][i % 3]},1,{'ab'[i % 2]}" for i in range(1, 60)]
    return opened(tmp_path, "x,z,colour,same,class\n" + "\n".join(rows) + "\n")


def advise(data: Dataset, rules: Rules) -> tuple[Advice, ...]:
    return look(CheckedPlan(data, rules=rules)).advice


def actions(advice: tuple[Advice, ...]) -> set[tuple[str, str | None]]:
    return {(action.option, action.value) for one in advice for action in one.actions}


def test_following_the_advice_ends_the_need_for_it(gaps: Dataset) -> None:
    for option, value in actions(advise(gaps, Rules(scale="none"))):
        assert value is not None
        followed = advise(gaps, replace(Rules(scale="none"), **{option: value}))
        assert not {(o, v) for o, v in actions(followed) if o == option}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("missing", MISSING)
def test_advice_is_sentences_whatever_the_rules(gaps: Dataset, scale: str, missing: str) -> None:
    said = advise(gaps, Rules(scale=scale, missing=missing))
    assert all(not one.sentence[0].islower() and one.sentence.endswith((".", "?")) for one in said)
    assert not any("--" in one.sentence for one in said)
    assert len({one.sentence for one in said}) == len(said)
    assert sum("same" in one.text.replace("say the same", "") for one in said) == 1, "a column is spoken of once"
    assert (("missing", "mean") in actions(said)) == (missing == "reject")
    assert (("scale", "minmax") in actions(said)) == (scale == "none")


def test_the_worst_stands_first_and_of_equals_what_can_be_acted_on(gaps: Dataset) -> None:
    ranks = [(one.severity.rank, not one.actions) for one in advise(gaps, Rules(scale="none"))]
    assert ranks == sorted(ranks)


def test_no_notice_of_a_reader_is_lost(gaps: Dataset) -> None:
    noted = replace(gaps, notices=tuple(Notice(f"code-{n}", Sentence("remark number {n}", n=n)) for n in range(30)))
    said = " ".join(one.sentence for one in advise(noted, Rules()))
    assert all(f"Remark number {n}." in said for n in range(30))


def test_repeated_and_contradicting_rows_are_counted(tmp_path: Path) -> None:
    data = opened(
        tmp_path, "x,z,class\n" + "1,2,a\n1,2,a\n1,2,b\n" + "".join(f"{i},3,{'ab'[i % 2]}\n" for i in range(9))
    )
    said = [one.sentence.partition(" To do:")[0] for one in advise(data, Rules())]
    assert "1 row occurs again." in said
    assert "3 rows are there again with another class: not all can be right." in said
    assert {(ROWS, "repeated"), (ROWS, "contradictions")} <= actions(advise(data, Rules()))


def test_a_guess_that_is_doubtful_leads_to_its_control(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    path.write_bytes("größe,class\n1,a\n2,b\n3,a\n".encode("cp1252"))
    said = advise(open_dataset(path), Rules())
    assert ("encoding", None) in actions(said)


def test_options_of_the_command_line_are_controls_of_the_window() -> None:
    sentence = Sentence(
        "no column is called y; {label}, or {drop}", label=Remedy("label", verb="say"), drop=Remedy("missing", "drop")
    )
    assert sentence == "no column is called y; say --label, or --missing drop"
    assert worded(sentence) == "no column is called y; use “Label column”, or “Leave rows out”"
    assert [(one.option, one.value) for one in remedies(pickle.loads(pickle.dumps(sentence)))] == [
        ("label", None),
        ("missing", "drop"),
    ]
    assert [worded(one.invitation) for one in remedies(sentence)] == ["Change “Label column”", "Leave rows out"]


def test_the_summary_counts_what_is_there(gaps: Dataset) -> None:
    found = survey(gaps)
    assert (found.rows, found.features, found.categories) == (59, 4, 1)
    assert dict(zip(found.classes, found.counts, strict=True)) == {"a": 29, "b": 30}
    blanks = sum(i % 7 == 0 for i in range(1, 60)) + sum(i % 3 == 2 for i in range(1, 60))
    assert found.missing == blanks
    line = summary(found)
    expected = "59 rows", "4 features: 3 numeric, 1 text", "2 classes", f"{blanks} missing cells", gaps.digest[:8]
    assert all(words in line for words in expected)
