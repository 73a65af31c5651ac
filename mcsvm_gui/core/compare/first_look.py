"""A first demonstration: six machines, one bundled data set, one table."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mcsvm.solvers import MultiClassSVC
from mcsvm.solvers.machines import MACHINES
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.exits import complain
from mcsvm_gui.core.base.resources import dataset
from mcsvm_gui.core.base.terminal import say
from mcsvm_gui.core.machine import names

COST, GAMMA = 4.0, 1.0
HEADER = f"{'machine':<9}{'train':>7}{'test':>8}{'support':>9}{'seconds':>9}{'rel. gap':>10}  ending"


@dataclass(frozen=True)
class Data:
    train: np.ndarray
    train_labels: np.ndarray
    test: np.ndarray
    test_labels: np.ndarray


@dataclass(frozen=True)
class Row:
    machine: str
    train_accuracy: float
    test_accuracy: float
    n_support: int
    seconds: float
    relative_gap: float
    ending: str


def show() -> int:
    """Print the table, each line as soon as its machine is trained."""
    try:
        data = load()
    except OSError as trouble:
        return complain(str(trouble))
    say(*introduction(data).split("\n"), HEADER, flush=True)
    for machine in names.MACHINES:
        say(line(train(machine, data)), flush=True)
    return 0


def load() -> Data:
    train, test = (pd.read_csv(dataset(f"vowel_{part}"), dtype={"label": str}) for part in ("train", "test"))
    labels = [part.pop("label").to_numpy(dtype=object) for part in (train, test)]
    lowest, highest = train.min(), train.max()
    scaled = [(2 * (part - lowest) / (highest - lowest) - 1).to_numpy() for part in (train, test)]
    return Data(scaled[0], labels[0], scaled[1], labels[1])


def train(machine: str, data: Data) -> Row:
    model = MultiClassSVC(machine=machine, kernel="rbf", C=COST, gamma=GAMMA)
    _compile(model, data)
    model.fit(data.train, data.train_labels)
    return Row(
        machine=machine,
        train_accuracy=float(model.score(data.train, data.train_labels)),
        test_accuracy=float(model.score(data.test, data.test_labels)),
        n_support=len(model.support_),
        seconds=model.seconds_,
        relative_gap=model.certificate_.relative_gap,
        ending=model.ending_.value,
    )


def _compile(model: MultiClassSVC, data: Data) -> None:
    """Fit a few rows first, so that the displayed seconds measure training and not compilation."""
    few = slice(None, None, 8)
    model.fit(data.train[few], data.train_labels[few])


def introduction(data: Data) -> str:
    rows, features = data.train.shape
    described = (
        f"Vowel data: {rows} training rows, {len(data.test)} test rows of other speakers, {features} features, "
        f"{len(set(data.train_labels))} classes.\n"
        f"RBF kernel, C = {COST:g}, gamma = {GAMMA:g}, features scaled to [-1, 1]."
    )
    machines = "\n".join(f"  {name:<5}{MACHINES[name].title}: {MACHINES[name].decides}" for name in names.MACHINES)
    return f"{described}\n\n{machines}\n\nThe first start also compiles, which takes some seconds.\n"


def line(row: Row) -> str:
    return (
        f"{row.machine:<9}{figures.accuracy(row.train_accuracy):>7}{figures.accuracy(row.test_accuracy):>8}{row.n_support:>9}"
        f"{row.seconds:>9.3f}{row.relative_gap:>10.1e}  {row.ending}"
    )
