"""No English is left in what is said about a file, in any other language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pseudo_language import PseudoLanguage, english

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.check.advice import look
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.data.options import MISSING, SCALES, Rules
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.data.readers.header import LABEL_NAMES
from mcsvm_gui.core.data.survey import summary, survey

FILES = sorted((Path(__file__).parents[3] / "nasty" / "files").iterdir())
# Of libraries, of Python and of what options are given: names.
NAMES = {"utf", "csv", "gzip", "zip", "mean", "most", "frequent", "True", "False", "nan", "inf", *LABEL_NAMES}


@pytest.fixture(autouse=True)
def pseudo_language() -> Iterator[None]:
    i18n.install(PseudoLanguage())
    yield
    i18n.install()


def held(path: Path) -> set[str]:
    """Every word that is in a file, or in its path: it may be quoted."""
    text = path.read_bytes().decode("latin-1") + path.read_bytes().decode("utf-16", "replace") + str(path)
    return set(re.findall("[A-Za-z]{2,}", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_said_about_a_file_is_translated_as_a_whole(path: Path) -> None:
    try:
        found = open_dataset(path)
    except InputError as error:
        said = [worded(error.brief)]
    else:
        said = [summary(survey(found)), *(worded(notice.sentence) for notice in found.notices)]
        for scale in SCALES:
            for missing in MISSING:
                said += _advice(found, Rules(scale=scale, missing=missing))
    assert [(sentence, left) for sentence in said if (left := english(sentence, held(path) | NAMES))] == []


def _advice(found: object, rules: Rules) -> list[str]:
    try:
        every = look(CheckedPlan(found, rules=rules)).advice  # type: ignore[arg-type]
    except InputError as error:
        return [worded(error.brief)]
    return [text for one in every for text in (one.sentence, *(action.text for action in one.actions))]
