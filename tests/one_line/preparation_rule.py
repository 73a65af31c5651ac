"""A rule of preparation added by one line: `spice`, one of two words."""

from __future__ import annotations

import kept_keys
from one_line.seen import help_of
from PySide6.QtWidgets import QApplication, QComboBox

from mcsvm_gui import cli
from mcsvm_gui.cli.reading import request_of
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.machine.command_line import command
from mcsvm_gui.core.report.shared import request_blocks
from mcsvm_gui.ui.data.forms import PreparationForm

assert "--spice mild|hot how hot it is; default mild" in help_of("tune")
request = request_of(cli._parser().parse_args(["train", "a.csv", "--spice", "hot"]))
assert request.rules == Rules(spice="hot")
assert command(request) == "mcsvm train a.csv --spice hot"
rows = [row for block in request_blocks(request) for row in getattr(block, "rows", ())]
assert ("rules spice", "hot") in rows

application = QApplication([])
form = PreparationForm()
box = form.findChild(QComboBox, "spiceCombo")
assert isinstance(box, QComboBox)
assert [box.itemText(place) for place in range(box.count())] == ["Mild", "Hot"]
form.show_values(request.rules, 0, 0)
assert box.currentData() == "hot"
told: list[tuple[str, str]] = []
form.rule_changed.connect(lambda name, value: told.append((name, value)))
box.setCurrentIndex(0)
assert told == [("spice", "mild")]

assert kept_keys.keys() == kept_keys.PINNED
