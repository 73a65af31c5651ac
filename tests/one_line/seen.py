"""What the scripts beside look at: the help of a command, and a field of a form with what is said of its entry."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QLabel, QLineEdit

from mcsvm_gui import cli
from mcsvm_gui.ui.kit.option_form import OptionForm


def help_of(command: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        cli.main([command, "--help"])
    return " ".join(out.getvalue().split())


def error_is_shown(
    form: OptionForm, name: str, texts: Mapping[str, str], read: Callable[[dict[str, str]], dict[str, str]]
) -> QLineEdit:
    """The field, once something was entered there that is wrong."""
    edit = form.findChild(QLineEdit, name)
    assert isinstance(edit, QLineEdit), name
    assert edit.accessibleName()
    form.set_texts(texts)
    assert edit.text() == "hot"
    form.show_errors(read(form.texts()))
    error = form.findChild(QLabel, f"{name}Error")
    assert isinstance(error, QLabel)
    assert "'hot' is no number" in error.text()
    assert not error.isHidden()
    assert not edit.isHidden()
    return edit
