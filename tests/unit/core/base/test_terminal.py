"""What reaches the terminal does not control it."""

from __future__ import annotations

import ast
import io
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

import mcsvm_gui
from mcsvm_gui.core.base import terminal
from mcsvm_gui.core.base.exits import complain
from mcsvm_gui.core.base.terminal import say, say_beside, say_json, say_table, visible

ROOT = Path(mcsvm_gui.__file__).parent
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def test_all_that_is_no_letter_is_escaped_and_nothing_else() -> None:
    """By the tables of Unicode that Python has; format characters of newer tables may be escaped too."""
    for number in range(sys.maxunicode + 1):
        letter, category = chr(number), unicodedata.category(chr(number))
        if category in HIDDEN:
            assert visible(letter) == letter.encode("unicode_escape").decode("ascii"), hex(number)
        elif category != "Cn":
            assert visible(letter) == letter, hex(number)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größe 猫 🦊", "größe 猫 🦊"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("\x1b]0;owned\x07", r"\x1b]0;owned\x07"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x9b2J", r"\x9b2J"),
        ("gpj.\u202eexe", r"gpj.\u202eexe"),
        ("\udcff.csv", r"\udcff.csv"),
        ("\\x1b", "\\x1b"),
    ],
)
def test_examples(text: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert visible(text) == shown
    say("first", text)
    say_beside(text, "last")
    assert capsys.readouterr() == (f"first\n{shown}\n", f"{shown}\nlast\n")
    assert complain(text) == 2
    assert capsys.readouterr().err == f"error: {visible(' '.join(text.splitlines()))}\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_table_goes_to_files_as_it_is_and_to_terminals_with_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "row,class\n1,\x1b[31mred\n2,größe\n"
    monkeypatch.setattr(terminal, "CHUNK", 3)
    for stream, shown in ((io.StringIO(), table), (Terminal(), table.replace("\x1b", r"\x1b"))):
        monkeypatch.setattr(sys, "stdout", stream)
        say_table(io.BytesIO(table.encode()))
        assert stream.getvalue() == shown


def test_json_is_left_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    say_json('{"a": "\\u001b"}')
    assert capsys.readouterr().out == '{"a": "\\u001b"}\n'


# -- nothing else writes there --------------------------------------------------------------------

# `cli/__init__` and `predict` set how the streams encode; `progress` writes one line over and over, by `visible`;
# `message_box` replaces a missing standard error by a buffer.
STREAMS = {
    "core/base/terminal.py",
    "core/base/exits.py",
    "core/base/message_box.py",
    "cli/__init__.py",
    "cli/progress.py",
    "cli/commands/predict.py",
}
# The crash log is read by developers alone; the last words of a process that is ended by a timer are a constant.
OTHERS = {"core/base/crash_log.py", "cli/interrupt.py"}


WRITING = re.compile(r"(print|input|os\.write)\(|sys\.(__)?std(out|err)")


def writes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call | ast.Attribute) and (found := WRITING.match(ast.unparse(node))):
            yield found[0]


def test_nothing_else_writes_to_the_terminal() -> None:
    modules = [ROOT / "app.py", *(ROOT / "cli").rglob("*.py"), *(ROOT / "core").rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): set(writes(ast.parse(path.read_text("utf-8")))) for path in modules}
    assert {name for name, places in found.items() if places} - STREAMS - OTHERS == set()
    for name in STREAMS - {"core/base/terminal.py", "core/base/exits.py"}:
        assert found[name] <= {"sys.stdout", "sys.stderr"}, f"{name} prints"
    assert "visible(" in (ROOT / "cli" / "progress.py").read_text("utf-8")


@pytest.mark.parametrize("code", ["print(1)", "sys.stderr.write('')", "file = sys.stdout"])
def test_what_writes_is_seen(code: str) -> None:
    assert list(writes(ast.parse(code)))
