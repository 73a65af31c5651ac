"""Libraries are loaded behind the window: no page's first showing, and nothing after it, imports them in its thread."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcsvm_gui.pages import PAGES

SHOWN = """
import os, sys, threading, time
name, folder = sys.argv[1:]
HEAVY = "numba", "scipy", "sklearn", "pandas", "mcsvm.solvers.jit", "mcsvm.solvers.model"
found = []

class Spy:
    def find_spec(self, module, path, target=None):
        if module in HEAVY and threading.current_thread() is threading.main_thread():
            found.append(module)

sys.meta_path.insert(0, Spy())
from PySide6.QtWidgets import QApplication
application = QApplication([])
from mcsvm_gui.assembly import assemble
window = assemble(f"{folder}/story.mcsvmproj", f"{folder}/settings.json")
ready = []
window.assembly.prepared.connect(lambda: ready.append(True))
window.show()
window.show_page(name)
first = window.page
window.assembly._want_solvers()
end = time.monotonic() + 100
while not (ready and window.page == name) and time.monotonic() < end:
    application.processEvents()
    time.sleep(0.005)
print([first, window.page, bool(ready), found])
window.close()
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.timeout(150)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_shown_without_loading_libraries_in_the_windows_thread(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", SHOWN, name, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120)
    first, last, ready, imported = ast.literal_eval(ended.stdout.splitlines()[-1])
    assert imported == []
    assert ready
    assert last == name
    assert first in (name, "")  # the page, or that it is loading
