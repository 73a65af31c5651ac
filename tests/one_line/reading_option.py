"""An option of reading added by one line: `spice`, one of two words."""

from __future__ import annotations

import tomllib

import kept_keys
from one_line.seen import help_of

from mcsvm_gui import cli
from mcsvm_gui.cli.reading import request_of
from mcsvm_gui.core.data.form import applied, reading_form
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.experiment import Experiment
from mcsvm_gui.core.experiment.files import experiment_text
from mcsvm_gui.core.machine.command_line import command
from mcsvm_gui.core.report.shared import request_blocks

for name in ("inspect", "train", "tune", "compare", "predict", "verify"):
    assert "--spice mild|hot how hot it is; default mild" in help_of(name), name

request = request_of(cli._parser().parse_args(["train", "a.csv", "--spice", "hot"]))
assert request.read == ReadOptions(spice="hot")
assert command(request) == "mcsvm train a.csv --spice hot"

field = next(field for field in reading_form(ReadOptions(), None) if field.option == "spice")
assert (field.title, [answer.value for answer in field.answers]) == ("Spice", [None, "mild", "hot"])
assert [applied(ReadOptions(), "spice", value).spice for value in (None, "hot")] == ["mild", "hot"]

text = experiment_text(Experiment.of_requests("x", [("a", request)]))
assert Experiment.from_document(tomllib.loads(text)).data[0].read == request.read
rows = [row for block in request_blocks(request) for row in getattr(block, "rows", ())]
assert ("read spice", "hot") in rows

assert kept_keys.keys() == kept_keys.PINNED
