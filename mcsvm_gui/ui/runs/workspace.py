"""State that the pages share: the open data, their preprocessing, the runs, the queue, and background tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import options
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.runs.checks import Checks
from mcsvm_gui.ui.runs.file_settings import FileSettings, preparation_of, texts_of
from mcsvm_gui.ui.runs.project_trust import ProjectTrust, unread
from mcsvm_gui.ui.runs.scope import RunScope
from mcsvm_gui.ui.runs.searches import Interrupted, Searches
from mcsvm_gui.ui.threads.baselines import BaselineComparison
from mcsvm_gui.ui.threads.curves import Curves
from mcsvm_gui.ui.threads.training import Training

if TYPE_CHECKING:
    from mcsvm_gui.core.base.settings import Settings
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.data.options import ReadOptions, Rules
    from mcsvm_gui.core.data.samples import SampleDataset
    from mcsvm_gui.core.machine.request import Request
    from mcsvm_gui.core.machine.trained import Duals
    from mcsvm_gui.ui.runs.collection import RunCollection
    from mcsvm_gui.ui.threads.queue import JobQueue
    from mcsvm_gui.ui.threads.tasks import Tasks, Ticket

Read = TypeVar("Read")
KEPT = "data"  # the key under which a project stores the data that were open last
OF_LIMITS = "step limit", "time limit"  # endings


class Workspace(QObject):
    """Facts and commands of the project; independent of the widgets that show them."""

    loading = Signal(str)  # the path of a file that is being read
    loading_cancelled = Signal()  # the previously open file stays open
    data_changed = Signal()  # another data set or none is open, or the import settings changed
    data_failed = Signal(object)  # InputError: why the file cannot be read, with the `path` and `read` that were tried
    preparation_changed = Signal()  # rules, hold-out, seed or test file
    test_loading = Signal(str)  # the path of a test file that is being read
    test_failed = Signal(
        str, object
    )  # a test file, and the InputError that says why it cannot be used; the previous one stays in use
    message = Signal(str)  # one line for the status bar

    def __init__(
        self, runs: RunCollection, queue: JobQueue, tasks: Tasks, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.runs, self.queue, self.tasks, self.settings = runs, queue, tasks, settings
        self.searches, self.checks = Searches(runs, queue, self), Checks(self)
        self.curves = Curves(queue, runs.setting, runs.keep_setting, self)
        self.baselines = BaselineComparison(queue, self)
        self.dataset: Dataset | None = None
        self.path: str | None = None
        self.test: Dataset | None = None
        self.test_path: str | None = None
        self.holdout: float | None = 0.3
        self.seed = 0
        self._read: ReadOptions | None = None
        self._rules: dict[str, Any] = {}
        self._reading: Ticket | None = None
        # the file that is being read, and its import settings
        self._coming: tuple[str, ReadOptions | None] | None = None
        self._testing: Ticket | None = None
        self._test_to_come: str | None = None  # the test file of the data that are being read
        self._to_restore: Request | None = None  # the stored data and preprocessing of the project, until they are open
        self.detour: Callable[[str, ReadOptions | None, str | None], bool] = lambda path, read, test: False
        self.refused = False  # whether the last requested file cannot be used
        self.files = FileSettings(runs, settings)
        self.scope = RunScope(self)
        self.trust = ProjectTrust(runs, settings, self)
        self.trust.agreed.connect(self._restore_data)
        runs.opened.connect(self.close_data)  # returns True if it opens the data in another project

    @property
    def read(self) -> ReadOptions:
        from mcsvm_gui.core.data.options import ReadOptions

        return self._read or ReadOptions()

    @property
    def last_asked(self) -> tuple[str | None, ReadOptions]:
        """Return the file requested last and its import settings: the file being read, or else the open file."""
        from mcsvm_gui.core.data.options import ReadOptions

        return (self.path, self.read) if self._coming is None else (self._coming[0], self._coming[1] or ReadOptions())

    @property
    def rules(self) -> Rules:
        from mcsvm_gui.core.data.options import Rules

        return Rules(**self._rules)

    # -- data -------------------------------------------------------------------------------------

    def open_data(self, path: str, read: ReadOptions | None = None, test: str | None = None) -> None:
        """Open data in the background; `data_changed` or `data_failed` follows for the last requested file only.

        Without `read`, the import settings last used for the file apply. `test` is the test file, opened afterwards.
        """
        if self.detour(path, read, test):  # the data are opened in another project
            return
        test = test or (self._test_to_come if path == self.last_asked[0] else None)
        recalled = preparation_of(self.files.of_path(path)) if read is None else None
        if recalled is not None:
            read, test = recalled.read, test or self._may_open(recalled.test)
        known = self.files.by_digest() if read is None else {}
        self.cancel_reading()
        self._coming, self._test_to_come = (path, read), test
        self.loading.emit(path)
        may_differ = recalled is not None
        self._reading = self.tasks.start(
            lambda: _open(path, read, known, may_differ=may_differ), self._take_data, refused=self._refused
        )

    def open_sample(self, sample: SampleDataset) -> None:
        self.open_data(str(sample.path), test=str(sample.test_path) if sample.test_rows else None)

    def cancel_reading(self) -> None:
        """Cancel reading; the file that was open before stays open."""
        if self._reading is not None:
            self._reading.cancel()
            self._reading = self._coming = self._test_to_come = None
            self.loading_cancelled.emit()

    def close_data(self) -> None:
        self.cancel_reading()
        self.path = self._read = self._to_restore = None
        self._forget_test()
        self.refused = False
        self._set(None)

    def _take_data(self, answer: _Opened) -> None:
        assert self._coming is not None
        dataset, path = answer.dataset, self._coming[0]
        another = path != self.path
        self._coming = path, answer.read
        self._arrive()
        if another:
            self._recall(path, dataset.digest)
        test = self.test_path
        self._forget_test()  # it was read with the import settings of the previous data
        self.settings.remember_file(path)
        self.refused = False
        self._set(dataset)
        self._keep()
        if answer.misfit:
            words = tr(
                "{name} was read with the default import settings, because the previous ones do not fit it.",
                name=self.data_name,
            )
            self.message.emit(words)
        test, self._test_to_come = self._test_to_come or test, None
        if test is not None:
            self.open_test(test)

    def _recall(self, path: str, digest: str) -> None:
        """Restore the preparation last used for this file (same path or same content), or else the defaults."""
        entry = self.files.of_path(path) or self.files.by_digest().get(digest, {})
        previous = preparation_of(entry)
        self.holdout, self.seed, self._rules = 0.3, 0, {}
        if previous is not None:
            self.holdout, self.seed, self._rules = previous.holdout, previous.seed, asdict(previous.rules)
            self._test_to_come = self._test_to_come or self._may_open(previous.test)

    def _may_open(self, test: str | None) -> str | None:
        """Return the test file that a project names if it may be read, as projects may come from anyone."""
        return test if self.trust.may_read([test]) else None

    def form_texts(self, form: str) -> dict[str, str]:
        """Return the texts of a form that were last used for the open file."""
        if self.path is None:
            return {}
        digest = "" if self.dataset is None else self.dataset.digest
        return texts_of(self.files.of_path(self.path) or self.files.by_digest().get(digest, {}), form)

    def keep_form(self, form: str, texts: Mapping[str, str]) -> None:
        if self.path is not None and self.dataset is not None:
            self.files.keep(self.path, {form: dict(texts)})

    @property
    def obstacle(self) -> str:
        """Return why nothing can be trained now; empty if training is possible."""
        path, _ = self.last_asked
        if self._coming is not None and path is not None:
            return tr("{name} is being read…", name=Path(path).name)
        if self.refused:
            return tr("{name} cannot be used as it is. The Data page says why.", name=self.data_name)
        return tr("Open data first, on the Data page.") if self.dataset is None else ""

    def _refused(self, error: InputError) -> None:
        self._arrive()
        self._reading, self.dataset, self.refused = None, None, True
        self.data_failed.emit(error)

    def _arrive(self) -> str:
        """Make the requested file the open one, whether it was read or refused, and return its path."""
        assert self._coming is not None
        path, read = self._coming
        if path != self.path:
            self._forget_test()
        self.path, self._read, self._coming = path, read, None
        return path

    def _set(self, dataset: Dataset | None) -> None:
        self._reading, self.dataset = None, dataset
        self.data_changed.emit()

    # -- test file --------------------------------------------------------------------------------

    def open_test(self, path: str) -> None:
        """Open a file to test on instead of a hold-out; `preparation_changed` or `test_failed` follows."""
        from mcsvm_gui.core.machine import sources

        data = self.dataset
        if data is None:
            return
        self._stop_testing()

        def opened(test: Dataset) -> None:
            if self.dataset is data:
                self.test, self.test_path = test, path
                self.holdout = None
                self.preparation_changed.emit()
                self._keep()

        def refused(error: InputError) -> None:
            self.test_failed.emit(path, error)

        read = self.read
        self.test_loading.emit(path)
        self._testing = self.tasks.start(lambda: sources.open_test(path, read, data), opened, refused=refused)

    def drop_test(self) -> None:
        self._forget_test()
        self.preparation_changed.emit()
        self._keep()

    def _forget_test(self) -> None:
        self._stop_testing()
        self.test = self.test_path = None

    def _stop_testing(self) -> None:
        if self._testing is not None:
            self._testing.cancel()
            self._testing = None

    # -- preparation ------------------------------------------------------------------------------

    def set_preparation(self, **values: Any) -> None:
        """Set scale, missing and unknown (as in Rules), holdout (a share or None), or seed."""
        if values.get("holdout") is not None:
            self._forget_test()
        for name in ("holdout", "seed"):
            if name in values:
                setattr(self, name, values.pop(name))
        rules = values.pop("rules", None)
        self._rules |= asdict(rules) if rules is not None else values
        self.preparation_changed.emit()
        self._keep()

    # -- training ---------------------------------------------------------------------------------

    def base_request(self, **machine: Any) -> Request:
        """Return a request on the open data; raises InputError if a value is invalid."""
        from mcsvm_gui.core.machine.request import Request

        return Request(
            **machine,
            seed=self.seed,
            holdout=self.holdout,
            rules=self.rules,
            read=self.read,
            data=self.path,
            test=self.test_path,
            digest=None if self.dataset is None else self.dataset.digest,
            test_digest=None if self.test is None else self.test.digest,
        )

    def train(self, requests: Sequence[Request]) -> list[int]:
        """Begin a run for each request and return their numbers; begin none while the window closes."""
        dataset = self.dataset
        assert dataset is not None, "there is nothing to train on"
        if not self.queue.accepting:
            return []
        begun = [self.runs.begin(request, self.data_name) for request in requests]
        for run, request in zip(begun, requests, strict=True):
            self.queue.submit(Training(run, request, dataset, self.test))
        return begun

    @property
    def data_name(self) -> str:
        return Path(self.path).name if self.path else ""

    def continue_runs(self, runs: Iterable[int]) -> None:
        """Continue the stopped and interrupted ones of these runs."""
        chosen = [run for run in runs if run in self.runs and self.runs.record(run).continuable]
        self.runs.select(chosen)
        for run in chosen:
            self.go_on(run)

    def go_on(self, run: int, keep: bool = False) -> None:
        """Continue a stopped or interrupted run from its checkpoint, on its own data.

        `keep`: only make a model of the checkpoint. A limit of steps or seconds that ended the run is lifted.
        """
        record = self.runs.record(run)
        request = record.request
        if record.ending in OF_LIMITS:
            request = replace(request, max_iter=None, time_limit=None)

        def submit(answer: tuple[Dataset, Dataset | None, bytes | None]) -> None:
            dataset, test, checkpoint = answer
            if run in self.runs and self.runs.record(run).continuable and self.queue.accepting:
                self.runs.go_on(run, request)
                self.queue.submit(Training(run, request, dataset, test, checkpoint, keep=keep))

        data = self._data_for(request)

        def read() -> tuple[Dataset, Dataset | None, bytes | None]:
            return (*data(), self.runs.checkpoint(run))

        self._read_again(record.name, self._unread(request), read, submit, lambda: self._lose_checkpoint(run))

    def train_on(self, run: int, request: Request, begun: Callable[[int], object] = lambda run: None) -> None:
        """Begin a run of `request` with the dual variables of an ended run; `begun` is called with its number."""
        record, data = self.runs.record(run), self._data_for(request)

        def submit(answer: tuple[Dataset, Dataset | None, Duals]) -> None:
            dataset, test, duals = answer
            if self.queue.accepting:
                new = self.runs.begin(request, record.data_name)
                self.runs.edit(new, note=tr("Started from the dual variables of {run}", run=record.name))
                begun(new)
                self.queue.submit(Training(new, request, dataset, test, start=duals))
                self.runs.select([new])

        def read() -> tuple[Dataset, Dataset | None, Duals]:
            return (*data(), self.runs.model(run).duals)

        self._read_again(record.name, self._unread(request), read, submit)

    def _lose_checkpoint(self, run: int) -> None:
        if run in self.runs and self.runs.record(run).state == JobState.DONE:
            self.runs.drop_checkpoint(run)

    def holds(self, request: Request) -> bool:
        """Return whether the open data are those of a request: the same content with the same import settings."""
        return self.dataset is not None and self.dataset.digest == request.digest and self.read == request.read

    def dataset_of(self, request: Request) -> Dataset | None:
        """Return the open data if a request names this file and they are its data."""
        return self.dataset if self.path == request.data and self.holds(request) else None

    def _has(self, request: Request) -> bool:
        """Tell whether the open data and the open test file are those of a request."""
        test = None if self.test is None else self.test.digest
        return self.holds(request) and test == request.test_digest

    def _data_for(self, request: Request) -> Callable[[], tuple[Dataset, Dataset | None]]:
        """Return a function that returns the data of a request: the open data, or else its files, read again."""
        if self._has(request) and self.dataset is not None:
            known = self.dataset, self.test
            return lambda: known
        return lambda: _data_of(request)

    def _unread(self, request: Request) -> Iterable[str]:
        """Return the files that must be read for a request."""
        return () if self._has(request) else filter(None, (request.data, request.test))

    def search_on(self, cut: Interrupted) -> None:
        """Resume an interrupted search on its own data, which are read again; stored cells are not computed again."""
        try:
            request, wanted = cut.asked()
        except InputError as error:
            self._cannot_go_on(cut.title, worded(error))
            return

        def found(answer: tuple[Dataset, Dataset | None]) -> None:
            self.searches.forget([cut])
            self.searches.start(request, wanted, answer[0])

        self._read_again(cut.title, filter(None, [request.data]), lambda: _data_of(request), found)

    def _read_again(
        self,
        title: str,
        files: Iterable[str],
        read: Callable[[], Read],
        found: Callable[[Read], None],
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        """Read files again for `title`; call `changed` if a file is no longer the one of the training."""
        named = tuple(files)

        def report(error: InputError) -> None:
            from mcsvm_gui.core.machine.sources import ChangedFileError

            if isinstance(error, ChangedFileError):
                changed()
            self._cannot_go_on(title, worded(error))

        if self.trust.may_read(named):
            self.tasks.start(read, found, refused=report)
        else:
            self.trust.ask(named)
            self._cannot_go_on(title, unread())

    def _cannot_go_on(self, title: str, why: str) -> None:
        self.message.emit(tr("{run} cannot be continued: {why}", run=title, why=why))

    # -- scripts and experiments ------------------------------------------------------------------

    def copy_trainings(self, requests: Sequence[Request]) -> None:
        """Copy a script that repeats these trainings and tests them."""
        from mcsvm_gui.core.experiment.python_script import training_script

        self.copy_script_of(requests, lambda dataset: training_script(requests, dataset))

    def copy_script_of(self, requests: Sequence[Request], make: Callable[[Dataset], str]) -> None:
        """Copy the script that `make` returns for the open data; the requests must be of these data."""
        dataset = self.dataset
        if not requests or dataset is None or not all(map(self.holds, requests)):
            self.message.emit(tr("Open the data first that the script is to read."))
        else:
            self.copy_script(lambda: make(dataset))

    def copy_script(self, make: Callable[[], str]) -> None:
        """Copy a Python script, which is made in the background; if the script is refused, a message says why."""

        def made(script: str) -> None:
            QGuiApplication.clipboard().setText(script)
            self.message.emit(tr("The script is on the clipboard."))

        def refused(error: InputError) -> None:
            self.message.emit(as_sentence(worded(error)))

        self.tasks.start(make, made, self.message.emit, refused=refused)

    def save_experiment(self, path: str, title: str, runs: Sequence[tuple[str, Request]]) -> None:
        """Save named trainings as a file that `mcsvm run` repeats with the same numbers."""

        def write() -> str:
            from mcsvm_gui.core.experiment import Experiment, write_experiment
            from mcsvm_gui.core.machine.command_line import shell_line

            write_experiment(path, Experiment.of_requests(title, runs))
            return shell_line(["mcsvm", "run", path])

        def written(command: str) -> None:
            self.message.emit(tr("Saved. To do it again: {command}", command=command))

        self.tasks.start(write, written, self.message.emit)

    def save_session(self, path: str) -> None:
        """Save every completed training of the project as an experiment."""
        ended = [record for record in map(self.runs.record, self.runs.ids()) if record.document is not None]
        runs = [(record.name, record.request) for record in ended if record.readable]
        if runs:
            self.save_experiment(path, tr("Session of {name}", name=Path(self.runs.path).stem), runs)
        else:
            self.message.emit(tr("There is no trained model to save yet."))

    # -- settings of the project ------------------------------------------------------------------

    def _keep(self) -> None:
        kept = {
            "path": self.path,
            "read": asdict(self.read),
            "rules": self._rules,
            "test": self.test_path,
            "holdout": self.holdout,
            "seed": self.seed,
        }
        self.runs.keep_setting(KEPT, kept)
        if self.path is not None and self.dataset is not None:
            entry = {name: value for name, value in kept.items() if name != "path"}
            entry["read"] = options.plain(self.read)
            entry["rules"] = options.plain(self.rules)
            self.files.keep(self.path, {**entry, "digest": self.dataset.digest})

    def restore(self) -> None:
        """Restore the data and preparation of the project, unless data are open or another project is being opened."""
        occupied = self.last_asked[0] is not None or self.runs.opening
        asked = self._to_restore = None if occupied else self._left_with()
        left = () if asked is None else (asked.data, asked.test)
        self.trust.look([*left, *self.runs.named_files(), *self.searches.named_files()])
        if asked is not None and asked.data is not None:
            if not self.files.of_path(asked.data):
                plain = asked.document()
                self.files.keep(
                    asked.data, {name: plain[name] for name in ("test", "read", "rules", "holdout", "seed")}
                )
            self.holdout, self.seed, self._rules = asked.holdout, asked.seed, asdict(asked.rules)
            self.preparation_changed.emit()
            self._restore_data()

    def _left_with(self) -> Request | None:
        kept = self.runs.setting(KEPT)
        if not isinstance(kept, dict) or not kept.get("path"):
            return None
        try:
            return _kept_request(kept)
        except (LookupError, InputError):
            self.message.emit(tr("This version cannot read the project's import settings. Open the data again."))
            return None

    def _restore_data(self) -> None:
        asked = self._to_restore
        if asked is None or asked.data is None or self.last_asked[0] is not None:
            return
        if not self.trust.may_read((asked.data, asked.test)):
            return  # until the user agrees
        path, test = asked.data, asked.test

        def looked(there: bool) -> None:
            if self._to_restore is not asked or self.last_asked[0] is not None or self.runs.opening:
                return  # something else was requested meanwhile
            self._to_restore = None
            if there:
                self.open_data(path, asked.read, test)
            else:
                self.message.emit(tr("{path} is not there any more.", path=path))

        self.tasks.start(lambda: os.path.exists(path), looked, self.message.emit)


def _kept_request(kept: dict[str, Any]) -> Request:
    """Return the data and their preprocessing from a project as a request; raises InputError if it is invalid."""
    from mcsvm_gui.core.machine.request import Request

    names = {"data": "path", "test": "test", "read": "read", "rules": "rules", "holdout": "holdout", "seed": "seed"}
    return Request.from_document({name: kept[key] for name, key in names.items()})


def _data_of(request: Request) -> tuple[Dataset, Dataset | None]:
    from mcsvm_gui.core.machine import sources

    return sources.data_of(request)


@dataclass(frozen=True)
class _Opened:
    dataset: Dataset
    read: ReadOptions | None
    misfit: bool = False  # whether the import settings last used no longer fit the file


def _open(path: str, read: ReadOptions | None, known: Mapping[str, Mapping[str, Any]], *, may_differ: bool) -> _Opened:
    """Open a data set with the import settings last used.

    `known` holds settings by content, for a renamed file. `may_differ`: if the settings fail, read it as a new file.
    """
    from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

    try:
        dataset = open_dataset(path, read or ReadOptions())
    except InputError:
        if not may_differ:
            raise
        return _Opened(open_dataset(path, ReadOptions()), None, misfit=True)
    previous = preparation_of(known.get(dataset.digest, {}))
    if read is None and previous is not None and previous.read != ReadOptions():
        try:
            return _Opened(open_dataset(path, previous.read), previous.read)
        except InputError:
            return _Opened(dataset, None)
    return _Opened(dataset, read)
