"""The leaderboard of the Train page: the runs with the same test rows, the best first, and their conclusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, QPoint, QSignalBlocker, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.machine.identity import differ_in_preprocessing, preprocessing_text
from mcsvm_gui.core.project.leaderboard import (
    BASELINES,
    CHOSEN,
    PREPROCESSING,
    Standings,
    Validation,
    baseline_rows,
    best_solved,
    is_final,
    known_baselines,
    leaderboard_columns,
    measure_in,
    peers,
    standings,
)
from mcsvm_gui.core.project.records import from_json, to_json
from mcsvm_gui.ui.kit import icons, theme
from mcsvm_gui.ui.kit.theme import UNIT
from mcsvm_gui.ui.runs.table import RunTable
from mcsvm_gui.ui.threads.baselines import TestedRun

if TYPE_CHECKING:
    from mcsvm_gui.core.compare.baselines import BaselineResult
    from mcsvm_gui.core.compare.conclusion import Conclusion, FinalModel, NextStep
    from mcsvm_gui.core.compare.standings import RunScores
    from mcsvm_gui.core.compare.tested_runs import RowCache
    from mcsvm_gui.core.project.records import RunRecord
    from mcsvm_gui.ui.runs.workspace import Workspace

MOST = 24  # limit on the runs that are scored and compared: 276 pairs, 0.2 s
LEAST_FIRST = (
    "data",
    "kernel",
    "gamma",
    "C",
    "n_support",
    "seconds",
    "balanced_accuracy",
    "interval",
)  # columns to hide, the least important first
MEASURED = 40  # rows whose cells determine the width of a column
LONGEST = 22  # width limit of a column, in digits
MARGINS = 5 * UNIT // 4  # around the text of a cell, in pixels
HEADER = 7 * UNIT // 2  # pixels
FEWEST, ROWS = 2, 6  # smallest and largest number of rows that are visible without scrolling in a low window


class Leaderboard(RunTable):
    def __init__(self) -> None:
        self.standings: Standings = {}
        self.baseline: RunRecord | None = None  # the run that the others are compared with
        self._records: Sequence[RunRecord] = ()
        super().__init__(leaderboard_columns(lambda: self.standings, lambda: self.baseline))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.setObjectName("leaderboard")
        self.setAccessibleName(tr("Leaderboard"))
        self.verticalHeader().setDefaultSectionSize(3 * UNIT)
        self.horizontalHeader().setFixedHeight(HEADER)
        self._make_room()
        self.horizontalHeader().setStretchLastSection(True)
        digit = self.fontMetrics().horizontalAdvance("0")
        self._widths: dict[str, int] = {}  # minimum width of each column in pixels
        for place, column in enumerate(self.runs.columns):
            words = self.fontMetrics().horizontalAdvance(column.title) + MARGINS + (place == 0) * 2 * UNIT
            self._widths[column.name] = max(words, column.width * digit + MARGINS)
            self.setColumnWidth(place, self._widths[column.name])
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)

    def _retheme(self) -> None:
        """Make headings narrow, so that ten columns fit next to each other in every language."""
        super()._retheme()
        self.setStyleSheet(f"{self.styleSheet()} QHeaderView::section {{ padding: {UNIT // 2}px {UNIT - 3}px; }}")

    def show_runs(self, records: Sequence[RunRecord], standings: Standings) -> None:
        self._records, self.standings = records, standings
        if self.baseline is not None and self.baseline.id not in standings:
            self.baseline = None
        known, chosen = self.runs.shown(), self._chosen
        with QSignalBlocker(self):  # Qt deselects rows as rows come and go; the user did not
            for run in set(known) - {record.id for record in records}:
                self.runs.remove(run)
            for record in records:
                self.runs.put(record)
            self.runs.arrange()
            self.choose(chosen)
        self._choose_columns()
        self._make_room()

    def _make_room(self) -> None:
        """Set the height to the number of runs, within bounds, and leave the rest to the plots."""
        rows = min(max(self.runs.rowCount(), FEWEST), ROWS)
        self.setMinimumHeight(rows * 3 * UNIT + HEADER + 2 * self.frameWidth())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose_columns()

    def _choose_columns(self) -> None:
        """Hide columns without values, then the least important ones until no scroll bar is needed."""
        widths = {column.name: self._width_of(column.name) for column in self.runs.columns}
        names = set(widths)
        if all(standing.validation is None for standing in self.standings.values()):
            names.discard("validation")
        if self.baseline is None:
            names.discard("difference")
        scrolled = self.runs.rowCount() * self.verticalHeader().defaultSectionSize() + HEADER > self.height()
        bar = self.verticalScrollBar().sizeHint().width() if scrolled else 0
        room = self.width() - 2 * self.frameWidth() - bar
        if not differ_in_preprocessing(one.plain_request for one in self._records if one.id > 0):
            names.discard(PREPROCESSING)
        for name in LEAST_FIRST:
            if sum(widths[visible] for visible in names - self.unwanted) <= room:
                break
            names.discard(name)
        for place, column in enumerate(self.runs.columns):
            self.setColumnWidth(place, widths[column.name])
        self.show_columns(names)

    def _place(self, name: str) -> int:
        return next(place for place, column in enumerate(self.runs.columns) if column.name == name)

    def _width_of(self, name: str) -> int:
        """Return the width at which the cells of a column are fully visible, within bounds."""
        place, metrics = self._place(name), self.fontMetrics()
        cells = [self.runs.index(row, place) for row in range(min(self.runs.rowCount(), MEASURED))]
        if name in ("machine", "state"):  # a mark precedes the text
            needed = (self.sizeHintForIndex(cell).width() for cell in cells)
        else:
            needed = (metrics.horizontalAdvance(str(cell.data())) + UNIT for cell in cells)
        most = LONGEST * metrics.horizontalAdvance("0")
        return max(self._widths[name], min(max(needed, default=0) + MARGINS, most))

    def pin(self, run: int | None) -> None:
        """Compare the other runs with this one; None: compare with no run."""
        records = {record.id: record for record in self._records}
        self.baseline = None if run is None else records.get(run)
        self.show_runs(self._records, self.standings)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setObjectName("leaderboardMenu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        index = self.indexAt(place)
        if index.isValid():
            run = self.runs.run_at(index.row())
            menu.addAction(tr("Show differences to this run"), lambda: self.pin(run)).setObjectName("pinAction")
            self.add_continue(menu)
        if self.baseline is not None:
            menu.addAction(tr("Show no differences"), lambda: self.pin(None)).setObjectName("unpinAction")
        menu.addAction(icons.icon("copy"), tr("Copy"), self.copy)
        self.add_column_menu(menu)
        menu.popup(self.viewport().mapToGlobal(place))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.runs.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(QColor(theme.current().muted))
            words = tr("Runs that were tested on the same rows appear here, the best first.")
            painter.drawText(self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, words)
            painter.end()

    def put(self, record: RunRecord) -> None:
        """Update the record of a running run."""
        self.runs.put(record)


class StandingsView(Protocol):
    chosen: SignalInstance
    step_asked: SignalInstance
    use_asked: SignalInstance

    def show_standings(self, records: Sequence[RunRecord], standings: Standings) -> None: ...
    def put_standing(self, record: RunRecord) -> None: ...
    def choose(self, runs: Sequence[int]) -> None: ...
    def show_conclusion(self, words: str, steps: Sequence[NextStep], quality: str, verdict: str, tip: str) -> None: ...


class LeaderboardPresenter(QObject):
    """Shows the runs with the same test rows as the run selected last, or else as the newest run.

    Scores each run on these rows once, in the background; then compares all of them with each other.
    """

    concluded = Signal(object)  # a Conclusion or None

    def __init__(self, view: StandingsView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view, self._workspace, self._runs = view, workspace, workspace.runs
        self._scores: dict[int, RunScores | None] = {}
        self._library: dict[str, RowCache] = {}  # created by the first task, because its imports are slow
        self._shown: list[int] = []
        self._working, self._age = False, 0
        self._compared: tuple[int, ...] = ()
        self._seen: tuple[tuple[int, ...], tuple[int, ...]] = (), ()  # runs and final models of the last comparison
        self.conclusion: Conclusion | None = None
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._look)
        view.chosen.connect(self._runs.select)
        self._runs.selection_changed.connect(self._choose)
        self._runs.project_read.connect(self._forget)
        workspace.scope.changed.connect(self._soon.start)
        self._runs.changed.connect(self._changed)
        for signal in (self._runs.added, self._runs.removed):
            signal.connect(lambda _: self._soon.start())
        self._look()

    def _forget(self) -> None:
        """Forget all scores, because runs of another project have the same numbers."""
        self._age += 1
        self._scores, self._library, self._compared, self.conclusion = {}, {}, (), None
        self._seen = (), ()
        self._soon.start()

    def _changed(self, run: int) -> None:
        record = self._runs.record(run)
        if record.active:
            self._scores.pop(run, None)  # scores of the model before the run was continued
        if record.active and run in self._shown:
            self._view.put_standing(record)
        else:
            self._soon.start()

    def _choose(self) -> None:
        chosen = self._runs.selected
        if chosen and chosen[-1] not in self._shown and self._workspace.scope.holds(self._runs.record(chosen[-1])):
            self._soon.start()
        else:
            self._view.choose(chosen)

    # -- selection of runs ------------------------------------------------------------------------

    def _look(self) -> None:
        self._scores = {run: found for run, found in self._scores.items() if run in self._runs}
        records = self._peers()
        self._shown = [record.id for record in records]
        known = {run: found for run, found in self._scores.items() if found is not None}
        self._show_standings(records, known)
        self._view.choose(self._runs.selected)
        if self._choice_goes_on() or not any(record.document is not None for record in records):
            self._conclude(None)
        self._step()

    def _show_standings(self, records: list[RunRecord], known: Mapping[int, RunScores]) -> None:
        rows, of_baselines = baseline_rows(self.baselines())
        of_runs = standings(records, known, self.validations())
        self._view.show_standings([*records, *rows], {**of_runs, **of_baselines})

    # -- baselines --------------------------------------------------------------------------------

    def tested_best(self) -> TestedRun | None:
        """Return the best model with its rows, for a comparison with baselines."""
        conclusion, runs, workspace = self.conclusion, self._runs, self._workspace
        if conclusion is None or conclusion.run not in runs or self._scores.get(conclusion.run) is None:
            return None
        request = runs.record(conclusion.run).request
        open_ = workspace.dataset_of(request)
        return TestedRun(conclusion.run, request, lambda: runs.model(conclusion.run), open_)

    def baselines(self) -> tuple[BaselineResult, ...]:
        """Return the results of the baselines on the rows of the shown runs."""
        entry = self._runs.setting(BASELINES)
        of_runs = (known_baselines(entry, run) for run in reversed(self._shown))
        return next(filter(None, of_runs), ())

    def keep_baselines(self, results: Sequence[BaselineResult]) -> None:
        entry = self._runs.setting(BASELINES)
        before = entry if isinstance(entry, dict) else {}
        plain = [result.document() for result in results]
        self._runs.keep_setting(BASELINES, {**before, str(results[0].run): from_json(to_json({"of": plain}))["of"]})
        self._seen = (), ()
        self._soon.start()

    def _peers(self) -> list[RunRecord]:
        """Return the runs of the open data, or of all data if these are shown, that share the same test rows."""
        scope = self._workspace.scope
        every = scope.records()
        chosen = [self._runs.record(run) for run in self._runs.selected if run in self._runs]
        chosen = [record for record in chosen if scope.holds(record)]
        return peers((chosen or every)[-1], every) if every else []

    def validations(self) -> dict[int, Validation]:
        """Return by run the cross-validation that chose it; ignore invalid entries of the project file."""
        return {
            run: Validation(found["mean"], measure_in(found), found.get("chosen") is True)
            for run, found in self._chosen_by_search().items()
        }

    def _chosen_by_search(self) -> dict[int, dict[str, Any]]:
        kept = self._runs.setting(CHOSEN)
        entries = kept.items() if isinstance(kept, dict) else ()
        return {int(run): found for run, found in entries if str(run).isdigit() and _is_choice(found)}

    def inherit_choice(self, run: int, from_run: int) -> None:
        """Copy the search result of a run to a run that started from its dual variables."""
        choices = self._runs.setting(CHOSEN)
        choice = self._chosen_by_search().get(from_run)
        if choice is not None:
            self._runs.keep_setting(CHOSEN, {**choices, str(run): dict(choice)})

    def _choice_goes_on(self) -> bool:
        """Return whether a run that a search chose is active: until it ends, there is no conclusion."""
        chosen = (run for run, found in self._chosen_by_search().items() if found.get("chosen") is True)
        return any(run in self._shown and run in self._runs and self._runs.record(run).active for run in chosen)

    @property
    def ended(self) -> list[int]:
        """Return the runs that were compared."""
        return list(self._compared)

    def _ended(self) -> list[RunRecord]:
        """Return the ended runs that are best by their documents, as many as are compared."""
        records = [self._runs.record(run) for run in self._shown if run in self._runs]
        ended = [record for record in records if record.document is not None]
        return sorted(best_solved(ended), key=lambda record: (-(record.test_accuracy or 0.0), record.id))[:MOST]

    def final_of(self, tested: RunRecord) -> RunRecord | None:
        """Return the finished run that repeats a tested one on all rows."""
        from mcsvm_gui.core.compare.refit import is_final_of

        every = (self._runs.record(run) for run in reversed(self._runs.ids()))
        finals = (record for record in every if is_final(record) and record.document is not None and record.readable)
        request = tested.request if tested.readable else None
        return next((final for final in finals if request is not None and is_final_of(final.request, request)), None)

    def _final_model(self, tested: RunRecord) -> FinalModel | None:
        from mcsvm_gui.core.compare.conclusion import FinalModel

        final = self.final_of(tested)
        return None if final is None else FinalModel(final.name, int(final.n_train or 0))

    def scores_of(self, run: int) -> RunScores | None:
        return self._scores.get(run)

    # -- tasks in the background ------------------------------------------------------------------

    def _step(self) -> None:
        """Score the runs one after another; then compare all of them."""
        if self._working:
            return
        ended = self._ended()
        missing = next((record for record in ended if record.id not in self._scores), None)
        runs = tuple(record.id for record in ended)
        if missing is not None:
            self._start(self._scoring(missing), lambda found: self._scores.__setitem__(missing.id, found))
            return
        self._library.clear()  # data that were closed must not stay in memory
        finals = tuple(final.id for record in ended if (final := self.final_of(record)) is not None)
        if runs and (runs, finals) != self._seen and not self._choice_goes_on():
            self._seen = runs, finals
            self._start(self._comparing(ended), lambda found: self._conclude(found, runs))

    def _start(self, work: Callable[[], Any], take: Callable[[Any], object]) -> None:
        self._working, age = True, self._age

        def done(found: Any) -> None:
            self._working = False
            if age == self._age:
                take(found)
            self._soon.start()

        self._workspace.tasks.start(work, done, self._workspace.message.emit)

    def _scoring(self, record: RunRecord) -> Callable[[], RunScores | None]:
        runs, workspace, library = self._runs, self._workspace, self._library
        request = record.request
        open_ = workspace.dataset_of(request)
        allowed = workspace.trust.may_read(file for file in record.named_files() if file != workspace.path)

        def score() -> RunScores | None:
            from mcsvm.solvers.errors import InputError
            from mcsvm_gui.core.compare.tested_runs import RowCache

            if not allowed:
                return None
            try:
                rows = library.setdefault("rows", RowCache()).rows_of(request, open_)
                return rows.scores(record.id, runs.model(record.id), request.seed) if rows.kind == "test" else None
            except (InputError, OSError, LookupError):
                return None  # the data or the model are missing: only the document is left

        return score

    def _comparing(self, records: Sequence[RunRecord]) -> Callable[[], Conclusion | None]:
        scores, chosen = {record.id: self._scores.get(record.id) for record in records}, self._chosen_by_search()
        baselines = self.baselines()
        finals = {record.id: final for record in records if (final := self._final_model(record)) is not None}

        def compare() -> Conclusion | None:
            from mcsvm_gui.core.compare.conclusion import Candidate, conclude
            from mcsvm_gui.core.compare.standings import told_apart

            candidates = [
                Candidate(
                    record.id,
                    record.name,
                    record.document or {},
                    scores.get(record.id),
                    grouped=_is_grouped(record),
                    held_out=record.plain_request.get("holdout") is not None,
                    final=finals.get(record.id),
                    resumable=record.continuable,
                    preprocessing=preprocessing_text(record.plain_request),
                    **_choice_fields(chosen.get(record.id)),
                )
                for record in records
            ]
            return conclude(candidates, told_apart(known for known in scores.values() if known is not None), baselines)

        return compare

    def _conclude(self, found: Conclusion | None, of: tuple[int, ...] = ()) -> None:
        self._compared, self.conclusion = of, found
        if found is None:
            self._seen = (), ()
            self._view.show_conclusion("", (), "", "", "")
        else:
            tip = "\n".join(filter(None, [found.accurate, found.ranking, found.optimum]))
            self._view.show_conclusion(found.text, found.steps, found.quality, found.verdict, tip)
        self.concluded.emit(found)


def _choice_fields(choice: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of a Candidate that describe how a search chose its run."""
    if choice is None:
        return {}
    flags = {name: choice.get(name) is True for name in ("chosen", "cut", "seen")}
    listed: dict[str, Any] = {name: tuple(map(str, choice.get(name, ()))) for name in ("edges", "ranges")}
    share = choice.get("share")
    listed["share"] = share if isinstance(share, float) and 0.0 < share <= 1.0 else 1.0
    return {"validation": choice["mean"], "measure": measure_in(choice), **listed, **flags}


def _is_grouped(record: RunRecord) -> bool:
    """Tell whether the rows of a run were split by groups or folds that the file names."""
    read = record.plain_request.get("read")
    return isinstance(read, Mapping) and bool(read.get("groups") or read.get("fold_column"))


def _is_choice(found: object) -> bool:
    return isinstance(found, Mapping) and isinstance(found.get("mean"), float)
