"""A model and a file: opens both, predicts, evaluates, saves and exports, all in the background."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.ui.plots.class_marks import shortened

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.evaluate.prediction import Prediction
    from mcsvm_gui.core.export.menu import Offer
    from mcsvm_gui.core.machine.trained import TrainedModel
    from mcsvm_gui.ui.runs.workspace import Workspace
    from mcsvm_gui.ui.threads.tasks import Ticket

Source = Callable[["TrainedModel", tuple[str, ...]], "Dataset"]  # the second argument: further columns to read
MOST_NOTICES = 6
NAME = 60  # limit on the letters of a class


class PredictView(Protocol):
    """Signals as in the Predict page."""

    model_file_asked: Any
    model_file_chosen: Any
    run_model_asked: Any
    data_file_asked: Any
    data_folder_asked: Any
    data_file_chosen: Any
    open_data_asked: Any
    save_asked: Any
    save_chosen: Any
    export_asked: Any
    export_chosen: Any
    misses_toggled: Any
    order_chosen: Any
    sets_chosen: Any
    columns_asked: Any
    columns_chosen: Any

    @property
    def sets_error(self) -> float | None: ...
    @property
    def with_scores(self) -> bool: ...
    @property
    def with_probabilities(self) -> bool: ...
    def set_model(self, title: str, sentences: Sequence[str], badge: Any | None) -> None: ...
    def set_model_notice(self, sentence: str, role: str = ...) -> None: ...
    def set_data(self, title: str, text: str) -> None: ...
    def set_notices(self, sentences: Sequence[str], role: str = ...) -> None: ...
    def set_result(self, text: str, more: str = ...) -> None: ...
    def set_saved(self, sentence: str, role: str = ...) -> None: ...
    def set_hint(self, text: str) -> None: ...
    def set_sources(self, run: bool, data: bool) -> None: ...
    def set_formats(self, formats: Sequence[Offer]) -> None: ...
    def set_only_misses(self, only: bool) -> None: ...
    def show_prediction(self, prediction: Prediction | None, rows: Any) -> None: ...
    def choose_model(self, folder: str) -> None: ...
    def choose_data(self, folder: str) -> None: ...
    def choose_data_folder(self, folder: str) -> None: ...
    def choose_target(self, place: str) -> None: ...
    def offer_formats(self) -> None: ...
    def choose_export(self, name: str, place: str, suffix: str) -> None: ...
    def choose_columns(self, names: Sequence[str], chosen: Collection[str]) -> None: ...


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A model with its description."""

    trained: TrainedModel
    name: str
    formats: tuple[Offer, ...]


class PredictPresenter(QObject):
    def __init__(self, view: PredictView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.view, self.workspace, self.settings = view, workspace, workspace.settings
        self._opened: OpenedModel | None = None
        self._source: Source | None = None  # reads a file with the import settings of this model's training data
        self._columns: tuple[str, ...] = ()  # columns of the file that are shown and saved with the predictions
        self._data_path = ""
        self._prediction: Prediction | None = None
        self._loading: Ticket | None = None
        self._deciding: Ticket | None = None
        self._offering = False
        self._only_misses, self._order = False, "file"
        self._connect()
        view.set_model(tr("No model yet"), (), None)
        view.set_data(tr("No data yet"), "")
        self._sources()
        self._wait()

    def _connect(self) -> None:
        view, workspace = self.view, self.workspace
        view.model_file_asked.connect(lambda: view.choose_model(self.settings["last_folder"]))
        view.model_file_chosen.connect(self.open_model)
        view.run_model_asked.connect(self.use_selected_run)
        view.data_file_asked.connect(lambda: view.choose_data(self.settings["last_folder"]))
        view.data_folder_asked.connect(lambda: view.choose_data_folder(self.settings["last_folder"]))
        view.data_file_chosen.connect(self.open_data)
        view.open_data_asked.connect(self.use_open_data)
        view.misses_toggled.connect(self._show_misses)
        view.order_chosen.connect(self._show_ordered)
        view.sets_chosen.connect(self._show_sets)
        view.columns_asked.connect(self._ask_columns)
        view.columns_chosen.connect(self._choose_columns)
        view.save_asked.connect(lambda: view.choose_target(self._target("predictions.csv")))
        view.save_chosen.connect(self.save)
        view.export_asked.connect(self._ask_export)
        view.export_chosen.connect(self.export)
        workspace.data_changed.connect(self._sources)
        workspace.runs.selection_changed.connect(self._sources)
        workspace.runs.changed.connect(self._sources)

    def _sources(self, *_: object) -> None:
        self.view.set_sources(self._selected_run() is not None, self.workspace.dataset is not None)

    def _selected_run(self) -> int | None:
        """Return the only selected run if it has a model, else None."""
        runs = self.workspace.runs
        chosen = [run for run in runs.selected if runs.record(run).state == "done"]
        return chosen[0] if len(chosen) == 1 else None

    # -- the model --------------------------------------------------------------------------------

    def open_model(self, path: str) -> None:
        def load() -> OpenedModel:
            from mcsvm_gui.core.machine import model_file

            return _described(model_file.load(path), PurePath(path).name)

        self._load(load, lambda: self.settings.remember_file(path))

    def use_selected_run(self) -> None:
        run = self._selected_run()
        if run is not None:
            name = self.workspace.runs.record(run).name
            self._load(lambda: _described(self.workspace.runs.model(run), name), lambda: None)

    def offer_export(self) -> None:
        """Offer to export the selected run from any page: open its model here, then show the formats."""
        self._offering = True
        self.use_selected_run()

    def _load(self, load: Callable[[], OpenedModel], after: Callable[[], None]) -> None:
        if self._loading is not None:
            self._loading.cancel()
        self.view.set_model_notice(tr("Opening the model…"), "muted")

        def opened(answer: OpenedModel) -> None:
            self._opened = answer
            after()
            self.view.set_model_notice("")
            self.view.set_model(*_words(answer))
            self.view.set_formats(answer.formats)
            self.predict()
            if self._offering:
                self._offering = False
                self.view.offer_formats()

        self._loading = self.workspace.tasks.start(load, opened, self.view.set_model_notice)

    # -- the data ---------------------------------------------------------------------------------

    def open_data(self, path: str) -> None:
        def read(trained: TrainedModel, columns: tuple[str, ...]) -> Dataset:
            from mcsvm_gui.core.data.options import ReadOptions
            from mcsvm_gui.core.machine.sources import open_for

            return open_for(trained, path, ReadOptions(keep=columns))

        self._source, self._data_path = read, path
        folder = PurePath(path).parent
        self.view.set_data(PurePath(path).name, str(folder) if folder.parts else "")
        self.predict()

    def use_open_data(self) -> None:
        dataset, path, options = self.workspace.dataset, self.workspace.path or "", self.workspace.read

        def read(trained: TrainedModel, columns: tuple[str, ...]) -> Dataset:
            from mcsvm_gui.core.data.readers import open_dataset

            assert dataset is not None
            return open_dataset(path, replace(options, keep=columns)) if columns else dataset

        if dataset is not None:
            self._source, self._data_path = read, path
            self.view.set_data(self.workspace.data_name, tr("The data that are open on the Data page"))
            self.predict()

    # -- predicting -------------------------------------------------------------------------------

    def predict(self) -> None:
        """Predict, if there are a model and data; the answer to an older request is dropped."""
        if self._deciding is not None:
            self._deciding.cancel()
        self._prediction = None
        for clear in (self.view.set_result, self.view.set_saved):
            clear("")
        self.view.set_notices(())
        self._only_misses = False
        self.view.set_only_misses(False)
        self._wait()
        if self._opened is None or self._source is None:
            return
        trained, source, columns = self._opened.trained, self._source, self._columns
        self._deciding = self.workspace.tasks.start(
            lambda: _decided(trained, source, columns), self._show, refused=self._refuse
        )

    def _wait(self) -> None:
        self.view.show_prediction(None, None)
        if self._opened is None:
            hint = tr("Open a model, or select a run and take its model.")
        elif self._source is None:
            hint = tr("Open the data to predict; columns are matched by their names.")
        else:
            hint = tr("Reading {name} and predicting every row…", name=PurePath(self._data_path).name)
        self.view.set_hint(hint)

    def _refuse(self, error: InputError) -> None:
        self.view.set_notices((as_sentence(worded(error.brief)),), "bad")
        self.view.set_hint(tr("No predictions; the reason is given above."))

    def _show(self, prediction: Prediction) -> None:
        self._prediction = prediction
        if self._data_path:
            self.settings.remember_file(self._data_path)
        self.view.set_notices(_notices(prediction))
        self._show_sets()

    def _show_misses(self, only: bool) -> None:
        self._only_misses = only
        self._show_rows()

    def _show_ordered(self, order: str) -> None:
        self._order = order
        self._show_rows()

    def _show_sets(self) -> None:
        if self._prediction is not None:
            result, more = _result(self._prediction)
            sets = _sets_words(self._prediction, self.view.sets_error)
            self.view.set_result(result, f"{more}\n{sets}".strip())
        self._show_rows()

    def _show_rows(self) -> None:
        if self._prediction is not None:
            self.view.show_prediction(self._prediction, self._prediction.rows(self._order, misses=self._only_misses))

    def _ask_columns(self) -> None:
        if self._prediction is not None:
            self.view.choose_columns(_choosable(self._prediction.dataset), self._columns)

    def _choose_columns(self, names: Sequence[str]) -> None:
        """Predict again with these columns of the file; they are remembered for other files that have them."""
        self._columns = tuple(names)
        self.predict()

    # -- files ------------------------------------------------------------------------------------

    def _target(self, name: str) -> str:
        folder = self.settings["last_folder"]
        return str(Path(folder) / name) if folder else name

    def save(self, path: str) -> None:
        """Save exactly the table that `mcsvm predict -o` writes."""
        prediction = self._prediction
        if prediction is None:
            return
        error = None if prediction.decisions.p_values is None else self.view.sets_error
        parts = self.view.with_scores, self.view.with_probabilities, error

        def write() -> str:
            from mcsvm_gui.core.base.writing import write_text

            write_text(path, prediction.table(*parts))
            return tr("Saved {path}.", path=path)

        self.workspace.tasks.start(write, self.view.set_saved, lambda why: self.view.set_saved(why, "bad"))

    def _ask_export(self, name: str) -> None:
        if self._opened is None:
            return
        format = next(format for format in self._opened.formats if format.name == name)
        if format.refusal is not None:
            self.view.set_model_notice(tr("{name}: {what}", name=format.title, what=format.refusal), "warning")
        else:
            stem = PurePath(self._opened.name).stem
            self.view.choose_export(name, self._target(stem + format.suffix), format.suffix)

    def export(self, name: str, path: str) -> None:
        if self._opened is None:
            return
        trained = self._opened.trained
        self.view.set_model_notice(tr("Exporting, and trying the file out…"), "muted")

        def write() -> str:
            from mcsvm_gui.core.export import menu as model_export

            return worded(model_export.write(trained, name, path))

        self.workspace.tasks.start(
            write, lambda done: self.view.set_model_notice(done, "muted"), self.view.set_model_notice
        )


# -- tasks in the background ----------------------------------------------------------------------


def _described(trained: TrainedModel, name: str) -> OpenedModel:
    from mcsvm_gui.core.export.menu import offers

    return OpenedModel(trained, name, offers(trained))


def _choosable(dataset: Dataset) -> tuple[str, ...]:
    """Return the columns of the file that can be shown in addition to the names of its rows."""
    return tuple(name for name in dataset.order if name not in dataset.row_columns)


def _decided(trained: TrainedModel, source: Source, columns: tuple[str, ...]) -> Prediction:
    """Predict the rows of a file, with those of `columns` that it has, and compute the checks that the window shows."""
    from mcsvm_gui.core.check.of_models import of_prediction
    from mcsvm_gui.core.check.table import check_results
    from mcsvm_gui.core.evaluate.prediction import predict

    dataset = source(trained, ())
    known = tuple(name for name in columns if name in _choosable(dataset))
    prediction = predict(trained, source(trained, known) if known else dataset, probabilities=True, sets=True)
    found = check_results(of_prediction(prediction, Path(prediction.dataset.name).name))
    prediction = replace(prediction, notices=(*found, *prediction.notices))
    _ = prediction.scores, prediction.all_scores, prediction.missed
    if prediction.decisions.probabilities is not None:
        _ = prediction.margins, prediction.entropies
    return prediction


# -- texts ----------------------------------------------------------------------------------------


def _words(opened: OpenedModel) -> tuple[str, list[str], Any]:
    from mcsvm_gui.core.machine.session import certificate_document
    from mcsvm_gui.core.machine.summary import badge

    trained = opened.trained
    machine, origin, request = trained.model.machine, trained.origin, trained.request
    document = {
        "certificate": certificate_document(origin.certificate),
        "ending": origin.ending.value,
        "kernel": {"name": request.kernel},
        "tol": request.tol,
        "gap_tol": request.gap_tol,
    }
    decides = tr(machine.decides)
    names = trained.class_names
    return (
        tr("{name}: {machine}", name=opened.name, machine=f"{tr(machine.title)} ({machine.name})"),
        [
            f"{decides[:1].upper()}{decides[1:]}.",
            tr(
                "{classes} classes ({names}), trained on {rows} rows of {features} columns.",
                classes=len(names),
                names=", ".join(shortened(name, NAME) for name in names[:8]) + (" …" if len(names) > 8 else ""),
                rows=figures.count(origin.n_train),
                features=figures.count(len(trained.preparation.columns)),
            ),
            _calibration(trained),
        ],
        badge(document),
    )


def _calibration(trained: TrainedModel) -> str:
    from mcsvm_gui.core.machine.summary import calibration_sentence

    if trained.calibrated is None:
        return tr("It has scores and no probabilities; trained with a Calibration, under More on Train, it has both.")
    return calibration_sentence(trained.calibrated.document())


def _notices(prediction: Prediction) -> list[str]:
    from mcsvm_gui.core.check.advice import advice_of
    from mcsvm_gui.core.check.finding import Finding

    sentences = list(
        dict.fromkeys(
            advice_of(notice).text if isinstance(notice, Finding) else as_sentence(worded(notice.sentence))
            for notice in prediction.notices
        )
    )
    more = len(sentences) - MOST_NOTICES
    return sentences[:MOST_NOTICES] + ([tr("and {more} more", more=more)] if more > 0 else [])


def _sets_words(prediction: Prediction, error: float | None) -> str:
    found = prediction.decisions
    if error is None or found.typical is None:
        return ""
    known = found.typical == found.typical  # NaN for rows that were left out
    sizes = found.members(error)[known].sum(axis=1)
    one, several, none = (figures.count(int(part.sum())) for part in (sizes == 1, sizes > 1, sizes == 0))
    words = tr(
        "Sets of one class: {one}, of several: {several}, of none: {none}; unlike every class: {novel} rows",
        one=one,
        several=several,
        none=none,
        novel=figures.count(int(found.novel(error).sum())),
    )
    outside = prediction.outside_sets(error)
    if not outside:
        return words
    return "\n".join(
        [
            words,
            tr(
                "{count} set leaves out the predicted class: its row is less typical of this class than {share} of the"
                " rows of the class.",
                "{count} sets leave out the predicted class: their rows are less typical of this class than {share} of"
                " the rows of the class.",
                count=outside,
                share=figures.exact_percent(1.0 - error),
            ),
        ]
    )


def _result(prediction: Prediction) -> tuple[str, str]:
    scores = prediction.scores
    decided = figures.count(int(prediction.decisions.decided.size))
    if scores is None:
        return tr("{rows} rows predicted", rows=decided), tr("The file has no labels to compare with.")
    tested = int(prediction.scored.size)
    right = _accuracy(prediction)
    more = tr(
        "{missed} of these rows are misclassified. Balanced accuracy {balanced}, macro F1 {f1}, Cohen's kappa {kappa}.",
        missed=figures.count(int(prediction.missed[prediction.scored].sum())),
        balanced=figures.accuracy(scores.balanced_accuracy, tested),
        f1=figures.rating(scores.macro_f1, 3),
        kappa=figures.rating(scores.kappa, 3),
    )
    return right, " ".join(filter(None, (more, *_remarks(prediction))))


def _accuracy(prediction: Prediction) -> str:
    """Return the sentence on accuracy, which uses rows outside the training set if there are any."""
    scores, tested, rows = prediction.scores, int(prediction.scored.size), int(prediction.counting.size)
    assert scores is not None
    accuracy, used = figures.accuracy(scores.accuracy, tested), int(prediction.trained_on[prediction.counting].sum())
    if not used:
        return tr("Accuracy {accuracy} on {rows} rows", accuracy=accuracy, rows=figures.count(rows))
    if used == rows:
        return tr(
            "All {rows} rows were used for training. Their accuracy, {accuracy}, does not show how well the"
            " model predicts new rows.",
            accuracy=accuracy,
            rows=figures.count(rows),
        )
    return tr(
        "{used} of these {rows} rows were used for training. Accuracy on the other {tested}: {accuracy}.",
        used=figures.count(used),
        rows=figures.count(rows),
        tested=figures.count(tested),
        accuracy=accuracy,
    )


def _remarks(prediction: Prediction) -> list[str]:
    """Return sentences on the classes, rows and weights that the measures include."""
    scores, every, said = prediction.scores, prediction.all_scores, list[str]()
    assert scores is not None
    assert every is not None
    classes, column = len(scores.per_class), prediction.dataset.weight_name
    if scores.averaged < classes:
        said.append(
            tr("Macro F1 is the mean of {tested} of {classes} classes.", tested=scores.averaged, classes=classes)
        )
    if prediction.scored.size < prediction.counting.size:
        rows = int(prediction.counting.size)
        accuracy = figures.accuracy(every.accuracy, rows)
        said.append(tr("Accuracy on all rows, training rows included: {accuracy}.", accuracy=accuracy))
    if column is not None:
        said.append(tr("Rows count by the column {column}.", column=column))
    return said
