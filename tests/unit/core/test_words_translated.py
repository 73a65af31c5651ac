"""Sentences in the user's language, with their values in place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.i18n import tr


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    i18n.install()


def test_english_stays_where_nothing_is_installed() -> None:
    assert tr("{count} rows in {name}", count=3, name="iris") == "3 rows in iris"


def test_braces_without_values_stay() -> None:
    assert tr("a {set}") == "a {set}"


def test_values_are_filled_after_translation() -> None:
    i18n.install({"{count} rows": "{count} Zeilen"}.get)  # type: ignore[arg-type]
    assert tr("{count} rows", count=3) == "3 Zeilen"


@pytest.mark.parametrize("broken", ["{cuont} Zeilen", "{count Zeilen", "{0} Zeilen", "{count:d} Zeilen"])
def test_a_broken_translation_costs_no_sentence(broken: str) -> None:
    i18n.install(lambda text: broken)
    assert tr("{count} rows", count="three") == "three rows"


def test_values_are_not_translated_again() -> None:
    i18n.install(lambda text: text.upper().replace("{NAME}", "{name}"))
    assert tr("hello {name}", name="{name}") == "HELLO {name}"


def test_views_use_the_same_words() -> None:
    from mcsvm_gui.ui.kit import i18n as of_views

    assert of_views.tr is tr
