"""An option of searches added by one line: `spice`, a positive number under More."""

from __future__ import annotations

import kept_keys
from one_line.seen import error_is_shown, help_of
from PySide6.QtWidgets import QApplication

from mcsvm_gui import cli
from mcsvm_gui.cli.commands.tune import read
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune import form
from mcsvm_gui.core.tune.command import tune_arguments
from mcsvm_gui.core.tune.options import TuneRequest
from mcsvm_gui.ui.tune.fields import TuneFields

assert "--spice X how hot it is; default 1.5" in help_of("tune")
assert "--spice" not in help_of("train") + help_of("compare")

entered = form.read_form({**form.DEFAULTS, "spice": "4"})
assert entered.wanted is not None
assert entered.wanted.spice == 4.0
assert TuneRequest.from_document(entered.wanted.document()) == entered.wanted
words = tune_arguments(Request(data="a.csv"), entered.wanted)
assert "--spice 4" in " ".join(words)
assert read(cli._parser().parse_args(words[1:]))[1] == entered.wanted

application = QApplication([])
texts = {**form.DEFAULTS, "spice": "hot"}
error_is_shown(TuneFields(), "tuneSpiceEdit", texts, lambda texts: form.read_form(texts).errors)

assert kept_keys.keys() == kept_keys.PINNED
