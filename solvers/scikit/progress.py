"""Progress of `MultiClassSVC.fit` on standard output, for `verbose`."""

from __future__ import annotations

import time
from typing import Any

from mcsvm.solvers.run.trace import Sample

NAME = "[MultiClassSVC]"  # scikit-learn's meta-estimators begin their lines in this way
INTERVAL = 1.0  # seconds between two lines


class ProgressPrinter:
    """Prints a line about once a second."""

    def __init__(self) -> None:
        self._printed = time.perf_counter()

    def show(self, sample: Sample) -> None:
        now = time.perf_counter()
        if now - self._printed < INTERVAL:
            return
        self._printed = now
        print(
            f"{NAME} {sample.seconds:.1f} s, {sample.iteration:,} iterations: relative gap {sample.relative_gap:.2g},"
            f" largest KKT violation {sample.violation:.2g}, {sample.support:,} support vectors",
            flush=True,
        )


def print_summary(estimator: Any) -> None:
    """Print how the training of a fitted estimator ended."""
    certificate = estimator.certificate_
    print(
        f"{NAME} {estimator.ending_} after {estimator.seconds_:.2g} s, {estimator.n_iter_:,} iterations"
        f" ({estimator.solver_used_}): relative gap {certificate.relative_gap:.2g}, largest KKT violation"
        f" {certificate.violation:.2g}, {estimator.support_.size:,} support vectors",
        flush=True,
    )
