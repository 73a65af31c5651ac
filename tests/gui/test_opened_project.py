"""A project given on the command line is a recent file, as one opened from the menu is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcsvm_gui.core.project.store import ProjectStore

WINDOW = """
import sys
from PySide6.QtCore import QTimer
from mcsvm_gui import app, assembly

plain = assembly.assemble
def assemble(*facts):
    window = plain(*facts)
    window.shown.connect(lambda: QTimer.singleShot(0, window.close))
    return window
assembly.assemble = assemble
sys.exit(app.main(["a.mcsvmproj"]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="homes are told by XDG's variables")
def test_a_project_from_the_command_line_is_remembered(tmp_path: Path) -> None:
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "STATE")}
    project = tmp_path / "a.mcsvmproj"
    ProjectStore(project).close()
    environment = {**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, "-c", WINDOW], cwd=tmp_path, env=environment, check=True, timeout=120)
    kept = json.loads((tmp_path / "CONFIG" / "mcsvm" / "settings.json").read_text("utf-8"))
    assert kept["recent_files"] == [str(project)]
