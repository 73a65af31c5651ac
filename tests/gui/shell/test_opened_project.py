"""Projects given on the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.project.store import ProjectStore

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="homes are told by XDG's variables")
WINDOW = """
import sys
from PySide6.QtCore import QTimer
from mcsvm_gui import app, assembly

plain = assembly.assemble
def assemble(*facts):
    window = plain(*facts)
    window.{signal}.connect(lambda: QTimer.singleShot(0, window.close))
    return window
assembly.assemble = assemble
sys.exit(app.main(["a.mcsvmproj"]))
"""
NOISE = "This plugin does not support "  # Qt's offscreen screen


def shown(folder: Path, signal: str) -> str:
    """What a window on a.mcsvmproj prints as an error until that signal closes it."""
    homes = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CONFIG", "STATE")}
    environment = {**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", WINDOW.format(signal=signal)]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, timeout=120, stderr=subprocess.PIPE, text=True
    )
    return "\n".join(line for line in done.stderr.splitlines() if not line.startswith(NOISE))


@pytest.mark.slow
def test_a_project_from_the_command_line_is_remembered(tmp_path: Path) -> None:
    """As one opened from the menu is."""
    project = tmp_path / "a.mcsvmproj"
    ProjectStore(project).close()
    assert shown(tmp_path, "shown") == ""
    kept = json.loads((tmp_path / "CONFIG" / "mcsvm" / "settings.json").read_text("utf-8"))
    assert kept["recent_files"] == [str(project)]


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [{"test": 12345}, {"holdout": 5, "seed": -1}])
def test_a_project_with_values_that_no_request_may_have_opens_quietly(tmp_path: Path, wrong: dict[str, object]) -> None:
    data = {"path": str(resources.dataset("iris")), "read": {}, "rules": {}, "test": None, "holdout": 0.3, "seed": 0}
    store = ProjectStore(tmp_path / "a.mcsvmproj")
    store.write(settings={"data": {**data, **wrong}})
    store.close()
    assert shown(tmp_path, "assembly.prepared") == ""
    assert list(tmp_path.glob("STATE/**/crash.log")) == []


SCALED = """
from PySide6.QtWidgets import QApplication
from mcsvm_gui import app
QApplication.exec = lambda self: print(QApplication.instance().devicePixelRatio(), flush=True) or 0
app.main([])
"""


@pytest.mark.slow
def test_everything_is_as_large_as_the_settings_say(tmp_path: Path) -> None:
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "STATE")}
    (tmp_path / "CONFIG" / "mcsvm").mkdir(parents=True)
    (tmp_path / "CONFIG" / "mcsvm" / "settings.json").write_text('{"zoom": "1.5"}', "utf-8")
    environment = {**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", SCALED]
    done = subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1.5", done.stderr
