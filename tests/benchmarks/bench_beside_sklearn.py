"""CPU seconds and peak memory of a fit beside scikit-learn's SVC and LinearSVC, every fit in a process of its own.

    python -m tests.benchmarks.bench_beside_sklearn [--sets satimage,text] [--models "SVC,ovo linear"] [--seconds 150]

One thread, default parameters, columns standardised (a9a and text stay sparse). A process fits a few rows first, so
that nothing is compiled on the clock, and then all rows once. A fit that exceeds `--seconds` is given up (`>`). The
peak is that of the process, imports and data included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = {
    "satimage": "satimage/train.csv",
    "dna": "dna/train.csv",
    "optdigits": "optdigits/train.csv",
    "letter": "letter/train.csv",
    "shuttle": "shuttle/train.csv.gz",
}
SETS = *FILES, "a9a", "synthetic", "text"
MACHINES = "ww", "ovo", "ova", "cs"
MODELS = "SVC", *MACHINES, "SVC linear", "LinearSVC", *(f"{machine} linear" for machine in MACHINES)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
WARM_ROWS = 3000
OTHER_SECONDS = 20  # of CPU time that a process has beside the fit


def texts(rows: int = 20_000, words: int = 500, topics: int = 10) -> tuple[sp.csr_matrix, np.ndarray]:
    """Draw tf-idf rows: words by Zipf's law, three tenths of them in the order of the topic, 5% of labels wrong."""
    from sklearn.feature_extraction.text import TfidfTransformer

    rng = np.random.default_rng(0)
    y, frequency = rng.integers(0, topics, rows), 1.0 / np.arange(1, words + 1)
    orders = np.array([rng.permutation(words) for _ in range(topics)])
    row = np.repeat(np.arange(rows), np.maximum(3, rng.poisson(40, rows)))
    word = rng.choice(words, row.size, p=frequency / frequency.sum())
    of_topic = rng.random(row.size) < 0.3
    word[of_topic] = orders[y[row[of_topic]], word[of_topic]]
    counts = sp.csr_matrix((np.ones(row.size), (row, word)), (rows, words))
    wrong = rng.random(rows) < 0.05
    y[wrong] = rng.integers(0, topics, wrong.sum())
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts).tocsr(), y


def read(name: str) -> tuple[Any, np.ndarray]:
    """Return features and class numbers of a set."""
    if name == "text":
        return texts()
    if name == "synthetic":
        from sklearn.datasets import make_classification

        return make_classification(100_000, 20, n_informative=10, n_classes=7, random_state=0)
    if name == "a9a":
        from sklearn.datasets import load_svmlight_file

        x, y = load_svmlight_file(str(DATA / "a9a" / "train.libsvm.gz"))
        narrow = sp.csr_matrix((x.data, x.indices.astype(np.int32), x.indptr.astype(np.int32)), x.shape)
        return narrow, (y > 0.0).astype(int)
    import pandas as pd
    from sklearn.preprocessing import StandardScaler

    table = pd.read_csv(DATA / FILES[name])
    codes = np.unique(table.iloc[:, -1], return_inverse=True)[1]
    return StandardScaler().fit_transform(table.iloc[:, :-1].to_numpy(float)), codes


def estimator(name: str) -> Callable[[], Any]:
    """Return a function that makes the estimator of this name."""
    from sklearn.svm import SVC, LinearSVC

    if name == "LinearSVC":
        return LinearSVC
    kind, kernel = [*name.split(), "rbf"][:2]
    if kind == "SVC":
        return lambda: SVC(kernel=kernel)
    from mcsvm import MultiClassSVC

    return lambda: MultiClassSVC(machine=kind, kernel=kernel, threads=1)


def fit_here(name: str, model: str) -> dict[str, float]:
    """Fit in this process; return CPU seconds, peak memory in MB and training accuracy on 2,000 rows."""
    x, y = read(name)
    make = estimator(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make().fit(x[:WARM_ROWS], y[:WARM_ROWS])
        began = time.process_time()
        fitted = make().fit(x, y)
        seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return {"seconds": seconds, "peak": peak, "accuracy": float(fitted.score(x[:2000], y[:2000]))}


def fit_apart(name: str, model: str, seconds: float) -> dict[str, float] | None:
    """`fit_here` in a process of its own; None if it takes too long."""
    limit = int(seconds) + OTHER_SECONDS
    done = subprocess.run(
        [sys.executable, __file__, "--fit", name, model],
        env=os.environ | ONE_THREAD,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    if done.returncode == -signal.SIGXCPU or done.returncode == -signal.SIGKILL:
        return None
    done.check_returncode()
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--seconds", type=float, default=150.0)
    parser.add_argument("--fit", nargs=2)
    options = parser.parse_args()
    if options.fit:
        print(json.dumps(fit_here(*options.fit)))
        return
    print("| set | model | CPU s | peak MB | accuracy |\n|---|---|---|---|---|")
    for name in options.sets.split(","):
        for model in options.models.split(","):
            figures = fit_apart(name, model, options.seconds)
            if figures is None:
                print(f"| {name} | {model} | >{options.seconds:.0f} | | |", flush=True)
            else:
                row = f"{figures['seconds']:.2f} | {figures['peak']:.0f} | {figures['accuracy']:.3f}"
                print(f"| {name} | {model} | {row} |", flush=True)


if __name__ == "__main__":
    main()
