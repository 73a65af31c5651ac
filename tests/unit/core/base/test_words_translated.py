"""Sentences in the user's language, with their values in place."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from gettext import NullTranslations

import pytest

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.errors import FileError, NoLabelError
from mcsvm_gui.core.base.i18n import tr, worded


class Translator(NullTranslations):
    def __init__(self, say: Callable[[str], str]) -> None:
        super().__init__()
        self.say = say

    def gettext(self, message: str) -> str:
        return self.say(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.say(msgid1 if n == 1 else msgid2)


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    i18n.install()


def test_english_stays_where_nothing_is_installed() -> None:
    assert tr("{count} rows in {name}", count=3, name="iris") == "3 rows in iris"


def test_braces_without_values_stay() -> None:
    assert tr("a {set}") == "a {set}"
    assert Sentence("a {set}") == "a {set}"


def test_values_are_filled_after_translation() -> None:
    i18n.install(Translator({"{count} rows": "{count} Zeilen"}.__getitem__))
    assert tr("{count} rows", count=3) == "3 Zeilen"


@pytest.mark.parametrize("broken", ["{cuont} Zeilen", "{count Zeilen", "{0} Zeilen", "{count:d} Zeilen"])
def test_a_broken_translation_costs_no_sentence(broken: str) -> None:
    i18n.install(Translator(lambda text: broken))
    assert tr("{count} rows", count="three") == "three rows"


def test_values_are_not_translated_again() -> None:
    i18n.install(Translator(lambda text: text.upper().replace("{NAME}", "{name}")))
    assert tr("hello {name}", name="{name}") == "HELLO {name}"


def test_what_is_counted_has_its_plural_and_is_written_in_groups() -> None:
    said = [tr("{count} row", "{count} rows", count=count) for count in (0, 1, 2, 12_345)]
    assert said == ["0 rows", "1 row", "2 rows", "12\u202f345 rows"]


# -- sentences as values --------------------------------------------------------------------------


def nested() -> InputError:
    return FileError(
        "a.csv", "{rows} too {how}", line=7, rows=Sentence("{count} row", "{count} rows", count=2), how="much"
    )


def test_a_sentence_is_its_english_text() -> None:
    assert str(nested()) == "a.csv:7: 2 rows too much"
    assert str(InputError("{error}, once more", error=nested())) == "a.csv:7: 2 rows too much, once more"
    assert InputError("C must be {value!r}", value="x").args == ("C must be 'x'",)


def test_a_sentence_is_translated_with_all_that_it_contains() -> None:
    german = {
        "{rows} too {how}": "{how}: zu viele {rows}",
        "{count} rows": "{count} Zeilen",
        "{place}: {what}": "{place}. {what}",
    }
    i18n.install(Translator(lambda text: german.get(text, text)))
    assert worded(nested()) == "a.csv:7. much: zu viele 2 Zeilen"
    assert worded(nested().brief) == "Line 7: much: zu viele 2 Zeilen"
    assert worded("2 rows") == "2 rows"


@pytest.mark.parametrize("error", [nested(), InputError("plain"), NoLabelError("a.csv", "no {what}", what="label")])
def test_errors_keep_their_values_between_processes(error: InputError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert again.sentence.values == error.sentence.values
    assert copy.deepcopy(error.sentence).template == error.sentence.template


def test_a_code_does_not_depend_on_values() -> None:
    codes = {InputError("C must be {value!r}, or {other}", value=value, other=1).code for value in (1, 2)}
    assert codes == {"c-must-be-or"}
    assert nested().code == "too"


def test_views_use_the_same_words() -> None:
    from mcsvm_gui.ui.kit import i18n as of_views

    assert of_views.tr is tr
