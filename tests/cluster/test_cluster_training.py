"""One training on a scheduler and two workers: the answer of one machine, losses, stops, and what is refused."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import mcsvm, training
from dask_cluster import DaskCluster
from scipy.stats import binomtest
from small_data import blobs

from mcsvm.solvers.budget import PARTITIONED
from mcsvm.solvers.partitioned import run
from mcsvm.solvers.partitioned.run import PartitionedRun
from mcsvm.solvers.run.ending import Ending
from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.cluster import partitions
from mcsvm_gui.core.cluster.connection import Connection, StoppedWaitingError
from mcsvm_gui.core.cluster.partitions import WorkerPartitions
from mcsvm_gui.core.cluster.session import ClusterSession, train_on_cluster
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.state import JobState
from mcsvm_gui.ui.threads.training import Read, Sampled, Trained, Training

pytest.importorskip("distributed")


def cut(folder: Path, name: str, parts: int) -> Path:
    """A bundled data set as several CSV files."""
    folder.mkdir()
    whole = pd.read_csv(dataset(name))
    for number, rows in enumerate(np.array_split(np.arange(len(whole)), parts)):
        whole.iloc[rows].to_csv(folder / f"part-{number}.csv", index=False)
    return folder


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    return cut(tmp_path / "segment", "segment", 5)


def trained(*words: object) -> dict[str, Any]:
    return mcsvm("train", *words, "--json").document


@pytest.mark.parametrize("machine", ["ww", "ovo"])
def test_the_model_is_that_of_one_machine(machine: str, cluster: DaskCluster, segment: Path, tmp_path: Path) -> None:
    near, far = tmp_path / "near.mcsvm", tmp_path / "far.mcsvm"
    here = trained(segment, "--machine", machine, "--model", near)
    there = trained(segment, "--machine", machine, "--model", far, "--scheduler", cluster.address)
    assert there["ending"] == "converged"
    assert len(there["cluster"]["parts"]) == 2
    assert sum(there["cluster"]["parts"]) == here["n_train"]
    assert there["classes"] == here["classes"]
    assert there["kernel"]["gamma"] == pytest.approx(here["kernel"]["gamma"], rel=1e-12)
    assert there["certificate"]["dual"] == pytest.approx(here["certificate"]["dual"], rel=1e-4)
    assert there["train_accuracy"] == pytest.approx(here["train_accuracy"], abs=2e-3)
    rows = open_dataset(segment, Request().read)
    scores = [model_file.load(path).predictions(rows).scores for path in (near, far)]
    assert np.mean(scores[0].argmax(axis=1) == scores[1].argmax(axis=1)) > 0.999
    verified = mcsvm("verify", far, segment)
    assert verified.code == 0, verified


def test_a_model_of_held_out_and_standardised_rows_is_verified(
    cluster: DaskCluster, segment: Path, tmp_path: Path
) -> None:
    """Workers add up moments part by part, so that scales differ from those of one machine in the last digits."""
    model = tmp_path / "far.mcsvm"
    words = "--machine", "ova", "--scale", "standard", "--holdout", 0.3, "--seed", 2, "--class-weight", "balanced"
    trained(segment, *words, "--model", model, "--scheduler", cluster.address)
    verified = mcsvm("verify", model, segment)
    assert verified.code == 0, verified


def test_the_same_rows_are_held_out(cluster: DaskCluster, segment: Path) -> None:
    asked = segment, "--holdout", 0.3, "--seed", 4
    here, there = trained(*asked), trained(*asked, "--scheduler", cluster.address)
    assert (there["n_train"], there["n_test"]) == (here["n_train"], here["n_test"])
    assert there["class_counts"] == here["class_counts"]
    assert there["certificate"]["dual"] == pytest.approx(here["certificate"]["dual"], rel=1e-4)
    assert there["test_accuracy"] == pytest.approx(here["test_accuracy"], abs=3e-3)


def test_a_model_knows_the_rows_that_it_was_trained_on(cluster: DaskCluster, tmp_path: Path) -> None:
    """As a model of one machine: predictions are scored on the other rows, which the file of each row tells apart."""
    folder = cut(tmp_path / "wine", "wine", 3)
    near, far = tmp_path / "near.mcsvm", tmp_path / "far.mcsvm"
    asked = folder, "--holdout", 0.3, "--seed", 4
    trained(*asked, "--model", near)
    document = trained(*asked, "--model", far, "--scheduler", cluster.address)
    here, there = (model_file.load(path).rows for path in (near, far))
    assert here is not None
    assert there is not None
    assert there.numbers.tolist() == here.numbers.tolist()
    assert [file.digest for file in there.files] == [file.digest for file in here.files]
    assert there.file_names is not None
    assert here.file_names is not None
    assert there.file_names.tolist() == here.file_names.tolist()
    predicted = mcsvm("predict", far, folder, "--json").document
    assert predicted["n_trained_on"] == document["n_train"]
    assert predicted["n_scored"] == document["n_test"]
    assert predicted["accuracy"] == pytest.approx(document["test_accuracy"])


def test_a_column_of_weights_counts_here_as_there(cluster: DaskCluster, tmp_path: Path) -> None:
    rows = pd.read_csv(dataset("iris")).assign(w=np.arange(150) % 3)
    folder = tmp_path / "weighted"
    folder.mkdir()
    rows.iloc[:70].to_csv(folder / "a.csv", index=False)
    rows.iloc[70:].to_csv(folder / "b.csv", index=False)
    asked = folder, "--label", rows.columns[-2], "--weights", "w", "--class-weight", "balanced"
    here, there = trained(*asked), trained(*asked, "--scheduler", cluster.address)
    assert there["weights"] == here["weights"]
    assert there["kernel"]["gamma"] == pytest.approx(here["kernel"]["gamma"], rel=1e-12)
    assert there["certificate"]["dual"] == pytest.approx(here["certificate"]["dual"], rel=1e-4)
    assert there["train_accuracy"] == pytest.approx(here["train_accuracy"], abs=2e-2)


def test_the_window_trains_there_as_it_trains_here(cluster: DaskCluster, segment: Path) -> None:
    """The thread of a training on the Train page, without a window."""
    request = Request(data=str(segment), holdout=0.3, scheduler=cluster.address)
    job = Training(1, request, open_dataset(segment, request.read))
    job.work()
    facts = job.facts()
    states = [fact for fact in facts if isinstance(fact, JobState)]
    assert states == [JobState.PREPARING, JobState.RUNNING, JobState.CERTIFYING, JobState.DONE]
    samples = [fact.sample for fact in facts if isinstance(fact, Sampled)]
    assert len(samples) >= 2
    assert samples[-1].gap < samples[0].gap
    (outcome,) = (fact.outcome for fact in facts if isinstance(fact, Trained))
    assert outcome.document["n_test"] > 0
    (reading, *_) = (fact.reading for fact in facts if isinstance(fact, Read))
    assert 0.0 <= reading.train_accuracy <= 1.0


@pytest.fixture
def many_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PARTITIONED", replace(PARTITIONED, block=128, block_least=32))


@pytest.mark.usefixtures("many_rounds")
def test_a_killed_worker_changes_nothing(cluster: DaskCluster, segment: Path) -> None:
    request = Request(data=str(segment), C=100.0, gamma=0.3, tol=1e-4, scheduler=cluster.address)
    with Connection(cluster.address) as connection:
        session = ClusterSession(request, connection)
        for _ in range(4):
            session.advance()
        assert session.running
        next(worker for worker in cluster.workers if worker.poll() is None).kill()
        while session.running:
            session.advance()
        outcome = session.finish()
    assert outcome.trained.origin.ending is Ending.CONVERGED
    assert outcome.document["cluster"]["lost"] == 1
    here = trained(segment, "--C", 100, "--gamma", 0.3, "--tol", "1e-4")
    assert outcome.trained.certificate.violation <= 1e-4
    assert outcome.trained.certificate.dual == pytest.approx(here["certificate"]["dual"], rel=1e-5)


@pytest.mark.usefixtures("many_rounds")
def test_a_stop_keeps_what_there_is(cluster: DaskCluster, segment: Path) -> None:
    request = Request(data=str(segment), C=30.0, gamma=0.3, tol=1e-6, scheduler=cluster.address)
    with Connection(cluster.address) as connection:
        session = ClusterSession(request, connection)
        while session.run.rounds < 2:
            session.advance()
        session.stop()
        outcome = session.finish()
    assert outcome.trained.origin.ending is Ending.STOPPED
    assert outcome.trained.certificate.gap > 0.0
    assert len(outcome.trace) == 2


@pytest.fixture
def parquet(segment: Path, tmp_path: Path) -> Path:
    pytest.importorskip("pyarrow")
    folder = tmp_path / "parquet"
    folder.mkdir()
    for part in segment.iterdir():
        pd.read_csv(part).to_parquet(folder / f"{part.stem}.parquet", index=False)
    return folder


def test_parquet_parts_are_read_as_csv_parts_are(cluster: DaskCluster, segment: Path, parquet: Path) -> None:
    text, binary = (trained(folder, "--scheduler", cluster.address) for folder in (segment, parquet))
    assert sum(binary["cluster"]["parts"]) == sum(text["cluster"]["parts"])  # shared out by sizes of files
    assert binary["class_counts"] == text["class_counts"]
    assert binary["kernel"]["gamma"] == pytest.approx(text["kernel"]["gamma"], rel=1e-12)
    assert binary["certificate"]["dual"] == pytest.approx(text["certificate"]["dual"], rel=1e-4)


def test_ctrl_c_keeps_the_certified_model(cluster: DaskCluster, tmp_path: Path) -> None:
    folder, model = tmp_path / "blobs", tmp_path / "m.mcsvm"
    folder.mkdir()
    X, y = blobs(n=4000, classes=6, features=3, seed=1)
    for number, rows in enumerate(np.array_split(np.arange(len(y)), 2)):
        pd.DataFrame(X[rows]).assign(label=[f"c{code}" for code in y[rows]]).to_csv(
            folder / f"{number}.csv", index=False
        )
    asked = folder, "--C", "2^14", "--tol", "1e-9", "--json", "--model", model, "--scheduler", cluster.address
    program = training("train", *asked, run="mcsvm.solvers.partitioned.run.PartitionedRun")
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=120)
    assert (program.returncode, err) == (130, ""), out
    assert json.loads(out)["ending"] == "stopped"
    kept = model_file.load(model)
    assert kept.origin.ending is Ending.STOPPED
    assert kept.certificate.gap > 0.0
    assert mcsvm("verify", model, folder).code == 3


def test_a_stop_while_the_workers_read_leaves_nothing(cluster: DaskCluster, segment: Path) -> None:
    looks = iter([False, False])
    request = Request(data=str(segment), scheduler=cluster.address)
    with pytest.raises(StoppedWaitingError):
        train_on_cluster(request, lambda *_: None, lambda: next(looks, True))


def test_a_stop_does_not_wait_for_the_round(
    cluster: DaskCluster, segment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round that does not end before the stop was heard; then it does, and its alpha is kept."""
    heard, advance = threading.Event(), PartitionedRun.advance

    def slow(self: PartitionedRun) -> Sample:
        assert heard.wait(60.0)
        return advance(self)

    with Connection(cluster.address) as connection:
        session = ClusterSession(Request(data=str(segment), scheduler=cluster.address), connection)
        monkeypatch.setattr(PartitionedRun, "advance", slow)
        before = session.run.rounds
        session.advance()  # comes back, though the round has not ended
        session.stop()
        assert not session.running
        heard.set()
        outcome = session.finish()
    assert outcome.trained.origin.ending is Ending.STOPPED
    assert session.run.rounds == before + 1


@pytest.fixture
def at_question(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], None]:
    """Does something just before all parts are asked this for the first time."""
    ask = WorkerPartitions.ask

    def watch(name: str, act: Callable[[], None]) -> None:
        acts = [act]

        def watched(self: WorkerPartitions, question: str, arguments: Any, of: Any = None) -> list[Any]:
            if question == name and of is None and acts:
                acts.pop()()
            return ask(self, question, arguments, of)

        monkeypatch.setattr(WorkerPartitions, "ask", watched)

    return watch


def kill(cluster: DaskCluster, count: int) -> None:
    for worker in [worker for worker in cluster.workers if worker.poll() is None][:count]:
        worker.kill()


@pytest.mark.parametrize("question", ["clear", "add", "proved"])
def test_a_worker_lost_during_the_certificate(
    question: str, cluster: DaskCluster, segment: Path, at_question: Callable[..., None]
) -> None:
    here = trained(segment)
    at_question(question, lambda: kill(cluster, 1))
    there = trained(segment, "--scheduler", cluster.address)
    assert there["ending"] == "converged"
    assert there["cluster"]["lost"] == 1
    assert there["certificate"]["dual"] == pytest.approx(here["certificate"]["dual"], rel=1e-4)


def test_all_workers_lost_is_a_sentence(
    cluster: DaskCluster, segment: Path, at_question: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "RETURN_WITHIN", 0.5)
    at_question("round", lambda: kill(cluster, 2))
    complaint = mcsvm("train", segment, "--scheduler", cluster.address, "--quiet").complaint
    assert complaint == f"error: {cluster.address}: all workers have gone, and with them the rows"


def test_after_a_test_on_held_out_rows_the_workers_train_on_all(
    cluster: DaskCluster, segment: Path, tmp_path: Path
) -> None:
    model = tmp_path / "m.mcsvm"
    tested = trained(segment, "--holdout", "0.3", "--scheduler", cluster.address)
    whole = trained(segment, "--scheduler", cluster.address)
    final = trained(segment, "--holdout", "0.3", "--refit", "--scheduler", cluster.address, "--model", model)
    assert final["n_train"] == whole["n_train"] == tested["n_train"] + tested["n_test"]
    assert final["certificate"]["dual"] == pytest.approx(whole["certificate"]["dual"], rel=1e-6)
    assert (final["test_accuracy"], final["n_test"]) == (tested["test_accuracy"], tested["n_test"])
    low, high = final["refit"]["tested"]["interval"]
    right = round(tested["test_accuracy"] * tested["n_test"])
    limits = binomtest(right, tested["n_test"]).proportion_ci(method="exact")
    assert (low, high) == pytest.approx((limits.low, limits.high))
    assert "cannot be continued" in mcsvm("train", "--continue", model, "--tol", "1e-6").complaint


# -- what is refused ------------------------------------------------------------------------------

WITHOUT = ["--split=order", "--calibrate=temperature", "--missing=mean", "--solver=smo", "--merge=a=b+c", "--share=0.5"]


@pytest.mark.parametrize("option", WITHOUT)
def test_what_needs_all_rows_is_refused_before_anybody_is_asked(option: str, segment: Path) -> None:
    assert "cluster" in mcsvm("train", segment, option, "--scheduler", "127.0.0.1:1").complaint


def test_an_address_where_nobody_listens(segment: Path) -> None:
    assert "nothing listens there" in mcsvm("train", segment, "--scheduler", "127.0.0.1:1").complaint
    assert "tcp://" in mcsvm("train", segment, "--scheduler", "a b").complaint


def test_a_folder_that_workers_do_not_see(cluster: DaskCluster, tmp_path: Path) -> None:
    complaint = mcsvm("train", tmp_path / "nowhere", "--scheduler", cluster.address).complaint
    assert "no such file" in complaint


def test_parts_with_other_columns(cluster: DaskCluster, segment: Path) -> None:
    other = pd.read_csv(segment / "part-4.csv").rename(columns=lambda name: name.replace("h", "x"))
    other.to_csv(segment / "part-4.csv", index=False)
    complaint = mcsvm("train", segment, "--scheduler", cluster.address).complaint
    assert "part-4.csv: its columns are not those of" in complaint or "part-4.csv" in complaint


def test_a_part_without_rows(cluster: DaskCluster, segment: Path) -> None:
    head = (segment / "part-3.csv").read_text().splitlines()[0]
    (segment / "part-3.csv").write_text(head + "\n")
    complaint = mcsvm("train", segment, "--scheduler", cluster.address).complaint
    assert "part-3.csv" in complaint


def test_missing_cells_are_named_with_their_file(cluster: DaskCluster, segment: Path) -> None:
    rows = pd.read_csv(segment / "part-2.csv")
    rows.iloc[3, 2] = np.nan
    rows.to_csv(segment / "part-2.csv", index=False)
    complaint = mcsvm("train", segment, "--scheduler", cluster.address).complaint
    assert "--missing drop" in complaint
    dropped = trained(segment, "--missing", "drop", "--scheduler", cluster.address)
    assert dropped["n_train"] == len(open_dataset(dataset("segment")).table) - 1


def test_a_class_of_one_part_alone(cluster: DaskCluster, tmp_path: Path) -> None:
    whole = pd.read_csv(dataset("iris"))
    order = whole.sort_values(whole.columns[-1])
    folder = tmp_path / "sorted"
    folder.mkdir()
    order.iloc[:100].to_csv(folder / "a.csv", index=False)
    order.iloc[100:].to_csv(folder / "b.csv", index=False)
    here, there = trained(folder), trained(folder, "--scheduler", cluster.address)
    assert there["n_classes"] == 3
    assert there["certificate"]["dual"] == pytest.approx(here["certificate"]["dual"], rel=1e-4)


def test_a_file_of_one_class_only(cluster: DaskCluster, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,class\n" + "1,x\n2,x\n" * 5)
    assert "one class" in mcsvm("train", tmp_path / "one.csv", "--scheduler", cluster.address).complaint


# -- trainings as tasks ---------------------------------------------------------------------------


def test_a_comparison_by_tasks_is_the_one_made_here(cluster: DaskCluster, tmp_path: Path) -> None:
    asked = "compare", dataset("iris"), "--machines", "ww,ovo", "--folds", 3, "--json"
    here = mcsvm(*asked).document
    there = mcsvm(*asked, "--scheduler", cluster.address, "--save", tmp_path / "again.toml").document
    again = mcsvm("run", tmp_path / "again.toml", "--json", "--scheduler", cluster.address).document
    assert numbers_of(here) == numbers_of(there) == numbers_of(again)
    assert mcsvm("compare", dataset("iris"), "--jobs", 2, "--scheduler", cluster.address).complaint.count("--jobs")


TIMES = "seconds", "predict", "processor"


def numbers_of(document: Any) -> Any:
    """Without times."""
    if isinstance(document, dict):
        return {name: numbers_of(value) for name, value in document.items() if not any(time in name for time in TIMES)}
    return [numbers_of(value) for value in document] if isinstance(document, list) else document


def test_a_search_in_a_comparison_goes_to_the_cluster(cluster: DaskCluster) -> None:
    asked = "compare", dataset("iris"), "--machines", "ovo", "--folds", 2, "--tune", "--C", "1:2^4", "--step", 2
    here = mcsvm(*asked, "--gamma", "2^-2:1", "--json").document
    there = mcsvm(*asked, "--gamma", "2^-2:1", "--json", "--scheduler", cluster.address).document
    assert numbers_of(here) == numbers_of(there)
