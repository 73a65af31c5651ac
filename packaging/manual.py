"""Manual pages, made of what argparse knows and of the text in linux/manual.toml.

python packaging/manual.py FOLDER    writes mcsvm.1 and mcsvm-gui.1
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import changes

sys.path.insert(0, str(changes.ROOT))
TEXT = Path(__file__).resolve().parent / "linux" / "manual.toml"


def pages() -> dict[str, str]:
    """By file name."""
    from mcsvm_gui.core.data import formats

    text = tomllib.loads(TEXT.read_text("utf-8").replace("{readers}", formats.titles()))
    return {f"{name}.1": page(name, text[name], text["both"]) for name in ("mcsvm", "mcsvm-gui")}


def page(name: str, own: dict[str, Any], both: dict[str, Any]) -> str:
    lines = [
        f'.TH {name.upper()} 1 {changes.build_day()} "mcsvm {changes.version()}" "User Commands"',
        *(".SH NAME", f"{escaped(name)} \\- {escaped(own['is'])}"),
        *(".SH SYNOPSIS", *synopsis(name, own)),
        *section("DESCRIPTION", own["description"]),
        *(commands() if name == "mcsvm" else ()),
        *(line for title, items in own["lists"].items() for line in listed(title, items)),
        *(line for title, items in both["lists"].items() for line in listed(title, items)),
        *(".SH SEE ALSO", ", ".join(f".BR {escaped(other)} (1)" for other in own["see"])),
    ]
    return "\n".join(lines) + "\n"


def synopsis(name: str, own: dict[str, Any]) -> Iterator[str]:
    for line in own["synopsis"]:
        yield from (f".B {escaped(name)}", escaped(line), ".br")


def section(title: str, paragraphs: str) -> list[str]:
    lines = [f".SH {title}"]
    for number, paragraph in enumerate(paragraphs.strip().split("\n\n")):
        lines += [".PP"] * bool(number) + [escaped(line) for line in paragraph.splitlines()]
    return lines


def listed(title: str, items: dict[str, str]) -> list[str]:
    return [f".SH {title}", *(line for term, words in items.items() for line in entry(term, words))]


def entry(term: str, words: str) -> list[str]:
    return [".TP", f"\\fB{escaped(term)}\\fR", *(escaped(line) for line in words.strip().splitlines())]


# -- what argparse knows --------------------------------------------------------------------------


def commands() -> Iterator[str]:
    from mcsvm_gui.cli import _parser

    parser = _parser()
    yield ".SH COMMANDS"
    for sub in subcommands(parser).values():
        yield from (".SS " + escaped(sub.line()), escaped(sentence(sub.description or "")))
        for group in sub._action_groups:
            yield from options(group)
        if sub.epilog:
            yield from (".PP", escaped(sub.epilog))
        for line in sub.examples:
            yield from (".PP", f"\\fB{escaped(line)}\\fR")
    yield ".SH EXIT STATUS"
    yield escaped((parser.epilog or "").removeprefix("Exit codes: ").capitalize())


def subcommands(parser: argparse.ArgumentParser) -> dict[str, Any]:
    found = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


def options(group: argparse._ArgumentGroup) -> Iterator[str]:
    for action in shown(group._group_actions):
        yield ".TP"
        yield form(action)
        yield escaped(sentence((action.help or "").replace("%%", "%")))
    if group.description:
        yield from (".PP", escaped(group.description))


def shown(actions: Iterable[argparse.Action]) -> Iterator[argparse.Action]:
    """Every option that help lists but `--help`, and the places that need words."""
    listed = (action for action in actions if action.help != argparse.SUPPRESS)
    return (action for action in listed if (action.option_strings or action.help) and action.dest != "help")


def form(action: argparse.Action) -> str:
    names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in action.option_strings)
    value = f"\\fI{escaped(str(action.metavar))}\\fR" if action.metavar else ""
    return " ".join(part for part in (names, value) if part)


def sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if not text or text.endswith(".") else text + "."


def escaped(text: str) -> str:
    """As troff prints it: backslashes, hyphens that can be copied, and no line that looks like a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^([.'])", r"\\&\1", text)


def main(folder: str) -> None:
    for name, text in pages().items():
        (Path(folder) / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
