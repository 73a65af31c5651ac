"""What a window loads, and when: who only looks at data pays for no solver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.about import own_version

HEAVY = "numba", "llvmlite", "sklearn", "scipy.stats", "scipy.optimize", "matplotlib", "pyarrow"
WINDOW = """
import json, sys, time
from PySide6.QtWidgets import QApplication
from mcsvm_gui.assembly import assemble

def wait(condition):
    end = time.monotonic() + 240.0  # without compiled code, all of it is compiled
    while not condition():
        assert time.monotonic() < end
        application.processEvents()
        time.sleep(0.002)

application = QApplication([])
window = assemble("a.mcsvmproj", "settings.json")
assembly = window.assembly
seen = []
assembly.drawn.connect(lambda: seen.append("drawn"))
assembly.prepared.connect(lambda: seen.append("prepared"))
window.show()
wait(lambda: sys.argv[2] in seen)
page, work, found = assembly.page("data"), assembly.workspace, []
work.open_data(sys.argv[1])
wait(lambda: work.dataset is not None and not page.looking and not work.tasks.busy)
found.append((list(seen), [name for name in sys.argv[3:] if name in sys.modules]))
window.show_page("train")
wait(lambda: "prepared" in seen)
found.append((sorted(window.pages), [name for name in sys.argv[3:] if name in sys.modules]))
assembly.close()
print(json.dumps(found))
"""


def loaded(folder: Path, settings: dict[str, object], first: str) -> list[list[list[str]]]:
    """After the signal `first`, and after a page that trains was shown: what was told, or the pages; heavy modules."""
    (folder / "settings.json").write_text(json.dumps(settings), "utf-8")
    homes = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CONFIG", "STATE")}
    done = subprocess.run(
        [sys.executable, "-c", WINDOW, str(resources.dataset("iris")), first, *HEAVY],
        cwd=folder,
        env={**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen"},
        check=False,
        timeout=280,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def loaded_by_pandas() -> list[str]:
    """Return the modules that pandas loads by itself: pyarrow, if it is installed."""
    code = "import sys, pandas; print(*sys.modules)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.slow
def test_solvers_are_loaded_once_somebody_goes_further_than_the_data(tmp_path: Path) -> None:
    (said, before), (pages, after) = loaded(tmp_path, {"compiled_for": own_version()}, "drawn")
    assert (said, before) == (["drawn"], [name for name in HEAVY if name in loaded_by_pandas()])
    assert "numba" in after
    assert "explain" in pages


@pytest.mark.slow
@pytest.mark.parametrize("kept", [{}, {"page": "train", "compiled_for": own_version()}])
def test_a_first_start_compiles_and_so_does_one_on_a_page_that_trains(tmp_path: Path, kept: dict[str, object]) -> None:
    (said, before), _ = loaded(tmp_path, kept, "prepared")
    assert said == ["drawn", "prepared"]
    assert "numba" in before
    assert "sklearn" not in before
