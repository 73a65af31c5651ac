"""The table of compared measures: name, value, number format and better direction of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.base.options import Option
from mcsvm_gui.core.machine.request import OPTIONS
from mcsvm_gui.core.machine.summary import badge

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.comparison import Comparison, Side

ENDINGS = {
    "converged": Sentence("converged"),
    "step limit": Sentence("step limit"),
    "time limit": Sentence("time limit"),
    "stopped": Sentence("stopped"),
    "stalled": Sentence("stalled"),
}


@dataclass(frozen=True)
class Measure:
    name: str
    title: str  # plain English; windows translate it
    value: Callable[[Side], Any]
    printed: Callable[[Any], str] = str
    better: int = 0  # 1: more is better, -1: less is better, 0: neither
    group: str = "result"  # "result" or "setting"
    tip: str = ""
    short: str = ""  # title for a narrow column, if the full title is too long


@dataclass(frozen=True)
class MeasureRow:
    """The values of one measure for all sides."""

    measure: Measure
    values: tuple[Any, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(figures.NONE if value is None else self.measure.printed(value) for value in self.values)

    @property
    def differs(self) -> bool:
        return len(set(self.texts)) > 1

    @property
    def best(self) -> tuple[int, ...]:
        """Return the positions of the best displayed value; none unless at least two displayed values differ."""
        known = [value for value in self.values if value is not None]
        shown = {text for text, value in zip(self.texts, self.values, strict=True) if value is not None}
        if not self.measure.better or len(known) < 2 or len(shown) < 2:
            return ()
        top = max(known) if self.measure.better > 0 else min(known)
        best = self.texts[self.values.index(top)]
        return tuple(place for place, text in enumerate(self.texts) if text == best)


def measure_rows(comparison: Comparison, *, differences_only: bool = False) -> list[MeasureRow]:
    """Return the row of every measure that at least one side has."""
    lines = [
        MeasureRow(measure, tuple(measure.value(side) for side in comparison.sides)) for measure in MEASURES.values()
    ]
    known = [line for line in lines if any(value is not None for value in line.values)]
    return [line for line in known if line.differs] if differences_only else known


# -- values ---------------------------------------------------------------------------------------


def _of(*names: str) -> Callable[[Side], Any]:
    def value(side: Side) -> Any:
        found: Any = side.document
        for name in names:
            found = found.get(name) if hasattr(found, "get") else None
        return found

    return value


def _score(name: str) -> Callable[[Side], float | None]:
    return lambda side: None if side.scores is None else getattr(side.scores, name)


def _rank(name: str) -> Callable[[Side], float | None]:
    return lambda side: None if side.ranked is None else getattr(side.ranked, name)


def _total(side: Side) -> float | None:
    return None if side.violations is None else side.violations.total


def _target(side: Side) -> float | None:
    return None if side.violations is None else side.violations.target


def _intercept(side: Side) -> float | None:
    bound = None if side.violations is None else side.violations.bound()
    return None if bound is None else bound.intercept


def _slope(side: Side) -> float | None:
    bound = None if side.violations is None else side.violations.bound()
    return None if bound is None else bound.slope


def _certificate(side: Side) -> str:
    return badge(side.document).text


def _gap(side: Side) -> float | None:
    gap = _of("certificate", "relative_gap")(side)
    return None if gap is None else max(float(gap), 0.0)


def _plain(value: Any) -> str:
    return figures.parameter(value) if isinstance(value, (int, float, str)) else str(value)


def _ended(value: str) -> str:
    return worded(ENDINGS.get(value, value))


def _count(value: Any) -> str:
    return figures.count(int(value))


def _setting(name: str, title: str, *path: str) -> Measure:
    return Measure(name, title, _of(*(path or (name,))), _plain, group="setting")


def _setting_of(option: Option) -> Measure:
    """Return the measure of a training option, if the document contains it."""
    of_kernel = ("kernel", option.name) if option.of_kernel else (option.name,)
    return _setting(option.name, option.title, *(("kernel", "name") if option.name == "kernel" else of_kernel))


def _result(name: str, title: str, value: Callable[[Side], Any], printed: Any, better: int, short: str = "") -> Measure:
    return Measure(name, title, value, printed, better, short=short)


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        *(_setting_of(option) for option in OPTIONS.values() if option.commands),
        _setting("solver_used", "Solver that trained"),
        _setting("weights", "Weight column", "weights", "column"),
        _setting("n_train", "Training rows"),
        _result("accuracy", "Accuracy", _score("accuracy"), figures.accuracy, 1, "Test"),
        _result("balanced_accuracy", "Balanced accuracy", _score("balanced_accuracy"), figures.accuracy, 1),
        _result("macro_f1", "Macro F1", _score("macro_f1"), partial(figures.rating, decimals=3), 1),
        _result("kappa", "Cohen's kappa", _score("kappa"), partial(figures.rating, decimals=3), 1),
        _result("log_loss", "Log loss", _rank("log_loss"), figures.rating, -1),
        _result("roc_auc", "Area under ROC, mean over classes", _rank("roc_auc"), figures.rating, 1, "ROC area"),
        _result("train_accuracy", "Training accuracy", _of("train_accuracy"), figures.accuracy, 0, "Training"),
        _result("certificate", "Certificate", _certificate, str, 0),
        _result("relative_gap", "Relative gap", _gap, figures.gap, -1, "Gap"),
        _result("primal", "Primal", _of("certificate", "primal"), figures.objective, 0),
        _result("dual", "Dual", _of("certificate", "dual"), figures.objective, 0),
        _result("violation", "Largest violation", _of("certificate", "violation"), figures.violation, -1),
        _result("ending", "Ending", _of("ending"), _ended, 0),
        _result("iterations", "Iterations", _of("iterations"), _count, 0, "Steps"),
        _result("seconds", "Training time", _of("seconds"), figures.seconds, -1, "Time"),
        _result("prediction", "Prediction, a row", lambda side: side.row_seconds, figures.seconds, -1),
        _result("n_support", "Support vectors", _of("n_support"), _count, -1, "Support"),
        _result("n_bounded", "Bounded", _of("n_bounded"), _count, 0),
        _result("target", "Target margin", _target, partial(figures.number, digits=4), 0),
        _result("violations", "Target-margin violations, sum", _total, partial(figures.number, digits=5), 0),
        Measure(
            "bound",
            "Loose bound, without its complexity term",
            _intercept,
            figures.number,
            tip="Dogan et al. (2011), equation 6: loose; to compare machines, never a promise.",
        ),
        Measure("bound_slope", "Loose bound, for each unit of fat-shattering", _slope, figures.number),
    )
}
