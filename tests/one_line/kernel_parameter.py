"""A kernel parameter added by one line: `spice`, of the sigmoid kernel alone."""

from __future__ import annotations

import numpy as np
from one_line.seen import help_of
from PySide6.QtWidgets import QApplication, QLineEdit

from mcsvm_gui.core.machine.choices import choices
from mcsvm_gui.core.machine.form import DEFAULTS, read_form
from mcsvm_gui.core.machine.posing import kernel_of, parameters
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.tune import form as tune_form
from mcsvm_gui.core.tune.search import _family
from mcsvm_gui.ui.train.machine_form import MachineForm
from mcsvm_gui.ui.tune.fields import TuneFields

assert "--spice X (kernel sigmoid); default 1.5" in help_of("train")

request = Request(kernel="sigmoid", gamma=1.0, spice=0.25)
assert parameters(kernel_of(request, np.eye(2)))["spice"] == 0.25
assert parameters(_family(request).at(2.0)) == {"gamma": 2.0, "coef0": 0.0, "spice": 0.25}
assert "spice" not in parameters(kernel_of(Request(gamma=1.0), np.eye(2)))

application = QApplication([])
for form, name in ((MachineForm(), "spiceEdit"), (TuneFields(), "tuneSpiceEdit")):
    edit = form.findChild(QLineEdit, name)
    assert isinstance(edit, QLineEdit)
    for kernel in ("sigmoid", "rbf"):
        form.show_parameters(choices(Request(kernel=kernel), 3).parameters)
        assert edit.isHidden() == (kernel == "rbf"), (name, kernel)
assert read_form({**DEFAULTS, "spice": "hot"}, ("gamma",))[1] == {}
assert list(read_form({**DEFAULTS, "spice": "hot"}, ("gamma", "spice"))[1]) == ["spice"]
assert "spice" not in tune_form.read_form({**tune_form.DEFAULTS, "spice": "hot"}).errors
assert "spice" in tune_form.read_form({**tune_form.DEFAULTS, "kernel": "sigmoid", "spice": "hot"}).errors
