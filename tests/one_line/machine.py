"""A machine added by one line: `toy`, before the last of those that are offered first."""

from __future__ import annotations

from one_line.seen import help_of
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QListWidget

from mcsvm_gui import cli
from mcsvm_gui.cli.commands.compare import experiment_of
from mcsvm_gui.cli.commands.tune import read
from mcsvm_gui.core.machine.choices import choices
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.report import style
from mcsvm_gui.core.tune import form
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.playground.form import PlaygroundForm
from mcsvm_gui.ui.train.machine_form import MachineForm
from mcsvm_gui.ui.tune.fields import TuneFields

FIRST = ["ww", "llw", "cs", "ova", "ovo", "toy", "dag"]
assert f"--machine {'|'.join(FIRST)}" in help_of("train")
assert f"default {','.join(FIRST)}" in help_of("compare")
runs = experiment_of(cli._parser().parse_args(["compare", "a.csv"])).runs
assert [run.request.machine for run in runs] == FIRST
assert read(cli._parser().parse_args(["tune", "a.csv", "--machine", "toy"]))[1].machines == ("toy",)

found = {choice.name: choice for choice in choices(Request(), 3).machines}
assert (found["toy"].title, found["toy"].reason, found["toy"].more) == ("Toy", None, False)
assert (theme.machine_style("toy").colour, style.machine("toy")[0]) == ("#d55e00", "#d55e00")

application = QApplication([])
machines = MachineForm().combos["machine"]
assert [machines.itemData(place) for place in range(machines.count())] == FIRST
assert TuneFields().texts()["machines"] == form.DEFAULTS["machines"] == ",".join(FIRST)
playground = PlaygroundForm()
shown = playground.findChild(QListWidget, "playgroundMachineList")
assert isinstance(shown, QListWidget)
assert [shown.item(row).data(Qt.ItemDataRole.UserRole) for row in range(shown.count())] == FIRST
