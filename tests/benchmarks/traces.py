"""How many files an action of the window passes through, and how often the event loop is part of the way.

    python -m tests.benchmarks.traces [tree] [--before OTHER]

`tree` is the checkout to trace, this one unless given; its `mcsvm_gui` is imported from there. `--before` traces a
second checkout, each in a process of its own, for a column beside it. A profile of Python calls in all threads counts
files of `mcsvm_gui` that are entered while an action lasts, whoever listens included; calls from file to file, each way
once; functions that the event loop or a thread of another package calls, each once (slots of other threads' signals,
timers; not Qt's own events such as painting): there the way goes on from thread to thread; and how often a model is
laid out flat. An action is done a first time before it is counted: imports and code that is compiled belong to a start.
What timers do beside an action depends on chance; of three counts the least is printed. Nothing is timed.

Calls are told from who called, not from what ran before: beside a training the window paints, and so many changes of
the thread say how long it lasted. `--list` prints what was counted.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # seconds that an action may take
TURNS = 3  # of which the least is printed
COUNTED = "files", "hops", "entries"
FORMS = {"_flat", "plain_of"}  # what lays a model out for an export, in one tree or another


@dataclass
class Trace:
    files: set[str] = field(default_factory=set)
    hops: set[tuple[str, str]] = field(default_factory=set)
    calls: Counter[str] = field(default_factory=Counter)
    entries: set[tuple[str, str]] = field(default_factory=set)

    def enter(self, file: str, name: str, caller: str | None) -> None:
        """`caller`: its file; None where it is no file of the package."""
        self.files.add(file)
        self.calls[name] += 1
        if caller is None:
            self.entries.add((file, name))
        elif caller != file:
            self.hops.add((caller, file))


@dataclass(frozen=True)
class Row:
    action: str
    files: int
    hops: int
    entries: int
    forms: int
    lists: dict[str, list[str]]  # of the turn with the fewest hops


class Profile:
    """Of every thread from its start on; what is seen goes to the trace that is being taken."""

    def __init__(self, package: Path) -> None:
        self.root, self.trace = f"{package}{os.sep}", None
        self.wrapped: set[type] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        trace, name = self.trace, frame.f_code.co_name
        if trace is None or event != "call" or name == "<module>" or not self.file(frame):
            return
        caller = frame.f_back
        while caller is not None and not self.file(caller) and caller.f_code.co_filename != __file__:
            caller = caller.f_back
        here = caller is not None and caller.f_code.co_filename == __file__
        if caller is None or (here and caller.f_code.co_name == Desk.wait.__name__):
            if not _is_event(frame):
                trace.enter(self.file(frame), name, None)
        else:
            trace.enter(self.file(frame), name, self.file(frame if here else caller))

    def file(self, frame: FrameType) -> str:
        """Within the package; nothing for those of others."""
        path = frame.f_code.co_filename
        return path.removeprefix(self.root) if path.startswith(self.root) else ""

    def install(self) -> None:
        threading.setprofile(self)
        sys.setprofile(self)
        base = _thread_class()
        start = base.start

        def started(thread: Any, *rest: Any) -> None:
            self.wrap(type(thread))
            start(thread, *rest)

        base.start = started

    def wrap(self, kind: Any) -> None:
        """Qt starts its threads where `threading` does not hear of it."""
        if kind in self.wrapped:
            return
        self.wrapped.add(kind)
        run = kind.run

        def profiled(thread: Any) -> None:
            sys.setprofile(self)
            run(thread)

        kind.run = profiled

    @contextmanager
    def taking(self) -> Iterator[Trace]:
        self.trace = trace = Trace()
        try:
            yield trace
        finally:
            self.trace = None


def _is_event(frame: FrameType) -> bool:
    """Whether Qt asks or tells a widget or a model something: what is called overrides a method of Qt's."""
    owner = type(frame.f_locals.get("self"))
    theirs = [kind for kind in owner.__mro__ if kind.__module__.startswith(("PySide6", "pyqtgraph"))]
    return any(frame.f_code.co_name in vars(kind) for kind in theirs)


def _thread_class() -> Any:
    try:
        from mcsvm_gui.ui.threads.thread import Thread
    except ModuleNotFoundError:  # before there were rooms
        from mcsvm_gui.workers.threads import Thread
    return Thread


class Desk:
    """A window, and what a person does with it."""

    def __init__(self, folder: Path) -> None:
        from PySide6.QtWidgets import QApplication

        from mcsvm_gui.app import create_window

        self.application = QApplication.instance() or QApplication([])
        self.window: Any = create_window(folder / "traces.mcsvmproj", folder / "settings.json")
        self.work = self.window.assembly.workspace
        self.folder, self.turn = folder, 0
        self.work.settings["confirm_close"] = False
        self.window.show()
        self.wait(lambda: len(self.window.pages) >= 6 and self.quiet())

    def wait(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "this state did not come"
            self.application.processEvents()
            time.sleep(0.002)

    def quiet(self) -> bool:
        searches = getattr(self.window.assembly, "searches", None)
        searching = getattr(searches, "running", False)
        return not (self.work.tasks.busy or self.work.queue.active() or searching)

    def rest(self) -> None:
        end = time.monotonic() + 0.6  # plots and dock follow at their own pace
        self.wait(lambda: time.monotonic() > end and self.quiet())

    # -- actions ----------------------------------------------------------------------------------

    def drop_csv(self) -> None:
        self.turn += 1
        names = "iris", "wine"
        self.window.show_page("data")
        self.window.files_dropped.emit([str(self.folder.parent / f"{names[self.turn % 2]}.csv")])
        self.rest()

    def train_all(self) -> None:
        self.window.show_page("train")
        self.window.action("trainAllAction").trigger()
        self.rest()

    def search(self) -> None:
        self.turn += 1
        self.window.show_page("tune")
        page = self.window.pages["tune"].page
        low = f"2^{self.turn % 40}"
        page.set_texts({**page.texts(), "machines": "ww,ovo", "C_from": low, "C_to": low, "folds": "3", "step": "2"})
        page.form_changed.emit()
        self.rest()
        self.window.assembly.page("tune").start()
        self.rest()

    def export(self) -> None:
        """As ONNX where its packages are installed."""
        kind = "onnx" if all(map(find_spec, ("onnx", "onnxruntime"))) else "pmml"
        predict = self.window.assembly.page("predict")
        predict.export(kind, str(self.folder / f"model.{self.turn}"))
        self.turn += 1
        self.rest()


def rows(tree: Path) -> list[Row]:
    """In the process that imports `mcsvm_gui` from that tree."""
    import mcsvm_gui

    package = Path(mcsvm_gui.__file__ or "").parent
    with tempfile.TemporaryDirectory() as home:
        data = Path(home)
        for name in ("iris", "wine"):
            shutil.copy(tree / "resources" / "datasets" / f"{name}.csv", data)
        (data / "project").mkdir()
        profile = Profile(package)
        profile.install()
        desk = Desk(data / "project")
        found = [row(desk, action, getattr(desk, name), profile) for action, name in ACTIONS.items()]
        desk.window.close()
        desk.wait(lambda: not desk.window.isVisible())
        return found


ACTIONS = {
    "a CSV dropped": "drop_csv",
    "six machines trained": "train_all",
    "a search": "search",
    "a model exported": "export",
}


def row(desk: Desk, action: str, act: Callable[[], None], profile: Profile) -> Row:
    if act.__name__ == "export":
        prepare_export(desk)
    act()
    seen = []
    for _ in range(TURNS):
        with profile.taking() as trace:
            act()
        forms = max((count for name, count in trace.calls.items() if name in FORMS), default=0)
        lists = {name: sorted(map(str, getattr(trace, name))) for name in COUNTED}
        seen.append(Row(action, *(len(lists[name]) for name in COUNTED), forms, lists))
    least = (min(getattr(one, name) for one in seen) for name in (*COUNTED, "forms"))
    return Row(action, *least, min(seen, key=lambda one: one.hops).lists)


def prepare_export(desk: Desk) -> None:
    desk.window.show_page("predict")
    desk.work.runs.select(desk.work.runs.ids()[:1])
    desk.rest()
    desk.window.assembly.page("predict").use_selected_run()
    desk.rest()


def of(tree: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as home:
        homes = {f"XDG_{kind}_HOME": home for kind in ("DATA", "CONFIG", "STATE")}
        environment = {
            **os.environ,
            **homes,
            "PYTHONPATH": f"{tree / 'packaging' / 'python'}{os.pathsep}{tree}",
            "QT_QPA_PLATFORM": "offscreen",
            "LANG": "C.UTF-8",
        }
        command = [sys.executable, __file__, str(tree), "--json"]
        said = subprocess.run(command, env=environment, cwd=tree, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [Row(**one) for one in json.loads(said.splitlines()[-1])]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", type=Path, nargs="?", default=HERE)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--list", action="store_true", help="files, calls and entries of `tree` below the table")
    parser.add_argument("--json", action="store_true", help="for the process that does it")
    options = parser.parse_args()
    if options.json:
        print(json.dumps([asdict(one) for one in rows(options.tree.resolve())]))
        return
    trees = [tree.resolve() for tree in (options.before, options.tree) if tree is not None]
    columns = [of(tree) for tree in trees]
    print(f"{'':24}" + "".join(f"{name:>28}" for name in (["before", "now"] if len(columns) > 1 else ["now"])))
    print(f"{'':24}" + f"{'files  hops  entries  forms':>28}" * len(columns))
    for facts in zip(*columns, strict=True):
        told = (f"{one.files:5d} {one.hops:5d} {one.entries:8d} {one.forms:6d}" for one in facts)
        print(f"{facts[0].action:24}" + "".join(f"{text:>28}" for text in told))
    for one in columns[-1] if options.list else ():
        for name, found in one.lists.items():
            print(f"\n{one.action}, {name}:", *found, sep="\n    ")


if __name__ == "__main__":
    main()
