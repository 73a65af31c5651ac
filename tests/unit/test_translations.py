"""Every word has its German, with the same places to fill; nothing stale stays."""

from __future__ import annotations

import ast
import json
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mcsvm_gui.core.base import i18n, translation
from mcsvm_gui.core.base.settings import TABLE
from mcsvm_gui.core.compare.measures import MEASURES
from solvers.kernels import KERNELS
from solvers.machines import MACHINES
from solvers.methods import METHODS
from solvers.run.decisions import REASONS
from solvers.run.ending import Ending

PACKAGE = Path(i18n.__file__).parents[2]
FOREIGN = [language for language in translation.languages() if language != translation.ENGLISH]
# Words that are declared in tables; `tr` is asked for them by these expressions, and by no others.
FROM_TABLES = {
    *("MACHINES[document['machine']].decides", "machine.title", "machine.decides"),
    *("Ending(document['ending']).sentence", "chosen.about", "choice.about", "choice.title"),
    *("setting.label", "setting.help", "text", "title"),
    *("measure.title", "measure.tip", "reason", "decision.reason"),
}


def calls() -> Iterator[tuple[str, ast.expr]]:
    """(where, what is translated) of every tr(...) in the application."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tr":
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}", node.args[0]


def literals() -> set[str]:
    return {text.value for _, text in calls() if isinstance(text, ast.Constant)}


def declared() -> set[str]:
    """Words of registries and tables."""
    machines = {text for machine in MACHINES.values() for text in (machine.title, machine.decides)}
    methods = {method.supports for method in METHODS.values()}
    formulas = {
        (sys.modules[kernel.__module__].__doc__ or "").partition("\n")[0].rstrip(".") for kernel in KERNELS.values()
    }
    endings = {ending.sentence for ending in Ending}
    settings = {text for setting in TABLE for text in (setting.label, setting.help, setting.group)}
    choices = {text for setting in TABLE for _, text in setting.choices}
    measures = {text for measure in MEASURES.values() for text in (measure.title, measure.tip)}
    reasons = set(REASONS)
    return machines | methods | formulas | endings | settings | measures | reasons | choices - {""}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_there_is_german() -> None:
    assert "de" in FOREIGN


def test_every_text_is_a_literal_or_declared_in_a_table() -> None:
    others = {(where, ast.unparse(text)) for where, text in calls() if not isinstance(text, ast.Constant)}
    assert [(where, text) for where, text in sorted(others) if text not in FROM_TABLES] == []


@pytest.mark.parametrize("language", FOREIGN)
def test_every_text_is_translated_and_nothing_else(language: str) -> None:
    known, wanted = set(translation.words(language)), (literals() | declared()) - {""}
    assert sorted(wanted - known) == []
    assert sorted(known - wanted) == []


@pytest.mark.parametrize("language", FOREIGN)
def test_translations_fill_the_same_places_and_end_alike(language: str) -> None:
    for text, translated in translation.words(language).items():
        assert translated.strip(), text
        assert places(translated) == places(text), text
        for mark in "…:.":
            assert translated.endswith(mark) == text.endswith(mark), (text, translated)
        assert (translated[0].isspace(), translated[-1].isspace()) == (text[0].isspace(), text[-1].isspace()), text
        assert translated.count("&") == text.count("&"), text


@pytest.mark.parametrize("language", FOREIGN)
def test_menus_keep_a_letter_each(language: str) -> None:
    menus = [text for text in translation.words(language) if re.fullmatch(r"&\w+", text)]
    letters = [translation.words(language)[text].split("&")[1][0].lower() for text in menus]
    assert len(menus) >= 4
    assert len(set(letters)) == len(letters)


@pytest.mark.parametrize("language", FOREIGN)
def test_the_file_is_sorted_and_says_each_text_once(language: str) -> None:
    path = PACKAGE.parent / "resources" / "translations" / f"{language}.json"
    pairs = json.loads(path.read_text("utf-8"), object_pairs_hook=list)
    names = [name for name, _ in pairs]
    assert names == sorted(set(names))


def test_the_language_of_the_system_is_read_as_posix_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert translation.chosen("system") == "de"
    monkeypatch.setenv("LC_ALL", "C")
    assert translation.chosen("system") == "en"
    assert translation.chosen("de") == "de"
    assert translation.chosen("xx") == "en"


def test_a_translator_that_is_installed_is_asked_and_what_it_lacks_stays_english() -> None:
    i18n.install(translation.translator("de"))
    try:
        assert i18n.tr("Undo") == "Rückgängig"
        assert i18n.tr("no such text {number}", number=3) == "no such text 3"
    finally:
        i18n.install()
    assert i18n.tr("Undo") == "Undo"
