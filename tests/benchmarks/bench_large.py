"""Many rows: training time in passes, peak memory and threads; each row of the table in a process of its own.

    python tests/benchmarks/bench_large.py
    python tests/benchmarks/bench_large.py --rows 20000 50000 --machines ww ovo --threads 1 2
    python tests/benchmarks/bench_large.py --images FOLDER --rows 20000 60000 --cache 2000
    python tests/benchmarks/bench_large.py --old CHECKOUT   # its code in turn with this one's
    python tests/benchmarks/bench_large.py --rows 10000 30000 100000 --machines ovo --estimate 1000000

Without --images the rows are synthetic: 20 columns, 7 overlapping classes, 64 % support vectors. FOLDER has the files
of Fashion-MNIST (Debian: dataset-fashion-mnist). CPU seconds decide, as other processes hardly lengthen them; `longest`
is the share of the thread that calls, so that 1 / longest is how much faster so many threads can be at best. A pass is
n x n_support kernel values by float32 products of 512 rows, squared distances and np.exp in place, on one thread,
measured in the same process after the fit on a few blocks.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parents[2]
HEIGHT, BLOCKS = 512, 6  # rows of a block of a pass, and how many of them are measured
SETTINGS = {"synthetic": (1.0, 0.05), "images": (10.0, 0.02)}  # C, gamma


def synthetic(rows: int, columns: int = 20, classes: int = 7) -> tuple[np.ndarray, np.ndarray]:
    random, labels = np.random.default_rng(0), np.arange(rows) % classes
    centres = 0.45 * random.normal(size=(classes, columns))
    return random.normal(size=(rows, columns)) + centres[labels], labels


def images(folder: Path, rows: int) -> tuple[np.ndarray, np.ndarray]:
    def read(name: str, skipped: int) -> np.ndarray:
        with gzip.open(next(folder.glob(f"{name}*"))) as file:
            return np.frombuffer(file.read(), np.uint8)[skipped:]

    pixels = read("train-images", 16).reshape(-1, 784)[:rows] / 255.0
    return pixels, read("train-labels", 8)[:rows].astype(int)


def one_pass(X: np.ndarray, support: np.ndarray, gamma: float) -> float:
    """CPU seconds of one thread."""
    from threadpoolctl import threadpool_limits

    single = np.ascontiguousarray(X, np.float32)
    right, squares = single[support], np.einsum("ij,ij->i", single, single)
    best = np.inf
    with threadpool_limits(1):
        for start in range(0, min(len(X), BLOCKS * HEIGHT), HEIGHT):
            began, some = time.thread_time(), slice(start, min(start + HEIGHT, len(X)))
            values = single[some] @ right.T
            values *= 2.0
            values -= squares[some, None]
            values -= squares[support]
            values *= gamma
            np.exp(values, out=values)
            best = min(best, (time.thread_time() - began) / len(values))
    return best * len(X)


def measure(task: dict[str, Any]) -> dict[str, Any]:
    """One fit in this process, whose solvers are those of PYTHONPATH."""
    from mcsvm import MultiClassSVC

    folder, rows = task["images"], task["rows"]
    X, y = images(Path(folder), rows) if folder else synthetic(rows)
    cost, gamma = SETTINGS["images" if folder else "synthetic"]
    model = MultiClassSVC(machine=task["machine"], C=cost, gamma=gamma, threads=task["threads"], cache_mb=task["cache"])
    model.fit(X[: min(rows, 6000)], y[: min(rows, 6000)])  # compiles
    clocks = time.perf_counter, time.process_time, time.thread_time
    began = [clock() for clock in clocks]
    model.fit(X, y)
    wall, cpu, own = (clock() - start for clock, start in zip(clocks, began, strict=True))
    support = np.asarray(model.support_)
    needed = one_pass(X, support, gamma)
    return {
        "wall": wall,
        "cpu": cpu,
        "longest": own / cpu,
        "times a pass": cpu / needed,
        "passes": model.kernel_evaluations_ / (len(X) * support.size),
        "support": support.size / len(X),
        "gap": model.certificate_.relative_gap,
        "MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def elsewhere(tree: Path, task: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, __file__, "--task", json.dumps(task)]
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'packaging' / 'python'}{os.pathsep}{tree}"}
    answer = subprocess.run(command, env=environment, cwd=tree, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


def show(name: str, task: dict[str, Any], found: dict[str, Any]) -> None:
    head = f"{name:4} {task['rows']:8} {task['machine']:4} {task['threads']} threads"
    print(head, *(f"{key} {value:.3g}" for key, value in found.items()), sep="  ", flush=True)


def estimate(sizes: list[int], seconds: list[float], rows: int) -> str:
    """By the power law through the measured sizes."""
    exponent, constant = np.polyfit(np.log(sizes), np.log(seconds), 1)
    return (
        f"exponent {exponent:.2f}: {np.exp(constant + exponent * np.log(rows)) / 60.0:.0f} CPU minutes at {rows} rows"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure trainings of many rows.")
    parser.add_argument("--images", help="folder of Fashion-MNIST in place of synthetic rows")
    parser.add_argument("--rows", nargs="+", type=int, default=[20_000])
    parser.add_argument("--machines", nargs="+", default=["ww", "ovo"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--cache", type=float, default=500.0, help="cache_mb")
    parser.add_argument("--old", type=Path, help="a checkout whose code takes turns with this one's")
    parser.add_argument("--estimate", type=int, help="rows to extrapolate CPU seconds to")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.task:
        print(json.dumps(measure(json.loads(given.task))))
        return
    trees = {"new": HERE, **({"old": given.old.resolve()} if given.old else {})}
    for machine in given.machines:
        seconds = []
        for rows in given.rows:
            for threads in given.threads:
                task = {"images": given.images, "rows": rows, "machine": machine, "threads": threads}
                for name, tree in trees.items():
                    found = elsewhere(tree, {**task, "cache": given.cache})
                    show(name, task, found)
                    if name == "new" and threads == given.threads[0]:
                        seconds.append(found["cpu"])
        if given.estimate and len(given.rows) > 1:
            print(f"{machine}: {estimate(given.rows, seconds, given.estimate)}")


if __name__ == "__main__":
    main()
