"""Runs and searches with pauses, stops, deletions and page changes in any order: nothing is lost, nothing leaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from journeys.hand import Hand

from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.tune.search import TuneRequest

pytestmark = pytest.mark.slow

MACHINES = "ww", "llw", "cs", "ova", "ovo", "dag"
PAGES = "Data", "Train", "Tune", "Compare", "Predict"
MOST = 20
AT_REST = "done", "failed", "discarded"


class Story(RuleBasedStateMachine):
    hand: ClassVar[Hand]

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[int] = []
        self.deleted: set[int] = set()  # by the user, or discarded: Undo brings them back

    @initialize()
    def begin(self) -> None:
        self.hand.runs.removed.connect(self._remove)
        self.hand.runs.added.connect(self._add)
        self.hand.go("Train")

    @rule(machine=st.sampled_from(MACHINES), slow=st.booleans())
    @precondition(lambda self: len(self.begun) < MOST)
    def train(self, machine: str, slow: bool) -> None:
        self.hand.go("Train")
        self.hand.choose("machineCombo", machine)
        self.hand.choose("solverCombo", "smo" if slow else "auto")
        self.hand.type("costEdit", "2^14" if slow else "1")
        self.hand.type("gammaEdit", "0.01" if slow else "0.5")
        self.hand.type("toleranceEdit", "1e-9" if slow else "1e-3")
        self.hand.click("startButton")
        self.begun.append(self.hand.runs.ids()[-1])

    @rule(machines=st.sampled_from([("ovo",), ("ww", "llw")]), folds=st.sampled_from([2, 10]))
    @precondition(lambda self: len(self.hand.work.searches.active) < 2)
    def search(self, machines: tuple[str, ...], folds: int) -> None:
        request = replace(self.hand.work.base_request(), holdout=None)
        wanted = TuneRequest(machines, Range(0.0, 4.0), Range(-4.0, 0.0), folds=folds, jobs=1)
        self.hand.work.searches.start(request, wanted, self.hand.work.dataset)

    @rule(page=st.sampled_from(PAGES))
    def turn_to(self, page: str) -> None:
        self.hand.go(page)

    @rule(data=st.data(), command=st.sampled_from(["pause", "resume", "stop", "discard"]))
    @precondition(lambda self: self.hand.active)
    def command(self, data: Any, command: str) -> None:
        getattr(self.hand.window.assembly.queue, command)(data.draw(st.sampled_from(self.hand.active)))

    @rule(data=st.data())
    @precondition(lambda self: self.hand.runs.ids())
    def look_at_some(self, data: Any) -> None:
        self.hand.select_runs(*data.draw(st.lists(st.sampled_from(self.hand.runs.ids()), max_size=4, unique=True)))

    @rule(data=st.data())
    @precondition(lambda self: self.hand.runs.ids())
    def delete(self, data: Any) -> None:
        self.hand.runs.delete([data.draw(st.sampled_from(self.hand.runs.ids()))])

    @rule()
    @precondition(lambda self: self.deleted)
    def undo(self) -> None:
        before = len(self.deleted)
        self.hand.window.action("undoAction").trigger()
        assert self.hand.window.page == "playground" or len(self.deleted) < before

    def _remove(self, runs: list[int]) -> None:
        self.deleted |= set(runs)

    def _add(self, runs: list[int]) -> None:
        self.deleted -= set(runs)

    @rule(milliseconds=st.integers(0, 120))
    def wait(self, milliseconds: int) -> None:
        self.hand.bot.wait(milliseconds)

    @invariant()
    def no_run_is_lost(self) -> None:
        assert set(self.begun) <= set(self.hand.runs.ids()) | self.deleted

    def teardown(self) -> None:
        hand = self.hand
        hand.wait(lambda: len(hand.work.searches.active) == sum(isinstance(key, str) for key in hand.active))
        hand.window.assembly.queue.stop_all()
        hand.wait(lambda: not hand.active and not hand.work.searches.active)
        last = hand.work.searches.last
        assert last is None or (last.state in AT_REST and not last.error)
        hand.runs.removed.disconnect(self._remove)
        hand.runs.added.disconnect(self._add)
        for run in set(self.begun) - self.deleted:
            hand.wait(lambda run=run: hand.runs.record(run).state in AT_REST)
            record = hand.runs.record(run)
            assert record.state != "failed", record.error
            if record.state == "done":
                certificate = record.document["certificate"]
                assert certificate["dual"] <= certificate["primal"] * (1 + 1e-9) + 1e-9
                assert hand.runs.model(run).decide(hand.work.dataset).size == 150


def test_any_order_of_commands(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)
    budget = settings(
        max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(type("Here", (Story,), {"hand": hand}), settings=budget)
    hand.close()
