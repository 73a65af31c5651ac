"""The Data page's decisions, with a view that writes down what it is told and work that waits to be done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QObject, Signal

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import resources
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.settings import Settings
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.samples import SampleDataset, samples
from mcsvm_gui.ui.data import presenter as data
from mcsvm_gui.ui.data.presenter import DataPresenter
from mcsvm_gui.ui.runs.checks import Checks


class FakeView(QObject):
    file_chosen, test_chosen, sample_chosen, text_pasted = Signal(str), Signal(str), Signal(str), Signal(str)
    cancelled, gallery_asked, data_asked, test_dropped = Signal(), Signal(), Signal(), Signal()
    reading_changed, acted = Signal(str, object), Signal(str, object)
    role_chosen = Signal(object, str)
    arrangement_asked, projection_chosen = Signal(object), Signal(str)
    rule_changed = Signal(str, object)
    holdout_changed, seed_changed = Signal(int), Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not name.startswith(("show_", "say_", "set_", "focus_", "pick_")):
            raise AttributeError(name)
        return lambda *values: self.told.append((name, values))

    def last(self, name: str) -> tuple[Any, ...]:
        return next(values for told, values in reversed(self.told) if told == name)

    @property
    def state(self) -> str:
        states = {"show_welcome", "show_loading", "show_rereading", "show_failed", "show_data"}
        return next(name for name, _ in reversed(self.told) if name in states)


class Ticket:
    wanted = True

    def cancel(self) -> None:
        self.wanted = False


class FakeTasks:
    """Work waits until `work` is called."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Ticket, Callable[[], Any], Callable[[Any], None], Any]] = []

    def start(
        self, function: Callable[[], Any], done: Callable[[Any], None], failed: Any = None, refused: Any = None
    ) -> Ticket:
        ticket = Ticket()
        self.waiting.append((ticket, function, done, refused))
        return ticket

    def work(self) -> None:
        """Everything, and what it leads to."""
        while True:
            QCoreApplication.processEvents()  # looks follow each other after a pause
            if not self.waiting:
                return
            ticket, function, done, failed = self.waiting.pop(0)
            if not ticket.wanted:
                continue
            try:
                answer = function()
            except InputError as trouble:
                failed(trouble)
            else:
                done(answer)


class FakeWorkspace(QObject):
    loading, data_changed, data_failed = Signal(str), Signal(), Signal(object)
    preparation_changed, message = Signal(), Signal(str)
    test_loading, test_failed = Signal(str), Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.tasks, self.settings = FakeTasks(), Settings()
        self.settings["recent_files"], self.settings["last_folder"] = ["/there/old.csv"], "/there"
        self.dataset = self.test = self.path = self.test_path = None
        self.read, self.rules, self.holdout, self.seed = ReadOptions(), Rules(), 0.3, 0
        self.checks = Checks(self)
        self.asked: list[tuple[str, Any]] = []

    @property
    def last_asked(self) -> tuple[str | None, Any]:
        return self.path, self.read

    def open_data(self, path: str, read: ReadOptions | None = None) -> None:
        self.asked.append((path, read))
        self.before = self.path, self.read
        self.path, self.read = path, read or ReadOptions()
        self.loading.emit(path)
        self.tasks.start(lambda: open_dataset(path, self.read), self._opened, refused=self._refused)

    def open_sample(self, sample: SampleDataset) -> None:
        self.asked.append(("sample", sample.name))

    def _opened(self, dataset: Any) -> None:
        self.dataset = dataset
        self.data_changed.emit()

    def _refused(self, error: InputError) -> None:
        self.dataset = None
        self.data_failed.emit(error)

    def cancel_reading(self) -> None:
        self.asked.append(("cancel", None))
        self.path, self.read = self.before

    def close_data(self) -> None:
        self.dataset = self.path = None
        self.data_changed.emit()

    def open_test(self, path: str) -> None:
        self.asked.append(("test", path))

    def drop_test(self) -> None:
        self.asked.append(("drop test", None))

    def set_preparation(self, **values: Any) -> None:
        self.asked.append(("preparation", values))
        self.rules = Rules(**{**vars(self.rules), **{k: v for k, v in values.items() if k in ("scale", "missing")}})
        self.holdout, self.seed = values.get("holdout", self.holdout), values.get("seed", self.seed)
        self.preparation_changed.emit()


class Stage:
    def __init__(self) -> None:
        self.view, self.workspace = FakeView(), FakeWorkspace()
        self.presenter = DataPresenter(self.view, self.workspace)  # type: ignore[arg-type]

    def open(self, path: str | Path) -> None:
        self.view.file_chosen.emit(str(path))
        self.workspace.tasks.work()


@pytest.fixture
def stage(qapp: QCoreApplication, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(data, "PAINTING", 0)
    return Stage()


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "made.csv"
    path.write_text(text)
    return path


def with_gaps(tmp_path: Path) -> Path:
    rows = "".join(f"{i if i % 7 else ''},{i * i % 11},{'ab'[i % 2]}\n" for i in range(1, 40))
    return written(tmp_path, f"x,z,class\n{rows}")


def test_it_begins_with_the_gallery_and_the_recent_files(stage: Stage) -> None:
    assert stage.view.state == "show_welcome"
    shown, recent, back = stage.view.last("show_welcome")
    assert [sample.name for sample in shown] == ["iris", "wine", "glass", "vowel", "segment", "optdigits"]
    assert recent == ["/there/old.csv"]
    assert back == ""


def test_a_file_is_loading_then_shown_and_looked_at(stage: Stage) -> None:
    path = str(resources.dataset("iris"))
    stage.view.file_chosen.emit(path)
    assert stage.view.state == "show_loading"
    assert stage.view.last("show_loading")[0] == "iris.csv"
    stage.workspace.tasks.work()
    assert stage.view.state == "show_data"
    name, where, dataset, fields = stage.view.last("show_data")
    assert (name, where, dataset.rows) == ("iris.csv", path, 150)
    assert {field.option for field in fields if field.guessed} == {"label", "header", "separator"}
    assert stage.view.last("show_classes") == (("setosa", "versicolor", "virginica"), (50, 50, 50))
    assert stage.view.last("show_projection")[0].points.shape == (150, 2)
    summary = stage.view.last("show_summary")[0]
    assert all(words in summary for words in ("150 rows", "4 features", "3 classes", "no missing cells"))
    assert dataset.digest[:8] in summary
    said = stage.view.last("show_advice")[0]
    assert [advice.sentence.partition(".")[0] for advice in said][:1] == ["1 row occurs again"]
    assert [finding.code for finding in stage.workspace.checks.findings] == ["MC003", "MC043"]


def test_a_sample_is_opened_by_its_name(stage: Stage) -> None:
    for sample in samples():
        stage.view.sample_chosen.emit(sample.name)
    assert stage.workspace.asked == [("sample", sample.name) for sample in samples()]


def test_a_file_opened_after_a_sample_gets_no_test_part(stage: Stage) -> None:
    stage.view.sample_chosen.emit("vowel")
    stage.open(resources.dataset("vowel_train"))
    assert ("test", str(resources.dataset("vowel_test"))) not in stage.workspace.asked


def test_every_change_of_a_guess_reads_again(stage: Stage) -> None:
    path = str(resources.dataset("iris"))
    stage.open(path)
    stage.view.reading_changed.emit("separator", ";")
    assert stage.workspace.asked[-1] == (path, ReadOptions(separator=";"))
    assert stage.view.state == "show_rereading"
    stage.view.reading_changed.emit("separator", None)
    stage.view.reading_changed.emit("header", "no")
    assert stage.workspace.asked[-1] == (path, ReadOptions(header="no"))
    stage.view.reading_changed.emit("header", None)
    assert stage.workspace.asked[-1] == (path, ReadOptions())


def test_a_file_that_cannot_be_used_says_why_and_which_control_could_mend_it(stage: Stage, tmp_path: Path) -> None:
    path = written(tmp_path, "kind,x,z\n" + "".join(f"{'ab'[i % 2]},{i},{i / 7}\n" for i in range(60)))
    stage.open(path)
    assert stage.view.state == "show_failed"
    name, sentence, fields, marked, _ = stage.view.last("show_failed")
    assert name == "made.csv"
    assert str(tmp_path) not in sentence
    assert "--" not in sentence
    assert marked == ("label",)
    label = next(field for field in fields if field.option == "label")
    assert [answer.value for answer in label.answers] == ["kind", "x", "z"]
    stage.view.reading_changed.emit("label", "kind")
    stage.workspace.tasks.work()
    assert stage.view.state == "show_data"
    assert stage.view.last("show_data")[2].label_name == "kind"


def test_a_file_that_is_not_there_fails_in_words(stage: Stage, tmp_path: Path) -> None:
    stage.open(tmp_path / "nowhere.csv")
    assert stage.view.state == "show_failed"
    assert stage.view.last("show_failed")[1]


def test_missing_cells_come_with_two_ways_out(stage: Stage, tmp_path: Path) -> None:
    stage.open(with_gaps(tmp_path))
    first = stage.view.last("show_advice")[0][0]
    assert first.sentence.startswith("5 cells are missing")
    asked = [(action.option, action.value) for action in first.actions]
    assert asked == [("missing", "mean"), ("missing", "drop")]
    stage.view.acted.emit("missing", "drop")
    assert ("preparation", {"missing": "drop"}) in stage.workspace.asked
    stage.workspace.tasks.work()
    sentences = [advice.sentence for advice in stage.view.last("show_advice")[0]]
    assert any("their rows are left out" in sentence for sentence in sentences)
    assert not any(advice.actions for advice in stage.view.last("show_advice")[0])


def test_unscaled_columns_say_what_it_costs_and_offer_scaling(stage: Stage) -> None:
    stage.open(resources.dataset("wine"))
    pictures = [values[0] for name, values in stage.view.told if name == "show_projection"]
    stage.view.rule_changed.emit("scale", "none")
    stage.workspace.tasks.work()
    first = stage.view.last("show_advice")[0][0]
    assert "proline" in first.sentence
    assert "longer" in first.sentence
    assert [(action.option, action.value) for action in first.actions] == [("scale", "minmax")]
    again = stage.view.last("show_projection")[0]
    assert again is not pictures[-1]
    assert again.shares[0] > 0.99


def test_what_an_advice_cannot_decide_it_shows(stage: Stage) -> None:
    stage.view.acted.emit("encoding", None)
    assert stage.view.last("focus_option") == ("encoding",)


def test_hold_out_and_seed_go_to_the_workspace(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    before = len(stage.workspace.tasks.waiting)
    stage.view.holdout_changed.emit(25)
    stage.view.seed_changed.emit(7)
    assert (stage.workspace.holdout, stage.workspace.seed) == (0.25, 7)
    stage.view.holdout_changed.emit(0)
    assert stage.workspace.holdout is None
    assert stage.view.last("show_preparation") == (Rules(), 0, 7)
    assert len(stage.workspace.tasks.waiting) == before, "one look at a time"
    stage.workspace.tasks.work()
    assert len([name for name, _ in stage.view.told if name == "show_projection"]) == 1, "the picture is the same"


def test_a_test_file_is_named_with_its_rows(stage: Stage) -> None:
    stage.open(resources.dataset("vowel_train"))
    path = str(resources.dataset("vowel_test"))
    stage.workspace.test, stage.workspace.test_path = open_dataset(path), path  # type: ignore[assignment]
    stage.workspace.preparation_changed.emit()
    name, words = stage.view.last("show_test")
    assert name == "vowel_test.csv"
    assert "462" in words
    stage.view.test_dropped.emit()
    assert stage.workspace.asked[-1] == ("drop test", None)


def test_a_test_file_that_cannot_be_read_is_said_beside_its_button(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    stage.workspace.test_loading.emit("/there/rows.csv")
    assert "rows.csv" in stage.view.last("show_test")[0]
    stage.workspace.test_failed.emit("/there/rows.csv", FileError("/there/rows.csv", "column x is missing"))
    told = [(name, values) for name, values in stage.view.told if name.startswith("show_test")][-2:]
    assert [name for name, _ in told] == ["show_test", "show_test_error"]
    assert told[0][1][0] == ""
    assert told[1][1] == ("rows.csv: column x is missing",)


def test_answers_about_data_that_are_gone_are_dropped(stage: Stage) -> None:
    stage.view.file_chosen.emit(str(resources.dataset("iris")))
    tasks = stage.workspace.tasks
    _, function, done, _ = tasks.waiting.pop(0)
    done(function())
    QCoreApplication.processEvents()
    assert len(tasks.waiting) == 1, "one look at a time"
    stage.open(resources.dataset("wine"))
    assert [values[0] for name, values in stage.view.told if name == "show_classes"] == [("1", "2", "3")]
    assert len([name for name, _ in stage.view.told if name == "show_projection"]) == 1


def test_a_look_asked_again_while_under_way_gives_the_later_answer(stage: Stage) -> None:
    stage.open(resources.dataset("wine"))
    stage.view.rule_changed.emit("scale", "none")
    QCoreApplication.processEvents()
    assert len(stage.workspace.tasks.waiting) == 1
    stage.view.rule_changed.emit("scale", "minmax")
    stage.workspace.tasks.work()
    assert stage.view.last("show_projection")[0].shares[0] < 0.6
    assert not any(advice.actions for advice in stage.view.last("show_advice")[0])


def test_cancelling_goes_back_to_what_was_there(stage: Stage) -> None:
    stage.view.file_chosen.emit(str(resources.dataset("iris")))
    stage.view.cancelled.emit()
    assert ("cancel", None) in stage.workspace.asked
    assert stage.view.state == "show_welcome"


def test_a_file_given_up_is_not_taken_for_the_one_that_is_open(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    stage.view.reading_changed.emit("header", "yes")
    stage.workspace.tasks.work()
    stage.view.file_chosen.emit(str(resources.dataset("wine")))
    stage.workspace.tasks.waiting.clear()
    stage.view.cancelled.emit()
    stage.workspace.tasks.work()
    assert stage.view.last("show_data")[0] == "iris.csv"
    assert stage.workspace.path == stage.workspace.dataset.name == str(resources.dataset("iris"))
    assert stage.workspace.read == ReadOptions(header="yes")


def test_the_gallery_leads_back_to_the_data(stage: Stage) -> None:
    stage.open(resources.dataset("iris"))
    stage.view.gallery_asked.emit()
    assert stage.view.last("show_welcome")[2] == "iris.csv"
    stage.view.data_asked.emit()
    assert stage.view.state == "show_data"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (FileError("/a/b.csv", "no data rows"), "No data rows."),
        (FileError("/a/b.csv", "too many cells: {count}", count=5, line=17), "Line 17: too many cells: 5."),
        (InputError("something else"), "Something else."),
    ],
)
def test_the_path_above_is_not_said_again(stage: Stage, error: InputError, shown: str) -> None:
    stage.workspace.data_failed.emit(error)
    assert stage.view.last("show_failed")[1] == shown
