"""Every text has its German, with the same places to fill; nothing stale stays."""

from __future__ import annotations

import ast
import gettext
import io
import re
from functools import cache
from pathlib import Path

import extract_translations as extraction
import pytest
from extract_translations import COMMAND, FOLDER

from mcsvm_gui.core.base import i18n
from mcsvm_gui.core.base.i18n import catalogue, translation
from mcsvm_gui.core.base.i18n.catalogue import Message
from mcsvm_gui.core.base.settings import SETTINGS

FOREIGN = [language for language in translation.languages() if language != translation.ENGLISH]
# Texts that are declared in tables; `tr` is asked for them by these expressions, and by no others.
FROM_TABLES = {
    *("MACHINES[document['machine']].decides", "machine.title", "machine.decides"),
    *("Ending(document['ending']).sentence", "chosen.about", "choice.about", "choice.title"),
    *("setting.label", "setting.help", "text", "title"),
    *(
        "measure.title",
        "line.measure.title",
        "MEASURES['bound'].tip",
        "measure.tip",
        "SCALED[request.rules.scale]",
        "MISSING[request.rules.missing]",
        "UNKNOWN[request.rules.unknown]",
        "reason",
        "decision.reason",
    ),
    *("option.title", "option.help", "option.unsaid", "option.unit"),
    *("exporter.title", "OWN.title"),
    *("SCORES[name]", "SCORES[measure]", "SCORES[result.score.name]"),
    "said.template",  # collected where the sentence is made
}
TOY = """
msgid ""
msgstr "X-Name: Toy\\nContent-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);\\n"

#, fuzzy
msgid "Redo"
msgstr "not sure"

msgid "Undo"
msgstr ""
"Odnu "
"\\"back\\""

msgid "{count} row"
msgid_plural "{count} rows"
msgstr[0] "wor"
msgstr[1] "two wor"
msgstr[2] "{count} swor"

#~ msgid "Gone"
#~ msgstr "Enog"
"""


def messages(language: str) -> tuple[Message, ...]:
    """All but the header."""
    return catalogue.read((FOLDER / f"{language}.po").read_text("utf-8"))[1:]


def pairs(language: str) -> list[tuple[str, str]]:
    """What says in English what each translated text says."""
    return [
        (message.many if message.many and form else message.template, said)
        for message in messages(language)
        for form, said in enumerate(message.said)
    ]


def places(text: str) -> set[str]:
    """With how their values are written, such as value!r."""
    return set(re.findall(r"{(\w+(?:!\w)?(?::[^{}]+)?)}", text))


def test_there_is_german() -> None:
    assert "de" in FOREIGN


@pytest.mark.slow
def test_every_text_is_a_literal_or_declared_in_a_table() -> None:
    others = {
        (where, ast.unparse(text))
        for where, call, text in extraction.calls()
        if not extraction.literals(text) and (ast.unparse(call.func) == "tr" or isinstance(text, ast.JoinedStr))
    }
    assert [(where, text) for where, text in sorted(others) if text not in FROM_TABLES] == []


wanted_texts = cache(extraction.wanted)


@pytest.mark.slow
@pytest.mark.parametrize("language", FOREIGN)
def test_the_catalogue_is_up_to_date(language: str) -> None:
    path = FOLDER / f"{language}.po"
    wanted = extraction.brought_up_to_date(path, wanted_texts())
    assert path.read_text("utf-8") == wanted, f"bring it up to date with: {COMMAND}"
    assert [message.template for message in messages(language) if message.stale] == [], "delete what is marked #~"


@pytest.mark.slow
def test_the_template_for_new_languages_is_up_to_date() -> None:
    text = (FOLDER / "mcsvm.pot").read_text("utf-8")
    assert text == extraction.template(wanted_texts()), f"bring it up to date with: {COMMAND}"


@pytest.mark.parametrize("language", FOREIGN)
def test_every_text_is_translated(language: str) -> None:
    assert [message.template for message in messages(language) if not message.translated] == []


@pytest.mark.parametrize("language", FOREIGN)
def test_translations_fill_the_same_places_and_end_alike(language: str) -> None:
    for text, translated in pairs(language):
        assert translated.strip(), text
        assert places(translated) == places(text), text
        for mark in "…:.":
            assert translated.endswith(mark) == text.endswith(mark), (text, translated)
        assert (translated[0].isspace(), translated[-1].isspace()) == (text[0].isspace(), text[-1].isspace()), text
        assert translated.count("&") == text.count("&"), text


@pytest.mark.parametrize("language", FOREIGN)
def test_menus_keep_a_letter_each(language: str) -> None:
    letters = [said.split("&")[1][0].lower() for text, said in pairs(language) if re.fullmatch(r"&\w+", text)]
    assert len(letters) >= 4
    assert len(set(letters)) == len(letters)


@pytest.mark.parametrize("text", [(FOLDER / f"{language}.po").read_text("utf-8") for language in FOREIGN] + [TOY])
def test_what_gettext_reads_is_what_was_written(text: str) -> None:
    known = catalogue.read(text)
    compiled = gettext.GNUTranslations(io.BytesIO(catalogue.compiled(known)))
    for message in known[1:]:
        if message.translated and not message.many:
            assert compiled.gettext(message.template) == message.said[0]
        elif message.translated:
            said = {compiled.ngettext(message.template, message.many, count) for count in range(200)}
            assert said == set(message.said)
        else:
            assert compiled.gettext(message.template) == message.template
    assert catalogue.read(extraction.written(known)) == known


def test_a_line_that_belongs_to_no_catalogue_is_refused() -> None:
    with pytest.raises(ValueError, match="no line of a catalogue: msgstr nothing"):
        catalogue.read('msgid "a"\nmsgstr nothing')


def test_texts_come_and_go_with_the_program() -> None:
    now = [Message("Redo"), Message("{count} row", "{count} rows"), Message("Quite new")]
    merged = {message.template: message for message in extraction.merged(catalogue.read(TOY), now, 3)}
    assert merged["Quite new"].said == ("",)
    assert merged["{count} row"].said == ("wor", "two wor", "{count} swor")
    assert {name for name, message in merged.items() if message.stale} == {"Undo", "Gone"}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a program with one more language, which is one more file."""
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations" / "toy.po").write_text(TOY)
    monkeypatch.setattr(translation, "folder", lambda: tmp_path)
    return tmp_path


def test_another_language_is_one_file(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert translation.languages() == {"en": "English", "toy": "Toy"}
    assert ("toy", "Toy") in SETTINGS["language"].choices()
    assert SETTINGS["language"].fits("toy")
    assert not SETTINGS["language"].fits("de")
    monkeypatch.setenv("LC_ALL", "toy_TOY.UTF-8")
    assert translation.chosen("system") == "toy"
    i18n.install(translation.translations("toy"))
    try:
        assert [i18n.tr("{count} row", "{count} rows", count=count) for count in (1, 2, 3)] == [
            "wor",
            "two wor",
            "3 swor",
        ]
        assert (i18n.tr("Undo"), i18n.tr("Redo"), i18n.tr("Gone")) == ('Odnu "back"', "Redo", "Gone")
    finally:
        i18n.install()


def test_what_a_build_has_compiled_is_read(toy: Path) -> None:
    place = toy / "translations"
    assert catalogue.compile_all(place, place) == (place / "toy.mo",)
    (place / "toy.po").unlink()
    assert translation.languages() == {"en": "English", "toy": "Toy"}
    assert translation.translations("toy").gettext("Undo") == 'Odnu "back"'


def test_the_language_of_the_system_is_read_as_posix_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "de_AT.UTF-8")
    assert translation.chosen("system") == "de"
    monkeypatch.setenv("LC_ALL", "C")
    assert translation.chosen("system") == "en"
    assert translation.chosen("de") == "de"
    assert translation.chosen("xx") == "en"


def test_a_language_that_is_installed_is_asked_and_what_it_lacks_stays_english() -> None:
    i18n.install(translation.translations("de"))
    try:
        assert i18n.tr("Undo") == "Rückgängig"
        assert i18n.tr("no such text {number}", number=3) == "no such text 3"
    finally:
        i18n.install()
    assert i18n.tr("Undo") == "Undo"


# One German term each; the others were mixed with it. English texts in which the word has another meaning are left out.
GLOSSARY = {
    "Fold": (r"Faltung|Teilespalte", ""),
    "Kernel": (r"\bKerns?\b|\bKernmatri|\bKernzeile|\bKernwert", ""),
    "Konfusionsmatrix": (r"Verwechslungsmatri", ""),
    "balancierte Genauigkeit": (r"[Aa]usgewogene. Genauigkeit", ""),
    "geboostete Bäume": (r"verstärkte.? Bäume", ""),
    "Eins-gegen-alle": (r"\bEine gegen (alle|eine)\b", ""),
    "Befehlszeile": (r"Kommandozeile", ""),
    "Tuning": (r"\bAbstimmen\b", ""),
    "Baseline": (r"[Ee]infache.? Verfahren", ""),
    "Score": (r"Punktzahl", ""),
    "speichern": (r"\b([Gg]e)?sicher(n|t)\b", r"certain|sure|safe|kept"),
}


@pytest.mark.parametrize("term", GLOSSARY)
def test_german_has_one_term_for_one_thing(term: str) -> None:
    other, meant = GLOSSARY[term]
    found = [said for text, said in pairs("de") if re.search(other, said) and not (meant and re.search(meant, text))]
    assert found == [], f"say {term}"


def test_german_numbers_have_a_comma() -> None:
    typed = "write plain numbers such as"  # as a file has them
    found = [said for text, said in pairs("de") if re.search(r"\d\.\d", said) and not text.startswith(typed)]
    assert found == []
