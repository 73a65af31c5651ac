"""The window under random use: does its memory stay flat?

    MCSVM_SOAK=3600 python -m pytest tests/benchmarks/bench_soak.py -s    # an hour; without it, five minutes

Trainings, searches, pages, data sets, themes, deletions and undo in any order, by a seed (MCSVM_SEED). Twelve runs
are kept; then all are deleted and forgotten. Resident memory is taken where nothing runs, once a round: the table
has its mean over tenths of the time, and the line through the second half says how many MB an hour it would grow by.
At the end all runs are deleted, every page is shown once more, and no record, trace or model may be left.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import random
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from journeys.hand import Hand
from pytestqt.qtbot import QtBot

from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.tune.search import TuneRequest

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(0)]
SECONDS = float(os.environ.get("MCSVM_SOAK", 300))
SEED = int(os.environ.get("MCSVM_SEED", 0))
MACHINES = "ww", "llw", "cs", "ova", "ovo", "dag"
PAGES = "Data", "Train", "Tune", "Compare", "Predict", "Playground", "Explain"
DATA = "iris", "wine", "glass"
KEPT = 12  # runs
ACTIONS = 15  # a round
GONE = "RunRecord", "Trace", "RunSeries", "TrainedModel", "ScoredRun", "RunScores"  # with the last run
BOUNDED = "CellResult", "FoldResult", "Dataset", "Search"  # printed: how many of them is decided by their caches


class User:
    def __init__(self, hand: Hand) -> None:
        self.hand, self.chance, self.deleted = hand, random.Random(SEED), 0
        self.done: dict[str, int] = {}
        self.actions = [self.train, self.train, self.turn, self.turn, self.look, self.delete, self.undo, self.theme]
        self.actions += [self.search, self.open, self.stop, self.rest]

    def round(self) -> None:
        for _ in range(ACTIONS):
            action = self.chance.choice(self.actions)
            action()
            self.done[action.__name__] = self.done.get(action.__name__, 0) + 1
        self.settle()

    def settle(self) -> None:
        hand = self.hand
        hand.window.assembly.queue.stop_all()
        hand.wait(lambda: not hand.active and not hand.work.searches.active and not hand.work.tasks.busy)
        if len(hand.runs.ids()) >= KEPT:
            self.forget_all()
        hand.bot.wait(200)

    def forget_all(self) -> None:
        self.hand.runs.delete(self.hand.runs.ids())
        self.hand.runs.undo_stack.clear()
        self.deleted = 0

    def train(self) -> None:
        self.hand.go("Train")
        self.hand.choose("machineCombo", self.chance.choice(MACHINES))
        slow = self.chance.random() < 0.3
        self.hand.choose("solverCombo", "smo" if slow else "auto")
        self.hand.type("costEdit", "2^12" if slow else "1")
        self.hand.click("startButton")

    def search(self) -> None:
        work = self.hand.work
        if len(work.searches.active) < 1:
            request = replace(work.base_request(), holdout=None)
            machines = (self.chance.choice(MACHINES),)
            wanted = TuneRequest(machines, Range(0.0, 4.0), Range(-4.0, 0.0), folds=3, jobs=1)
            work.searches.start(request, wanted, work.dataset)

    def turn(self) -> None:
        self.hand.go(self.chance.choice(PAGES))

    def look(self) -> None:
        ids = self.hand.runs.ids()
        self.hand.select_runs(*self.chance.sample(ids, min(len(ids), self.chance.randint(0, 4))))

    def delete(self) -> None:
        ids = self.hand.runs.ids()
        if ids:
            self.deleted += len(self.hand.runs.delete([self.chance.choice(ids)]))

    def undo(self) -> None:
        if self.deleted:
            self.hand.window.action("undoAction").trigger()
            self.deleted -= 1

    def theme(self) -> None:
        self.hand.work.settings["theme"] = self.chance.choice(["light", "dark"])

    def open(self) -> None:
        work = self.hand.work
        if not self.hand.active and not work.searches.active:
            work.open_data(str(resources.dataset(self.chance.choice(DATA))))
            self.hand.wait(lambda: not work.tasks.busy)

    def stop(self) -> None:
        if self.hand.active:
            self.hand.window.assembly.queue.stop(self.chance.choice(self.hand.active))

    def rest(self) -> None:
        self.hand.bot.wait(self.chance.randint(0, 300))


def left_over(user: User) -> Counter[str]:
    """How many objects of each class are alive once no run is there and every page has seen that."""
    user.settle()
    user.forget_all()
    for page in PAGES:
        user.hand.go(page)
        user.hand.bot.wait(200)
        user.hand.wait(lambda: not user.hand.work.tasks.busy)
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects())


def resident() -> float:
    """MB, from Linux's own account of this process, without what the allocator keeps of memory given back."""
    with contextlib.suppress(AttributeError):  # another C library than glibc
        ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_memory_stays_flat(qtbot: QtBot, tmp_path: Path) -> None:
    hand = Hand(qtbot, tmp_path / "soak.mcsvmproj", tmp_path / "settings.json")
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    user, began = User(hand), time.monotonic()
    seen: list[tuple[float, float, int]] = []
    while time.monotonic() - began < SECONDS:
        user.round()
        gc.collect()  # everything else of the program rests
        seen.append((time.monotonic() - began, resident(), len(gc.get_objects())))
    left = left_over(user)
    hand.leave()
    times, memory, objects = np.array(seen).T
    print(f"\n{times[-1]:.0f} s, {len(seen)} rounds, seed {SEED}: {dict(sorted(user.done.items()))}")
    for number in range(10):
        inside = (times >= number * times[-1] / 10) & (times <= (number + 1) * times[-1] / 10)
        if inside.any():
            middle = (number + 0.5) * times[-1] / 10
            print(f"{middle:8.0f} s {memory[inside].mean():8.1f} MB {objects[inside].mean():10.0f} objects")
    late = times > times[-1] / 2
    slope = 3600 * np.polyfit(times[late], memory[late], 1)[0]
    print(f"second half: {slope:+.1f} MB an hour")
    print(f"without runs: { ({name: left[name] for name in (*GONE, *BOUNDED)}) }")
    assert not any(left[name] for name in GONE)
