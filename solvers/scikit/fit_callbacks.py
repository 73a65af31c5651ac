"""scikit-learn's callbacks (SLEP 23) around a fit, if the installed scikit-learn has them (1.9 and later)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CallbackSupport", "FitTask"]

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
except ImportError:  # an older scikit-learn

    class CallbackSupport:  # type: ignore[no-redef]
        """A base class without `set_callbacks`."""


class FitTask:
    """The contexts that scikit-learn's callbacks get: one for the fit, and below it one for each slice of the run."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._shown = {
            "estimator": estimator,
            "X": X,
            "y": y,
            "metadata": {} if sample_weight is None else {"sample_weight": sample_weight},
        }
        begin = getattr(estimator, "_init_callback_context", None)
        self._fit = None if begin is None else begin(max_subtasks=None)
        self._watched = self._fit is not None and bool(getattr(estimator, "_skl_callbacks", None))
        if self._fit is not None:
            self._fit.call_on_fit_task_begin(**self._shown)

    def enough(self, fitted: Callable[[], dict[str, Any]]) -> bool:
        """Call the callbacks, and return whether one asks to stop. `fitted` returns the attributes for `predict`."""
        if not self._watched:
            return False
        assert self._fit is not None
        task = self._fit.subcontext(task_name="slice")
        task.call_on_fit_task_begin(**self._shown)
        return bool(task.call_on_fit_task_end(**self._shown, reconstruction_attributes=fitted))

    def end(self) -> None:
        if self._fit is not None:
            self._fit.call_on_fit_task_end(**self._shown, reconstruction_attributes={})
