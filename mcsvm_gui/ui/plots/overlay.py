"""The training histories of several finished runs in one plot, against time."""

from __future__ import annotations

from collections.abc import Sequence

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.compare import overlays, variants
from mcsvm_gui.core.compare.overlays import KINDS, LOGARITHMIC
from mcsvm_gui.core.evaluate.curves import History
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.plots.lines import LinePlot, LineStyle


def kind_titles() -> dict[str, str]:
    return {
        "gap": tr("Relative gap"),
        "violation": tr("Violation of optimality"),
        "primal": tr("Primal"),
        "dual": tr("Dual"),
        "support": tr("Support vectors"),
    }


class TraceOverlay(LinePlot):
    named_at_ends = True

    def __init__(self) -> None:
        self.kind = "gap"
        self.log_time = True
        self._histories: tuple[History, ...] = ()
        super().__init__("traceOverlayPlot", tr("Relative gap"), tr("seconds of training"), "")
        self.set_log(self.log_time, True)

    def show_histories(self, histories: Sequence[History]) -> None:
        self._histories = tuple(histories)
        self._draw()

    def show_kind(self, kind: str, log_time: bool) -> None:
        self.kind, self.log_time = kind, log_time
        self.titled = kind_titles()[kind]
        self.setAccessibleName(self.titled)
        self.retheme()
        self._draw()
        self.set_log(log_time, kind in LOGARITHMIC)
        self.fit()

    def retheme(self) -> None:
        super().retheme()
        if self._built:
            self._draw()

    def _draw(self) -> None:
        for run in self.runs - {history.run for history in self._histories}:
            self.drop(run)
        self.labels = {history.run: history.label for history in self._histories}
        numbers = variants.numbers([history.machine for history in self._histories])
        for history, number in zip(self._histories, numbers, strict=True):
            line = overlays.line(history, self.kind)
            self.drop(history.run, [kind for kind in KINDS if kind != self.kind])
            self.put(LineStyle(history.run, self.kind, self.titled, theme.machine_style(history.machine, number)), line)
        self.reach = overlays.reach(self._histories, self.log_time)
        self.relabel()
        self.finish()

    def written(self, value: float) -> str:
        if self.kind == "gap":
            return figures.gap(value)
        return figures.count(round(value)) if self.kind == "support" else figures.objective(value)
