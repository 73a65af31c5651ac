"""Presenter of the Data page: opens data, shows import settings and findings, and sets the preprocessing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, QTimer

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.base.options import options_of
from mcsvm_gui.core.data.files import pasted
from mcsvm_gui.core.data.form import applied, asked_rules, columns_of, reading_form
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.projections.ways import NEEDED, no_umap
from mcsvm_gui.core.data.remedies import remedies
from mcsvm_gui.core.data.roles.arrangement import ROWS, Arrangement
from mcsvm_gui.core.data.roles.value import ONE, Role, with_roles
from mcsvm_gui.core.data.samples import samples
from mcsvm_gui.core.data.survey import Survey, summary, survey
from mcsvm_gui.ui.data.view import DataView
from mcsvm_gui.ui.threads.tasks import Ticket

if TYPE_CHECKING:
    import numpy as np

    from mcsvm_gui.core.check.advice import Looked
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.data.projections.projection import Projected
    from mcsvm_gui.core.data.roles.summary import ColumnSummary
    from mcsvm_gui.ui.runs.workspace import Workspace

PREPARATION = tuple(options_of(Rules))
OF_DATA = (*PREPARATION, *options_of(ReadOptions))
_ORDER = "columns", "rows", "survey", "roles", "checks", "projection"
PAINTING = 20  # milliseconds in which the window paints a result before the next task starts


_LOOKING: dict[str, Callable[[], str]] = {
    "pca": lambda: tr("Looking for the two widest directions…"),
    "lda": lambda: tr("Looking for directions between the classes…"),
    "umap": lambda: tr("Looking for neighborhoods; the first time takes a minute…"),
}


class _Look(NamedTuple):
    function: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[InputError], None] | None


class DataPresenter(QObject):
    """Shows a background result only if it belongs to the data that are open."""

    def __init__(self, view: DataView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.view, self.workspace = view, workspace
        self._waiting: dict[str, _Look] = {}
        self._under_way: tuple[str, Ticket] | None = None  # name and ticket of the running background task
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAINTING)
        self._pause.timeout.connect(self._next_look)
        self._shown: Dataset | None = None
        self._projected: tuple[Dataset, str, str] | None = None  # arguments of the last request
        self._checked: dict[str, Any] = {}  # arguments of the last request
        self._sizing = Ticket()  # of the file that is loading
        self._listen()
        self._data_changed()

    def _listen(self) -> None:
        view, workspace = self.view, self.workspace
        view.file_chosen.connect(workspace.open_data)
        view.text_pasted.connect(self.paste)
        view.sample_chosen.connect(self.open_sample)
        view.test_chosen.connect(workspace.open_test)
        view.cancelled.connect(self._cancel)
        view.gallery_asked.connect(self._show_gallery)
        view.data_asked.connect(self._data_changed)
        view.reading_changed.connect(self._read_again)
        view.role_chosen.connect(self._give_role)
        view.arrangement_asked.connect(self._arrange)
        view.projection_chosen.connect(self._project_otherwise)
        view.rule_changed.connect(lambda name, value: workspace.set_preparation(**{name: value}))
        view.holdout_changed.connect(self._hold_out)
        view.seed_changed.connect(lambda seed: workspace.set_preparation(seed=seed))
        view.test_dropped.connect(workspace.drop_test)
        view.acted.connect(self._pressed)
        workspace.checks.acted.connect(self._act)
        workspace.checks.planned.connect(self._preparation_changed)
        workspace.loading.connect(self._loading)
        workspace.data_changed.connect(self._data_changed)
        workspace.data_failed.connect(self._failed)
        workspace.preparation_changed.connect(self._preparation_changed)
        workspace.test_loading.connect(lambda path: view.show_test(tr("Reading {name}…", name=Path(path).name), path))
        workspace.test_failed.connect(self._test_failed)

    # -- actions of the user ----------------------------------------------------------------------

    def paste(self, text: str) -> None:
        try:
            self.workspace.open_data(pasted.keep(text))
        except InputError as trouble:
            self.workspace.message.emit(as_sentence(worded(trouble)))

    def open_sample(self, name: str) -> None:
        self.workspace.open_sample(next(sample for sample in samples() if sample.name == name))

    def _read_again(self, option: str, value: str | None) -> None:
        path, read = self.workspace.last_asked
        if path is None:
            return
        if option == "names" and read.names is None and self._shown is not None:
            read = replace(read, names=tuple(self._shown.row_names))  # columns that the reader detected remain names
        try:
            self.workspace.open_data(path, applied(read, option, value))
        except InputError as trouble:
            self.workspace.message.emit(as_sentence(worded(trouble)))

    def _arrange(self, asked: Arrangement) -> None:
        data, scale = self._shown, self.workspace.rules.scale
        if data is not None:
            refused = lambda error: self.view.say_no_order(as_sentence(worded(error.brief)))  # noqa: E731
            self._look("rows", lambda: _arranged(data, asked, scale), self.view.show_order, refused)

    def _project_otherwise(self, way: str) -> None:
        self.workspace.settings["projection"] = way
        if self._shown is not None:
            self._project(self._shown)

    def _give_role(self, names: Sequence[str], role: Role) -> None:
        data, (path, read) = self._shown, self.workspace.last_asked
        if data is None or path is None:
            return
        if role in ONE and len(names) > 1:
            self.workspace.message.emit(tr("Only one column can have this role."))
        elif data.label_name in names and role != "label":
            self.workspace.message.emit(tr("To change the label, assign the Label role to another column."))
        else:
            self.workspace.open_data(path, with_roles(read, data, dict.fromkeys(names, role)))

    def _hold_out(self, per_cent: int) -> None:
        self.workspace.set_preparation(holdout=per_cent / 100.0 if per_cent else None)

    def _pressed(self, option: str, value: str | None) -> None:
        if option == ROWS:
            self.view.pick_rows(value or "")
            return
        self.workspace.checks.acted.emit(option, value)
        if option not in OF_DATA:
            self.workspace.message.emit(tr("Entered on the Train and Tune pages."))

    def _act(self, option: str, value: str | None) -> None:
        if option not in OF_DATA:
            return
        if value is None:
            self.view.focus_option(option)
        elif option in PREPARATION:
            self.workspace.set_preparation(**{option: value})
        else:
            self._read_again(option, value)

    def _cancel(self) -> None:
        data = self.workspace.dataset
        self.workspace.cancel_reading()
        if data is None:
            self.workspace.close_data()
            return
        self._data_changed()

    # -- states -----------------------------------------------------------------------------------

    def _show_gallery(self) -> None:
        data = self.workspace.dataset
        back = "" if data is None else Path(data.name).name
        settings = self.workspace.settings
        self.view.set_folder(settings["last_folder"])
        self.view.show_welcome(samples(), settings["recent_files"], back)

    def _loading(self, path: str) -> None:
        again = self.workspace.dataset is not None and self.workspace.dataset.name == path
        if again:
            self.view.show_rereading(tr("Reading again…"))
        else:
            self._drop_looks()
            self.view.show_loading(Path(path).name)
            self._sizing.cancel()
            self._sizing = self.workspace.tasks.start(lambda: _size_text(path), self.view.show_loading_size)

    def _failed(self, error: InputError) -> None:
        self._drop_looks()
        path, read = self.workspace.path or "", self.workspace.read
        name, words = Path(path).name, as_sentence(worded(error.brief))
        from mcsvm_gui.core.check.advice import actions

        found = remedies(error.sentence)
        marked = tuple(dict.fromkeys(remedy.option for remedy in found))
        ways = actions(remedy for remedy in found if remedy.value is not None)

        def show(columns: Sequence[str]) -> None:
            self.view.show_failed(name, words, reading_form(read, None, columns), marked, ways)

        show(())
        self._look("columns", lambda: columns_of(path, read), show)

    def _data_changed(self) -> None:
        data = self.workspace.dataset
        self._drop_looks()
        self._shown = data
        if data is None:
            self._show_gallery()
            return
        name = Path(data.name).name
        self.view.show_data(name, data.name, data, reading_form(self.workspace.read, data))
        self.view.set_folder(self.workspace.settings["last_folder"])
        self.view.show_summary(tr("Counting rows and classes…"))
        self.view.show_checking()
        self._look("survey", lambda: survey(data), self._surveyed, self._say_no_survey)
        self._look("roles", lambda: _summaries(data), lambda found: self.view.show_columns(found, data.classes))
        self._preparation_changed()

    def _preparation_changed(self) -> None:
        workspace = self.workspace
        rules, holdout = workspace.rules, workspace.holdout
        self.view.show_preparation(rules, round(100 * (holdout or 0.0)), workspace.seed)
        self._show_test()
        data = workspace.dataset
        if data is not None and data is self._shown:
            self.view.show_asked(asked_rules(data, rules))
            self._check(data)
            self._project(data)

    def _show_test(self) -> None:
        test, path = self.workspace.test, self.workspace.test_path
        if test is None or path is None:
            self.view.show_test("", tr("A file of rows that are only tested on, instead of a hold-out"))
        else:
            words = tr("{path}: {rows} rows", path=path, rows=figures.count(test.rows))
            self.view.show_test(Path(path).name, words)

    def _test_failed(self, path: str, error: InputError) -> None:
        """Show the error next to the button, which names the previous test file, if any."""
        self._show_test()
        self.view.show_test_error(tr("{name}: {what}", name=Path(path).name, what=error.brief))

    # -- background tasks on the data -------------------------------------------------------------

    def _look(
        self,
        what: str,
        function: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[InputError], None] | None = None,
    ) -> None:
        """Run tasks one after another, each when the previous result is painted. Because of the interpreter lock,
        threads that compute while the window draws would make it wait.
        """
        self._waiting[what] = _Look(function, done, failed)
        if self._under_way is not None and self._under_way[0] == what:
            self._under_way[1].cancel()
            self._under_way = None
        if self._under_way is None:
            self._pause.start()

    @property
    def looking(self) -> bool:
        """Return whether a background task on the open data is waiting or running."""
        return bool(self._waiting) or self._under_way is not None

    def _next_look(self) -> None:
        if self._under_way is not None or not self._waiting:
            return
        what = min(self._waiting, key=_ORDER.index)
        look = self._waiting.pop(what)

        def ended(tell: Callable[[Any], None] | None, answer: Any) -> None:
            self._under_way = None
            if tell is not None:
                tell(answer)
            self._pause.start()

        ticket = self.workspace.tasks.start(
            look.function, lambda answer: ended(look.done, answer), refused=lambda error: ended(look.failed, error)
        )
        self._under_way = what, ticket

    def _drop_looks(self) -> None:
        self._waiting.clear()
        if self._under_way is not None:
            self._under_way[1].cancel()
            self._under_way = None
        self._projected, self._checked = None, {}
        self.workspace.checks.tell(())

    def _surveyed(self, found: Survey) -> None:
        self.view.show_summary(summary(found))
        self.view.show_classes(found.classes, found.counts)

    def _check(self, data: Dataset) -> None:
        asked = {"dataset": data, **self._planned()}
        if asked != self._checked:
            self._checked = asked
            self._look("checks", lambda: _looked(asked), self._show_looked, self._say_advice)

    def _planned(self) -> dict[str, Any]:
        """Return the keyword arguments for the checks, with the choices made on other pages."""
        workspace = self.workspace
        same = {name: getattr(workspace, name) for name in ("test", "rules", "holdout", "seed")}
        return {**same, **workspace.checks.plan}

    def _show_looked(self, looked: Looked) -> None:
        self.view.show_advice(looked.advice)
        self.workspace.checks.tell(looked.findings)

    def _project(self, data: Dataset) -> None:
        """Show the projection of the scaled data; compute it only if data, scaling or method changed."""
        scale, way = self.workspace.rules.scale, self.workspace.settings["projection"]
        missing = {"umap": worded(NEEDED)} if no_umap() else {}
        way = "pca" if way in missing else way
        if self._projected == (data, scale, way):
            return
        self._projected = data, scale, way
        self.view.show_ways(way, missing)
        self.view.say_projection(_LOOKING[way]())
        asked = lambda: _projection(data, scale, way)  # noqa: E731
        self._look("projection", asked, self.view.show_projection, self._say_no_projection)

    def _say_no_survey(self, error: InputError) -> None:
        self.view.show_summary(worded(error.brief))

    def _say_no_projection(self, error: InputError) -> None:
        self.view.say_projection(as_sentence(worded(error.brief)))

    def _say_advice(self, error: InputError) -> None:
        from mcsvm_gui.core.check.advice import of_error

        self.view.show_advice((of_error(error),))


def _looked(asked: Mapping[str, Any]) -> Looked:
    from mcsvm_gui.core.check.advice import look
    from mcsvm_gui.core.check.plan import CheckedPlan

    return look(CheckedPlan(**asked))


def _arranged(dataset: Dataset, asked: Arrangement, scale: str) -> np.ndarray | None:
    from mcsvm_gui.core.data.roles.arranging import arranged

    return arranged(dataset, asked, scale)


def _summaries(dataset: Dataset) -> tuple[ColumnSummary, ...]:
    from mcsvm_gui.core.data.roles.summary import summaries

    return summaries(dataset)


def _projection(dataset: Dataset, scale: str, way: str) -> Projected:
    from mcsvm_gui.core.data.projections.projection import project

    return project(dataset, scale, way)


def _size_text(path: str) -> str:
    try:
        octets = Path(path).stat().st_size
    except OSError:
        return ""
    return figures.size(octets)
