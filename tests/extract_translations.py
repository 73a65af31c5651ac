"""Collects every text that is translated, and brings the catalogues up to date.

python -m tests.extract_translations [LANGUAGE ...]    a new language gets a new catalogue
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from mcsvm.solvers.dual.geometry import BOX, LINE, SUMS
from mcsvm.solvers.kernels import KERNELS
from mcsvm.solvers.machines import MACHINES
from mcsvm.solvers.methods import METHODS
from mcsvm.solvers.methods.auto.conductor import REASONS
from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.base.i18n import catalogue
from mcsvm_gui.core.base.i18n.catalogue import Message
from mcsvm_gui.core.base.i18n.translation import languages
from mcsvm_gui.core.base.options import USES, Choice, options_of
from mcsvm_gui.core.base.settings import TABLE
from mcsvm_gui.core.compare.measures import MEASURES
from mcsvm_gui.core.data.costs import PRESETS
from mcsvm_gui.core.data.lists import Several
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.roles.arrangement import PICKS
from mcsvm_gui.core.data.roles.value import ROLES
from mcsvm_gui.core.export import EXPORTERS
from mcsvm_gui.core.export.menu import OWN
from mcsvm_gui.core.machine import names
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune.options import SEARCH_OPTIONS, SEARCHES

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "translations"
PACKAGES = "solvers", "mcsvm_gui"
ENGLISH_ALONE = ROOT / "mcsvm_gui" / "cli"  # for scripts
COMMAND = "python -m tests.extract_translations"
# Who takes a text to translate, and which argument that is; the next may be the text for other counts than one.
MARKS = {
    "tr": 0,
    "Sentence": 0,
    "InputError": 0,
    "Broken": 0,
    "FileError": 1,
    "NoLabelError": 1,
    "LostWorkers": 0,
    "TimeLimitError": 0,
}
COUNTING = "tr", "Sentence"
PLURAL_FORMS = {"de": "nplurals=2; plural=(n != 1);"}


def calls() -> Iterator[tuple[str, ast.Call, ast.expr]]:
    """(where, the call, the text it is given) of every call that takes a text to translate."""
    for package in PACKAGES:
        for path in sorted(set((ROOT / package).rglob("*.py")) - set(ENGLISH_ALONE.rglob("*.py"))):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                name = _name(node.func) if isinstance(node, ast.Call) else None
                if isinstance(node, ast.Call) and name in MARKS and len(node.args) > MARKS[name]:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node, node.args[MARKS[name]]


def _name(function: ast.expr) -> str | None:
    return function.id if isinstance(function, ast.Name) else None


def literals(text: ast.expr) -> tuple[str, ...]:
    """Also where one of two is chosen; none where the text is no literal."""
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        return (text.value,)
    if isinstance(text, ast.IfExp):
        chosen = literals(text.body), literals(text.orelse)
        return chosen[0] + chosen[1] if all(chosen) else ()
    return ()


def declared() -> set[str]:
    """Texts of registries and tables."""
    machines = {text for machine in MACHINES.values() for text in (machine.title, machine.decides)}
    methods = {method.supports for method in METHODS.values()}
    formulas = {
        (sys.modules[kernel.__module__].__doc__ or "").partition("\n")[0].rstrip(".") for kernel in KERNELS.values()
    }
    endings = {ending.sentence for ending in Ending}
    settings = {text for setting in TABLE for text in (setting.label, setting.help, setting.group)}
    choices = {text for setting in TABLE for _, text in setting.choices()} - set(languages().values())
    listed = (
        ROLES,
        PICKS,
        names.SOLVERS,
        names.KERNELS,
        names.NOT_FOR_FILES,
        names.BIASES,
        names.DEFAULT_BIAS,
        SEARCHES,
        PRESETS,
        USES,
    )
    named = {title for titles in listed for title in titles.values()}
    measures = {text for measure in MEASURES.values() for text in (measure.title, measure.tip, measure.short)}
    refusals = {geometry.title for geometry in (BOX, SUMS, LINE)}
    exports = {OWN.title, *(exporter.title for exporter in EXPORTERS.values())}
    registries = machines | methods | refusals | formulas | endings | set(REASONS)
    return registries | settings | measures | choices | named | exports | options() - {""}


def options() -> set[str]:
    """Titles of all that can be asked for, and what forms say beside them."""
    known = [option for table in (ReadOptions, Rules, Request) for option in options_of(table).values()]
    known += SEARCH_OPTIONS.values()
    titles = {option.title for option in known if option.commands}
    chosen = [option.kind for option in known if option.commands and isinstance(option.kind, Choice | Several)]
    titles |= {title for kind in chosen for title in kind.titles.values()}
    asked = [option for option in known if option.train or option.tune or option.name in options_of(Rules)]
    return titles | {text for one in asked for text in (one.help, one.unsaid, one.unit) if not text.isdecimal()}


def wanted() -> tuple[Message, ...]:
    """What there is to translate, sorted."""
    found = {text: Message(text) for text in declared() - {""}}
    for _, call, text in calls():
        many = call.args[1:2] if _name(call.func) in COUNTING else []
        others = literals(many[0]) if many else ("",)
        for template in filter(None, literals(text)):
            found[template] = Message(template, *(others if len(others) == 1 else ("",)))
    return tuple(found[template] for template in sorted(found))


def merged(known: Iterable[Message], now: Iterable[Message], forms: int) -> tuple[Message, ...]:
    """The header, then all texts of the program as far as they are translated, then those that left it."""
    by_template = {message.template: message for message in known}
    texts = []
    for message in now:
        before = by_template.pop(message.template, message)
        said = before.said if len(before.said) == (forms if message.many else 1) else ("",) * (forms or 1)
        texts.append(replace(message, said=said if message.many else said[:1]))
    header = by_template.pop("", Message(""))
    return header, *texts, *(replace(left, stale=True) for left in by_template.values() if any(left.said))


def written(messages: Iterable[Message]) -> str:
    return "\n".join(map(_entry, messages))


def _entry(message: Message) -> str:
    if message.template == "":
        lines = ['msgid ""', 'msgstr ""', *(_quoted(line + "\n") for line in message.said[0].splitlines())]
    elif message.many:
        said = (f"msgstr[{form}] {_quoted(text)}" for form, text in enumerate(message.said))
        lines = [f"msgid {_quoted(message.template)}", f"msgid_plural {_quoted(message.many)}", *said]
    else:
        lines = [f"msgid {_quoted(message.template)}", f"msgstr {_quoted(message.said[0])}"]
    return "".join(f"{'#~ ' * message.stale}{line}\n" for line in lines)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def header(language: str) -> Message:
    facts = {
        "Project-Id-Version": "mcsvm",
        "Language": language,
        "X-Name": language,  # what the language calls itself
        "X-Percentage": "98.7%",  # how it is written in the language: with a point or a comma, with a space or none
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": PLURAL_FORMS.get(language, "nplurals=2; plural=(n != 1);"),
    }
    return Message("", said=("".join(f"{name}: {value}\n" for name, value in facts.items()),))


def brought_up_to_date(path: Path, now: Iterable[Message]) -> str:
    """What the file of a language has to hold."""
    known = catalogue.read(path.read_text("utf-8")) if path.is_file() else (header(path.stem),)
    forms = next(message for message in known if message.template == "").said[0].partition("nplurals=")[2][:1]
    return written(merged(known, now, int(forms)))


def template(now: Iterable[Message]) -> str:
    texts = (replace(message, said=("", "") if message.many else ("",)) for message in now)
    return written((header(""), *texts))


def main(new: Iterable[str]) -> None:
    now = wanted()
    (FOLDER / "mcsvm.pot").write_text(template(now), "utf-8")
    for path in {*FOLDER.glob("*.po"), *(FOLDER / f"{language}.po" for language in new)}:
        text = brought_up_to_date(path, now)
        path.write_text(text, "utf-8")
        known = catalogue.read(text)
        stale = sum(message.stale for message in known)
        left = sum(not message.translated for message in known) - stale
        print(f"{path.name}: {left} texts to translate, {stale} to delete (marked #~)")


if __name__ == "__main__":
    main(sys.argv[1:])
