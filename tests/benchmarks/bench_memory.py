"""The memory of the real window: at rest with a small file open, after the solvers were loaded, and after much work.

    python -m pytest tests/benchmarks/bench_memory.py -s

Resident and anonymous megabytes (/proc/self/statm; anonymous: without what is mapped from files), printed. A second
start: the first one also compiles. 100 runs on the bundled glass, then 10 searches of two machines.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from copies import import_path

from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.about import own_version

ROOT = Path(__file__).resolve().parents[2]
WINDOW = """
import sys, time
from PySide6.QtWidgets import QApplication
from mcsvm_gui.assembly import assemble
from mcsvm_gui.ui.threads.garbage import GarbageCollector

def tell(what):
    size, resident, shared, *rest = (int(part) * 4096 / 2**20 for part in open("/proc/self/statm").read().split())
    print(f"  {what:<44} {resident:6.0f} MB resident, {resident - shared:4.0f} anonymous", flush=True)

def wait(condition):
    while not condition():
        application.processEvents()
        time.sleep(0.002)

def rest(seconds=3.0):
    end = time.monotonic() + seconds
    wait(lambda: time.monotonic() > end and not work.tasks.busy)

application = QApplication([])
garbage = GarbageCollector(application)
window = assemble("a.mcsvmproj", "settings.json")
assembly, seen = window.assembly, []
work, page = assembly.workspace, assembly.page("data")
assembly.drawn.connect(garbage.spare_what_is_loaded)
assembly.prepared.connect(garbage.spare_what_is_loaded)
assembly.drawn.connect(lambda: seen.append("drawn"))
assembly.prepared.connect(lambda: seen.append("prepared"))
window.resize(1440, 900)
window.show()
wait(lambda: seen)
work.open_data(sys.argv[1])
wait(lambda: work.dataset is not None and not page.looking and not work.tasks.busy)
rest()
tell("at rest, a small file open")
window.show_page("train")
wait(lambda: "prepared" in seen)
rest()
tell("the Train page seen, solvers loaded")
work.set_preparation(holdout=0.3)
machines = "ww", "llw", "cs", "ova", "ovo", "dag"

def train(count, first):
    for number in range(first, first + count):
        work.train([work.base_request(machine=machines[number % 6], C=2.0 ** (number % 9), gamma=0.5)])
    wait(lambda: not work.queue.active() and not work.tasks.busy)
    rest()

train(6, 0)
tell("6 runs, their leaderboard")
train(100, 6)
tell("100 runs more")
from mcsvm_gui.core.tune.options import TuneRequest  # here: else the solvers were loaded before
from mcsvm.solvers.selection.grid import Range

def search(count, first):
    for number in range(first, first + count):
        asked = TuneRequest(("ww", "ovo"), Range(-1.0, 5.0, 2.0), Range(-5.0, float(number % 3), 2.0), folds=3 + number)
        work.searches.start(work.base_request(machine="ww"), asked, work.dataset)
        wait(lambda: not work.searches.active)
    rest()

window.show_page("tune")
rest()
tell("the Tune page seen")
search(1, 0)
tell("a search")
search(10, 1)
tell("10 searches more")
assembly.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_memory(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"compiled_for": own_version(), "page": "data"}), "utf-8")
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "STATE")}
    done = subprocess.run(
        [sys.executable, "-c", WINDOW, str(resources.dataset("glass"))],
        cwd=tmp_path,
        env={**os.environ, **homes, "PYTHONPATH": import_path(), "QT_QPA_PLATFORM": "offscreen"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    print(f"\n{done.stdout}", end="")
