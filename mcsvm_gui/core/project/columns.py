"""What tables of runs show: one entry per column. Another column is another entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.names import machine_words
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.records import STATES, RunRecord

ORDER = "solved", "nearly", "not solved", "running", "queued", "interrupted", "failed", "discarded"


@dataclass(frozen=True)
class RunColumn:
    """`value` is what is sorted and copied, None where it is not known; `text` is what is shown."""

    name: str
    title: str
    tip: str
    value: Callable[[RunRecord], Any]
    text: Callable[[RunRecord], str]
    number: bool = False
    editable: bool = False
    width: int = 0  # characters it should have room for; 0 is those of its title


def columns() -> tuple[RunColumn, ...]:
    """In the language of the moment, looked up once."""
    machines, states = machine_words(), state_words()
    return (
        RunColumn("name", tr("Run"), tr("Its name"), _name, _name, editable=True, width=13),
        RunColumn(
            "machine",
            tr("Machine"),
            tr("Which multi-class machine"),
            _machine,
            lambda run: machines.get(run.machine, run.machine),
            width=19,
        ),
        RunColumn(
            "state",
            tr("State"),
            tr("Solved or not; the gap says to what"),
            _state,
            lambda run: states[_standing(run)],
            width=17,
        ),
        _figure("relative_gap", tr("Gap"), tr("How far it can be from the optimum"), _gap, 12),
        _share("test_accuracy", tr("Test"), tr("Accuracy on rows that it was not trained on"), "n_test"),
        _share("train_accuracy", tr("Training"), tr("Accuracy on the rows that it was trained on"), "n_train"),
        _figure("seconds", tr("Time"), tr("Seconds of training alone"), figures.seconds, 9),
        _figure("n_support", tr("Support"), tr("Support vectors"), _count, 8),
        _figure("n_bounded", tr("Bounded"), tr("Support vectors at their bound"), _count, 8),
        _figure("iterations", tr("Steps"), tr("Steps of the solver"), _count, 10),
        RunColumn("kernel", tr("Kernel"), tr("The kernel"), lambda run: run.kernel, lambda run: run.kernel, width=9),
        _figure("C", tr("C"), tr("The price of an error"), figures.parameter, 7),
        _figure("gamma", tr("gamma"), tr("The kernel's gamma"), figures.parameter, 9),
        RunColumn("solver", tr("Solver"), tr("Who solved it"), lambda run: run.solver, lambda run: run.solver, width=8),
        _figure("seed", tr("Seed"), tr("Of the split and the order"), figures.parameter, 5),
        RunColumn("data", tr("Data"), tr("The file it was trained on"), _data, _data, width=14),
        RunColumn("created", tr("Begun"), tr("When it was begun"), lambda run: run.created, _begun, width=17),
        RunColumn("note", tr("Note"), tr("Your own words"), _note, _note, editable=True, width=24),
    )


def _figure(name: str, title: str, tip: str, printed: Callable[[Any], str], width: int) -> RunColumn:
    def value(run: RunRecord) -> Any:
        return getattr(run, name)

    return RunColumn(name, title, tip, value, lambda run: printed(value(run)), number=True, width=width)


def _share(name: str, title: str, tip: str, rows: str) -> RunColumn:
    """Of many rows more digits are known."""

    def text(run: RunRecord) -> str:
        known = getattr(run, rows)
        return figures.accuracy(getattr(run, name), int(known) if known and known >= 1 else None)

    return RunColumn(name, title, tip, lambda run: getattr(run, name), text, number=True, width=8)


def _name(run: RunRecord) -> str:
    return run.name


def _note(run: RunRecord) -> str:
    return run.note


def _data(run: RunRecord) -> str:
    return run.data_name


def _begun(run: RunRecord) -> str:
    return figures.moment(run.created)


def _machine(run: RunRecord) -> str:
    return run.machine


def _count(number: float | None) -> str:
    return figures.count(None if number is None else int(number))


def _gap(relative: float | None) -> str:
    return figures.gap(None if relative is None else max(relative, 0.0))


# -- the state ------------------------------------------------------------------------------------


def kind_of(run: RunRecord) -> str:
    """What sign it has: a kind of badge."""
    if run.state == JobState.DONE:
        return run.verdict or "waiting"
    return JobState(run.state).sign


def state_words() -> dict[str, str]:
    """Without the gap, which has its own column."""
    return {
        "solved": tr("Solved"),
        "nearly": tr("Nearly solved"),
        "not solved": tr("Not solved"),
        "unreadable": tr("Unreadable"),
        **{state.value: state.label for state in STATES},
    }


def _standing(run: RunRecord) -> str:
    return run.verdict or "unreadable" if run.state == JobState.DONE else run.state


def _state(run: RunRecord) -> tuple[int, float]:
    """The best solved first."""
    state, gap = run.verdict if run.state == JobState.DONE else run.state, run.relative_gap
    return ORDER.index(state) if state in ORDER else len(ORDER), float("inf") if gap is None else gap
