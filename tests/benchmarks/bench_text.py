"""Which articles are about grain: accuracy and time of a linear machine on tf-idf, beside scikit-learn's.

    python -m pytest tests/benchmarks/bench_text.py -s

ReutersGrain and ReutersCorn of Weka's examples (Debian's package weka, or ../shared/data/weka). scikit-learn:
TfidfVectorizer and LinearSVC on the same rows. CPU time of one thread, words to model, alternating; the best of five.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from mcsvm.solvers.work import limited
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import Session, score

FOLDERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "weka", Path("/usr/share/doc/weka/examples")
pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(0)]


@pytest.mark.parametrize("subject", ["Grain", "Corn"])
def test_articles(subject: str) -> None:
    folder = next((folder for folder in FOLDERS if (folder / f"Reuters{subject}-train.arff").is_file()), None)
    if folder is None:
        pytest.skip("Weka's examples are not here")
    read = ReadOptions(text=("Text",))
    train, test = (open_dataset(folder / f"Reuters{subject}-{part}.arff", read) for part in ("train", "test"))
    assert train.table is not None
    assert test.table is not None
    theirs, ours = [], []
    for _ in range(5):
        with limited(1):
            begun = time.process_time()
            pipeline = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(train.table["Text"], train.labels)
            theirs.append(time.process_time() - begun)
            begun = time.process_time()
            session = Session(Request(machine="ww", kernel="linear"), train)
            while session.running:
                session.advance()
            trained = session.finish().trained
            ours.append(time.process_time() - begun)
    accuracies = score(trained, test)[0], pipeline.score(test.table["Text"], test.labels)
    print(f"\n{subject}: accuracy {accuracies[0]:.4f} and {accuracies[1]:.4f}; ", end="")
    print(f"{min(ours):.3f} s and {min(theirs):.3f} s, {min(ours) / min(theirs):.2f} times as long")
    assert accuracies[0] is not None
    assert accuracies[0] >= accuracies[1] - 0.01
