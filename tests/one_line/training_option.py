"""A training option added by one line: `spice`, a positive number under More."""

from __future__ import annotations

import json
import tomllib

import kept_keys
import pytest
from one_line.seen import error_is_shown, help_of
from PySide6.QtWidgets import QApplication

from mcsvm.solvers.errors import InputError
from mcsvm_gui import cli
from mcsvm_gui.cli.reading import request_of
from mcsvm_gui.core.compare.measures import MEASURES
from mcsvm_gui.core.experiment import Experiment
from mcsvm_gui.core.experiment.files import experiment_text
from mcsvm_gui.core.machine import form as machine_form
from mcsvm_gui.core.machine.command_line import command
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.report.shared import request_blocks
from mcsvm_gui.core.tune import form as tune_form
from mcsvm_gui.core.tune.command import tune_command
from mcsvm_gui.ui.train.machine_form import MachineForm
from mcsvm_gui.ui.tune.fields import TuneFields

for name in ("train", "tune", "compare"):
    assert "--spice X how hot it is; default 1.5" in help_of(name), name

request = request_of(cli._parser().parse_args(["train", "a.csv", "--spice", "2^-3"]))
assert request == Request(data="a.csv", spice=0.125)
assert command(request) == "mcsvm train a.csv --spice 0.125"
with pytest.raises(InputError, match=r"spice must be a positive number, not -1\.0\."):
    Request(spice=-1.0)

document = json.loads(json.dumps(request.document()))
assert Request.from_document(document) == request
del document["spice"]  # a file of before
assert Request.from_document(document) == Request(data="a.csv")

experiment = Experiment.of_requests("x", [("a", request)])
text = experiment_text(experiment)
assert "spice = 0.125" in text
assert Experiment.from_document(tomllib.loads(text)).runs[0].request.spice == 0.125
typed = Experiment.from_document(tomllib.loads(text.replace("0.125", '"2^-3"')))
assert typed.runs[0].request.spice == 0.125

rows = [row for block in request_blocks(request) for row in getattr(block, "rows", ())]
assert ("spice", "0.125") in rows
assert MEASURES["spice"].title == "Spice"

application = QApplication([])
form, fields = MachineForm(), TuneFields()
texts = {**machine_form.DEFAULTS, "spice": "hot"}
edit = error_is_shown(form, "spiceEdit", texts, lambda texts: machine_form.read_form(texts, ())[1])
assert (edit.placeholderText(), edit.toolTip()) == ("1.5", "How hot it is")
texts = {**tune_form.DEFAULTS, "spice": "hot"}
error_is_shown(fields, "tuneSpiceEdit", texts, lambda texts: tune_form.read_form(texts).errors)
assert machine_form.read_form({"spice": "4"}, ()) == ({"spice": 4.0}, {})
entered = tune_form.read_form({**tune_form.DEFAULTS, "spice": "4"})
assert entered.values["spice"] == 4.0
assert "--spice 4" in tune_command(Request(**entered.values), entered.wanted)

assert kept_keys.keys() == kept_keys.PINNED
