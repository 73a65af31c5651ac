"""Twenty runs with pauses, stops, deletions and page changes in any order: nothing is lost, nothing leaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

from mcsvm_gui.core.base import resources

MACHINES = "ww", "llw", "cs", "ova", "ovo", "dag"
PAGES = "Data", "Train", "Compare", "Predict"
MOST = 20
AT_REST = "done", "failed", "discarded"


def test_any_order_of_wishes(open_window: Callable[[], Hand]) -> None:
    hand = open_window()
    hand.work.open_data(str(resources.dataset("iris")))
    hand.wait(lambda: hand.work.dataset is not None)

    class Story(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.begun: list[int] = []
            self.deleted: list[int] = []

        @initialize()
        def begin(self) -> None:
            hand.go("Train")

        @rule(machine=st.sampled_from(MACHINES), slow=st.booleans())
        @precondition(lambda self: len(self.begun) < MOST)
        def train(self, machine: str, slow: bool) -> None:
            hand.go("Train")
            hand.choose("machineCombo", machine)
            hand.choose("solverCombo", "smo" if slow else "auto")
            hand.type("costEdit", "2^14" if slow else "1")
            hand.type("gammaEdit", "0.01" if slow else "0.5")
            hand.type("toleranceEdit", "1e-9" if slow else "1e-3")
            hand.click("startButton")
            self.begun.append(hand.runs.ids()[-1])

        @rule(page=st.sampled_from(PAGES))
        def turn_to(self, page: str) -> None:
            hand.go(page)

        @rule(data=st.data(), wish=st.sampled_from(["pause", "resume", "stop", "discard"]))
        @precondition(lambda self: hand.active)
        def wish(self, data: Any, wish: str) -> None:
            getattr(hand.window.assembly.queue, wish)(data.draw(st.sampled_from(hand.active)))

        @rule(data=st.data())
        @precondition(lambda self: hand.runs.ids())
        def look_at_some(self, data: Any) -> None:
            hand.select_runs(*data.draw(st.lists(st.sampled_from(hand.runs.ids()), max_size=4, unique=True)))

        @rule(data=st.data())
        @precondition(lambda self: hand.runs.ids())
        def delete(self, data: Any) -> None:
            self.deleted += hand.runs.delete([data.draw(st.sampled_from(hand.runs.ids()))])

        @rule()
        @precondition(lambda self: self.deleted)
        def undo(self) -> None:
            hand.window.action("undoAction").trigger()
            self.deleted.pop()

        @rule(milliseconds=st.integers(0, 120))
        def wait(self, milliseconds: int) -> None:
            hand.bot.wait(milliseconds)

        @invariant()
        def no_run_is_lost(self) -> None:
            assert set(self.begun) <= set(hand.runs.ids()) | set(self.deleted)

        def teardown(self) -> None:
            hand.window.assembly.queue.stop_all()
            hand.wait(lambda: not hand.active)
            for run in set(self.begun) - set(self.deleted):
                hand.wait(lambda run=run: hand.runs.record(run).state in AT_REST)
                record = hand.runs.record(run)
                assert record.state != "failed", record.error
                if record.state == "done":
                    certificate = record.document["certificate"]
                    assert certificate["dual"] <= certificate["primal"] * (1 + 1e-9) + 1e-9
                    assert hand.runs.model(run).decide(hand.work.dataset).size == 150

    budget = settings(
        max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(Story, settings=budget)
    hand.close()
