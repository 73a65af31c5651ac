"""Files as instruments and laboratories write them, for tests and for trials by hand.

Every function returns a `LabFile`: the true columns as lists, and how to write them. Tests compare what the program
shows with the lists, never with another output of the program. `python -m tests.lab_files FOLDER` writes one of each.
"""

from __future__ import annotations

import datetime
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

PREAMBLE = (
    "Instrument: NIR-7 Spectrometer",
    "Operator: M. Keller",
    "Exported: 2026-03-02 08:14",
    "Comment: second series; lamp replaced on Monday",
    "",
)
COFFEES = {"Arabica": 0.47, "Robusta": 0.30, "Blend B": 0.14, "Blend A": 0.07, "unknown": 0.02}


@dataclass(frozen=True)
class LabFile:
    """A table of text and numbers; None is a missing cell. Row numbers count from 1 in the order of the lists."""

    columns: dict[str, list[object]]
    label: str
    separator: str = ","
    decimal: str = "."
    preamble: Sequence[str] = ()
    encoding: str = "utf-8"
    ending: str = "\n"
    header: bool = True
    groups: str = ""  # the column of groups, if there is one
    names: str = ""  # the column of row names, if there is one
    facts: dict[str, object] = field(default_factory=dict)  # what was planted

    @property
    def rows(self) -> int:
        return len(self.columns[self.label])

    @property
    def labels(self) -> list[str]:
        return [str(label) for label in self.columns[self.label]]

    @property
    def class_counts(self) -> dict[str, int]:
        return dict(Counter(self.labels))

    def german(self) -> LabFile:
        """Decimal commas, semicolons and dates such as 31.01.2026, as a German Excel writes them."""
        dates = {name: list(map(_german_date, cells)) for name, cells in self.columns.items()}
        return replace(self, columns=dates, separator=";", decimal=",", encoding="cp1252", ending="\r\n")

    def with_preamble(self, lines: Sequence[str] = PREAMBLE) -> LabFile:
        return replace(self, preamble=tuple(lines))

    def without(self, *names: str) -> LabFile:
        return replace(self, columns={name: cells for name, cells in self.columns.items() if name not in names})

    def taken(self, rows: Sequence[int]) -> LabFile:
        """The rows at these positions, from 0, as a file of their own."""
        return replace(self, columns={name: [cells[row] for row in rows] for name, cells in self.columns.items()})

    @property
    def text(self) -> str:
        lines = list(self.preamble)
        if self.header:
            lines.append(self.separator.join(self._cell(name) for name in self.columns))
        for row in zip(*self.columns.values(), strict=True):
            lines.append(self.separator.join(map(self._cell, row)))
        return "".join(f"{line}{self.ending}" for line in lines)

    def write(self, path: str | Path) -> Path:
        Path(path).write_bytes(self.text.encode(self.encoding))
        return Path(path)

    def _cell(self, value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, float):
            return f"{value:.6g}".replace(".", self.decimal)
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if self.separator in text or '"' in text else text


def _german_date(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    try:
        return datetime.date.fromisoformat(cell).strftime("%d.%m.%Y")
    except ValueError:
        return cell


# -- the chemist ----------------------------------------------------------------------------------


def spectra(
    rows: int = 300,
    points: int = 60,
    *,
    missing: int = 100,
    batches: int = 15,
    shares: dict[str, float] | None = None,
    noise: float = 1.2,
    seed: int = 0,
) -> LabFile:
    """Near-infrared spectra of coffee: sample ids, dates, batches with an offset of their own, unequal classes."""
    rng = np.random.default_rng(seed)
    shares = COFFEES if shares is None else shares
    names = list(shares)
    counts = np.maximum(np.round(np.array(list(shares.values())) * rows).astype(int), 2)
    counts[0] += rows - counts.sum()
    codes = rng.permutation(np.repeat(np.arange(len(names)), counts))
    waves = np.linspace(900.0, 900.0 + 10.0 * (points - 1), points).astype(int)
    place = np.linspace(0.0, 1.0, points)
    centres = np.random.default_rng(7).uniform(0.1, 0.9, (len(names), 3))
    heights = np.random.default_rng(8).uniform(0.5, 1.0, (len(names), 3))
    peaks = np.exp(-((place - centres[:, :, None]) ** 2) / 0.01)
    shapes = 0.8 + (heights[:, :, None] * peaks).sum(axis=1)
    batch = rng.integers(0, batches, rows)
    offsets = rng.normal(scale=0.3, size=batches)
    steps = rng.normal(scale=noise, size=(rows, points)).cumsum(axis=1) / np.sqrt(points)  # errors drift along a scan
    values: list[list[object]] = [list(row) for row in (shapes[codes] + offsets[batch][:, None] + steps).tolist()]
    for cell in rng.choice(rows * points, size=missing, replace=False).tolist():
        values[cell // points][cell % points] = None
    start = datetime.date(2026, 2, 2)
    days = np.sort(rng.integers(0, 90, rows)).tolist()
    columns: dict[str, list[object]] = {
        "sample_id": [f"S-{number:04d}" for number in range(1, rows + 1)],
        "date": [(start + datetime.timedelta(days=day)).isoformat() for day in days],
        "batch": [f"B{number:02d}" for number in (batch + 1).tolist()],
    }
    columns |= {f"A_{wave}nm": [row[j] for row in values] for j, wave in enumerate(waves.tolist())}
    columns["origin"] = [names[code] for code in codes.tolist()]
    facts: dict[str, object] = {"missing": missing}
    return LabFile(columns, "origin", groups="batch", names="sample_id", facts=facts)


# -- the test engineer ----------------------------------------------------------------------------


def machine_log(rows: int = 50_000, features: int = 20, classes: int = 6, *, seed: int = 0) -> LabFile:
    """Clouds of several centres per class that overlap a little: a good kernel machine reaches about 97%."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(11).normal(scale=1.9, size=(classes, 3, features))
    codes = rng.integers(0, classes, rows)
    points = centres[codes, rng.integers(0, 3, rows)] + rng.normal(size=(rows, features)) * 1.6
    scales = 10.0 ** np.random.default_rng(12).uniform(-2.0, 3.0, features)
    columns: dict[str, list[object]] = {
        f"sensor_{j + 1}": column for j, column in enumerate((points * scales).T.tolist())
    }
    columns["state"] = [f"state {code + 1}" for code in codes.tolist()]
    return LabFile(columns, "state")


# -- data that deserve doubt ----------------------------------------------------------------------


def random_labels(rows: int = 60, classes: int = 3, features: int = 5, *, seed: int = 0) -> LabFile:
    """Nothing can be learned: labels are drawn without a look at the features; classes have equal sizes."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(rows) % classes)
    columns: dict[str, list[object]] = {f"x{j + 1}": rng.normal(size=rows).tolist() for j in range(features)}
    columns["label"] = [f"c{code + 1}" for code in codes.tolist()]
    return LabFile(columns, "label", facts={"chance": 1.0 / classes})


def dead_class(rows: int = 240, *, rare: int = 21, seed: int = 0) -> LabFile:
    """Two classes that are easy to tell apart, and a rare third one that looks exactly like the first."""
    rng = np.random.default_rng(seed)
    counts = [(rows - rare + 1) // 2, (rows - rare) // 2, rare]
    codes = rng.permutation(np.repeat([0, 1, 2], counts))
    centres = np.array([[0.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    points = centres[codes] + rng.normal(size=(rows, 3))
    columns: dict[str, list[object]] = {f"x{j + 1}": column for j, column in enumerate(points.T.tolist())}
    columns["label"] = [("common", "other", "rare")[code] for code in codes.tolist()]
    return LabFile(columns, "label", facts={"dead": "rare"})


def leaking_groups(groups: int = 40, each: int = 12, features: int = 12, *, seed: int = 0) -> LabFile:
    """Rows of one patient are nearly alike, and a patient's class is drawn: folds of rows promise what new patients
    do not keep. Column `patient` names the groups."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(groups, features))
    classes = rng.permutation(np.arange(groups) % 2)
    group = rng.permutation(np.repeat(np.arange(groups), each))
    points = centres[group] + 0.15 * rng.normal(size=(group.size, features))
    columns: dict[str, list[object]] = {"patient": [f"P{number + 1:03d}" for number in group.tolist()]}
    columns |= {f"x{j + 1}": column for j, column in enumerate(points.T.tolist())}
    columns["diagnosis"] = [("ill", "well")[classes[number]] for number in group.tolist()]
    return LabFile(columns, "diagnosis", groups="patient")


ALL = {
    "coffee_nir.csv": spectra,
    "coffee_preamble.csv": lambda: spectra(seed=1).with_preamble(),
    "coffee_german.csv": lambda: spectra(seed=2).german(),
    "coffee_german_preamble.csv": lambda: spectra(seed=3).german().with_preamble(),
    "log_50000.csv": machine_log,
    "random_labels.csv": random_labels,
    "dead_class.csv": dead_class,
    "leaking_groups.csv": leaking_groups,
}


def write_all(folder: str | Path) -> list[Path]:
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [make().write(Path(folder) / name) for name, make in ALL.items()]


if __name__ == "__main__":
    for path in write_all(sys.argv[1]):
        print(path)
