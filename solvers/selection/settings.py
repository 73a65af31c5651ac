"""TrainingSettings: the training options shared by all trials of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from mcsvm.solvers.budget import SEARCH
from mcsvm.solvers.kernels import Kernel
from mcsvm.solvers.machines import MACHINES, Machine
from mcsvm.solvers.problem import default_bias
from mcsvm.solvers.run.limits import Limits
from mcsvm.solvers.selection.trials.shared import FoldRows, KernelFamily


@dataclass(frozen=True)
class TrainingSettings:
    kernel: KernelFamily = field(default_factory=KernelFamily)
    solver: str = "auto"
    margin: float | None = None
    bias: str | None = None
    class_weight: str | Mapping[int, float] | None = None  # "balanced", or a factor on C by class
    limits: Limits = field(default_factory=Limits)
    cache_mb: float = 500.0
    jobs: int = 1  # number of tasks at a time, each on a thread
    threads: int | None = None  # threads of one task's matrix products; None is 1, as tasks run side by side
    keep_values: bool = False  # whether results contain the decision values of the test rows
    tested: Mapping[float, float] = field(default_factory=dict)  # share of the training rows -> share of the test rows
    until: str = "tolerance"  # when trainings may end: "tolerance", "proved" or "unchanged", see settling.py
    by_pair: bool = False  # whether results of ovo and dag contain the accuracy of each pair function

    def bias_of(self, machine: str, kernel: Kernel) -> str:
        return default_bias(MACHINES[machine], kernel) if self.bias is None else self.bias

    def margin_of(self, machine: Machine, classes: int) -> float:
        return machine.margin(classes) if self.margin is None else self.margin

    def of_rung(self, share: float, machine: str, classes: int) -> TrainingSettings:
        """Return the settings for a share of the training rows.

        On lower rungs machines are only compared, so that a tolerance of `SEARCH.rough` margins is enough.
        """
        if share not in self.tested or share == 1.0:
            return self
        rough = SEARCH.rough * self.margin_of(MACHINES[machine], classes)
        return replace(self, limits=replace(self.limits, tolerance=max(self.limits.tolerance, rough)))

    def weights(self, rows: FoldRows) -> np.ndarray:
        """Return the factor on C for each class of a fold."""
        if self.class_weight is None:
            return np.ones(rows.classes)
        if isinstance(self.class_weight, str):
            return rows.weights.sum() / (rows.classes * np.bincount(rows.labels, rows.weights))
        return np.array([self.class_weight.get(name, 1.0) for name in rows.names.tolist()])

    @property
    def room(self) -> float:
        """The bytes of kernel values and distances that each task may hold."""
        return self.cache_mb * 2**20 / self.jobs
