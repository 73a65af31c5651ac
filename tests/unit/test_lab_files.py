"""The generator of laboratory files plants what it promises."""

import csv

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from tests import lab_files


def test_a_file_holds_its_columns(tmp_path):
    made = lab_files.spectra(rows=60, points=8, missing=5)
    text = made.write(tmp_path / "a.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert [row["origin"] for row in rows] == made.labels
    assert sum(cell == "" for row in rows for cell in row.values()) == 5
    assert rows[41]["sample_id"] == "S-0042" == made.columns["sample_id"][41]


def test_german_files_have_commas_and_lines_above(tmp_path):
    made = lab_files.spectra(rows=20, points=3, missing=0).german().with_preamble()
    lines = made.write(tmp_path / "a.csv").read_bytes().decode("cp1252").split("\r\n")
    assert lines[5].startswith("sample_id;date;batch;A_900nm")
    cells = lines[6].split(";")
    assert cells[1].count(".") == 2
    assert "." not in cells[3]
    assert float(cells[3].replace(",", ".")) > -9


def test_groups_leak():
    made = lab_files.leaking_groups()
    X = np.array([made.columns[f"x{j}"] for j in range(1, 13)]).T
    y, groups = np.array(made.labels), np.array(made.columns["patient"])
    near = KNeighborsClassifier(1)
    by_rows = cross_val_score(near, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean()
    by_groups = cross_val_score(near, X, y, groups=groups, cv=GroupKFold(5)).mean()
    assert by_rows > 0.95
    assert by_groups < 0.65


@pytest.mark.parametrize("make", [lab_files.random_labels, lab_files.dead_class])
def test_counts_are_as_told(make):
    made = make()
    assert sum(made.class_counts.values()) == made.rows == len(made.columns["x1"])
