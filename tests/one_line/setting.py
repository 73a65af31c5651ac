"""A setting added by one line: `spice`, a whole number up to nine."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from PySide6.QtWidgets import QApplication, QSpinBox, QWidget

from mcsvm_gui.core.base.settings import TABLE, Settings
from mcsvm_gui.ui.shell.dialogs.settings import SettingsDialog

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "settings.json"
    settings = Settings(path)
    assert settings["spice"] == 2
    settings["spice"] = 7
    settings.save()
    assert json.loads(path.read_text("utf-8")) == {"spice": 7}
    assert Settings(path)["spice"] == 7
    path.write_text('{"spice": 10}', "utf-8")
    damaged = Settings(path)
    assert (damaged["spice"], "spice" in str(damaged.problem)) == (2, True)

application = QApplication([])
parent = QWidget()
dialog = SettingsDialog(parent, TABLE)
spin = dialog.findChild(QSpinBox, "spiceSetting")
assert isinstance(spin, QSpinBox)
assert (spin.accessibleName(), spin.accessibleDescription(), spin.maximum()) == ("Spice", "How hot it is.", 9)
told: list[tuple[str, object]] = []
dialog.changed.connect(lambda key, value: told.append((key, value)))
spin.setValue(5)
assert told == [("spice", 5)]
