"""Files of laboratories: each column that is no feature gets one finding, with the right button first."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcsvm_gui.core.check.advice import look
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.data.form import applied
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.roles.grouping import names_groups
from mcsvm_gui.core.data.roles.value import roles_of
from tests import lab_files


def advice(path: Path, read: ReadOptions, column: str) -> list[list[tuple[str, str | None]]]:
    """The actions of every line that speaks of the column."""
    lines = look(CheckedPlan(open_dataset(path, read))).advice
    return [[(one.option, one.value) for one in line.actions] for line in lines if f'"{column}"' in line.text]


@pytest.mark.parametrize("german", [False, True])
def test_ids_dates_and_batches_of_spectra(tmp_path: Path, german: bool) -> None:
    lab = lab_files.spectra(rows=200, points=6, missing=10, batches=15)
    path = (lab.german() if german else lab).with_preamble().write(tmp_path / "lab.csv")
    read = ReadOptions()
    assert roles_of(open_dataset(path, read))["date"] == "ignored"
    assert advice(path, read, "sample_id") == [[("names", "sample_id"), ("drop", "sample_id")]]
    assert advice(path, read, "batch") == [[("groups", "batch"), ("drop", "batch")]]
    assert advice(path, read, "date") == [[("dates", "date")]]
    read = applied(applied(applied(read, "names", "sample_id"), "groups", "batch"), "dates", "date")
    found = open_dataset(path, read)
    assert {name: role for name, role in roles_of(found).items() if role != "feature"} == {
        "sample_id": "name",
        "date": "date",
        "batch": "group",
        "origin": "label",
    }
    for column in ("sample_id", "batch", "date"):
        assert all(
            option not in ("names", "groups", "dates") for said in advice(path, read, column) for option, _ in said
        )
    days = open_dataset(path, read).table["date"]
    assert days.is_monotonic_increasing  # as the generator wrote them


def test_groups_that_leak_are_found(tmp_path: Path) -> None:
    path = lab_files.leaking_groups().write(tmp_path / "lab.csv")
    assert advice(path, ReadOptions(), "patient") == [[("groups", "patient"), ("drop", "patient")]]


def test_a_column_that_is_a_group_is_not_offered_again(tmp_path: Path) -> None:
    path = lab_files.leaking_groups(groups=120, each=4).write(tmp_path / "lab.csv")
    assert advice(path, ReadOptions(), "patient") == [[("groups", "patient"), ("drop", "patient")]]
    assert not advice(path, ReadOptions(groups="patient"), "patient")


@pytest.mark.parametrize(
    "name",
    [
        *("batch", "Batch", "lot_no", "Plate ID", "plate1", "patient", "PatientID", "subject_id", "donor", "animalNr"),
        *("Charge", "Platte", "measurement_run", "sample group", "SubjectNumber", "lots"),
    ],
)
def test_names_of_groups(name: str) -> None:
    assert names_groups(name, [f"level {number}" for number in range(12)], 120)
    assert names_groups(name, list(map(float, range(12))), 120)
    assert not names_groups(name, ["a", "b", "c"], 120), "as likely a treatment"
    assert not names_groups(name, list(range(120)), 120), "each row is another one"


@pytest.mark.parametrize(
    "name", ["slot", "plateau", "running", "height", "prune", "grouping", "allotment", "site_area"]
)
def test_names_of_features(name: str) -> None:
    assert not names_groups(name, [f"level {number}" for number in range(12)], 120)


def test_codes_are_groups_whatever_the_column_is_called() -> None:
    assert names_groups("x", [f"B{number:02d}" for number in range(15)], 300)
    assert not names_groups("x", [f"B{number:02d}" for number in range(4)], 300)
    assert not names_groups("x", ["red", "green", "blue"] * 3, 300)
    assert not names_groups("x", list(map(float, range(15))), 300)
