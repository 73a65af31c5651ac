"""The columns of tables of runs, one entry each; a new column is a new entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.compare.measures import MEASURES
from mcsvm_gui.core.machine.names import machine_titles
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.core.project.records import STATES, RunRecord

ORDER = "solved", "close", "not solved", "running", "queued", "interrupted", "failed", "discarded"


@dataclass(frozen=True)
class RunColumn:
    """`value` is sorted and copied, None if unknown; `text` is shown."""

    name: str
    title: str
    tip: str
    value: Callable[[RunRecord], Any]
    text: Callable[[RunRecord], str]
    number: bool = False
    editable: bool = False
    width: int = 0  # width in characters; 0 for the width of its title


def columns() -> tuple[RunColumn, ...]:
    """Return the columns in the current language; texts are looked up once."""
    machines, states = machine_titles(), state_titles()
    return (
        _text("name", tr("Run"), tr("Its name"), 13, editable=True),
        RunColumn(
            "machine",
            _title("machine"),
            tr("Which multi-class machine"),
            attrgetter("machine"),
            lambda run: machines.get(run.machine, run.machine),
            width=19,
        ),
        RunColumn(
            "state",
            tr("State"),
            tr("Solved or not, with the remaining gap"),
            _state,
            lambda run: states[_standing(run)],
            width=17,
        ),
        _figure("relative_gap", tr("How far it can be from the optimum"), _gap, 12),
        _share("test_accuracy", tr("Accuracy on rows that it was not trained on"), "n_test", "accuracy"),
        _share("train_accuracy", tr("Accuracy on the rows that it was trained on"), "n_train", "train_accuracy"),
        _figure("seconds", tr("Seconds of training alone"), figures.seconds, 9),
        _figure("n_support", tr("Support vectors"), _count, 8),
        _figure("n_bounded", tr("Support vectors at their bound"), _count, 8),
        _figure("iterations", tr("Steps of the solver"), _count, 10),
        _text("kernel", _title("kernel"), tr("The kernel"), 9),
        _figure("C", tr("The cost of an error"), figures.brief_parameter, 7),
        _figure("gamma", tr("The kernel's gamma"), figures.brief_parameter, 9),
        _text("solver", _title("solver"), tr("Who solved it"), 8),
        _figure("seed", tr("Seed of the split and of the order"), figures.parameter, 5),
        _text("data", tr("Data"), tr("The file of the training, with roles and preprocessing"), 14, of="data_title"),
        RunColumn("created", tr("Started"), tr("When it was started"), attrgetter("created"), _begun, width=17),
        _text("note", tr("Note"), tr("Your own note"), 24, editable=True),
    )


def _title(measure: str) -> str:
    title = MEASURES[measure].short or MEASURES[measure].title
    return tr(title)


def _text(name: str, title: str, tip: str, width: int, *, of: str = "", editable: bool = False) -> RunColumn:
    """Return a column of texts; `of` is the attribute, if its name differs."""
    value = attrgetter(of or name)
    return RunColumn(name, title, tip, value, value, editable=editable, width=width)


def _figure(name: str, tip: str, printed: Callable[[Any], str], width: int) -> RunColumn:
    value = attrgetter(name)
    return RunColumn(name, _title(name), tip, value, lambda run: printed(value(run)), number=True, width=width)


def _share(name: str, tip: str, rows: str, measure: str) -> RunColumn:
    """Return a column of shares; with many rows, more digits are significant."""

    def text(run: RunRecord) -> str:
        known = getattr(run, rows)
        return figures.accuracy(getattr(run, name), int(known) if known and known >= 1 else None)

    return RunColumn(name, _title(measure), tip, attrgetter(name), text, number=True, width=8)


def _begun(run: RunRecord) -> str:
    return figures.moment(run.created)


def _count(number: float | None) -> str:
    return figures.count(None if number is None else int(number))


def _gap(relative: float | None) -> str:
    return figures.gap(None if relative is None else max(relative, 0.0))


# -- the state ------------------------------------------------------------------------------------


def kind_of(run: RunRecord) -> str:
    """Return the kind of badge of a run."""
    if run.state == JobState.DONE:
        return run.optimality or "waiting"
    return JobState(run.state).sign


def state_titles() -> dict[str, str]:
    """Return the titles of the states, without the gap, which has its own column."""
    return {
        "solved": tr("Solved"),
        "close": tr("Close to solved"),
        "not solved": tr("Not solved"),
        "unreadable": tr("Unreadable"),
        **{state.value: state.label for state in STATES},
    }


def _standing(run: RunRecord) -> str:
    return run.optimality or "unreadable" if run.state == JobState.DONE else run.state


def _state(run: RunRecord) -> tuple[int, float]:
    """Return the sort key of the state, best solved runs first."""
    state, gap = run.optimality if run.state == JobState.DONE else run.state, run.relative_gap
    return ORDER.index(state) if state in ORDER else len(ORDER), float("inf") if gap is None else gap
