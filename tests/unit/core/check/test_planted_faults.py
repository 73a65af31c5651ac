"""Every check finds the fault that is planted for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mcsvm.solvers.run.ending import Ending
from mcsvm_gui.core.base.i18n import worded
from mcsvm_gui.core.check.finding import Finding, Severity
from mcsvm_gui.core.check.plan import CheckedPlan
from mcsvm_gui.core.check.results import CheckedResults, Ended, Novel, Reliable
from mcsvm_gui.core.check.table import CHECKS, OF_DATA, OF_RESULTS, check_data, check_results
from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.data.options import MISSING, Rules

ROWS = 240


def made(columns: dict[str, Any], labels: Any, name: str = "made.csv", **more: Any) -> Dataset:
    table = pd.DataFrame(columns)
    kinds = tuple(
        Column(name, "number" if pd.api.types.is_numeric_dtype(values) else "category")
        for name, values in table.items()
    )
    table = table.astype({kind.name: np.float64 if kind.kind == "number" else object for kind in kinds})
    lines = np.arange(2, len(table) + 2)
    text = None if labels is None else np.array([str(label) for label in labels], dtype=object)
    return Dataset(name, "csv", kinds, table, None, "class", text, lines, (), (), "0" * 64, **more)


def sound(rows: int = ROWS, seed: int = 0, **columns: Any) -> Dataset:
    """Two columns of noise that know a little of three classes in no order."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(rows) % 3)
    held = {"height": codes + rng.normal(size=rows), "width": rng.normal(size=rows)}
    return made({**held, **columns}, [f"c{code}" for code in codes])


def labelled(data: Dataset, labels: Any) -> Dataset:
    return replace(data, labels=np.array([str(label) for label in labels], dtype=object))


def with_column(name: str, values: Any, **plan: Any) -> CheckedPlan:
    return CheckedPlan(sound(**{name: values}), **plan)


def gappy(share: float, telling: bool = False) -> Dataset:
    rng, data = np.random.default_rng(1), sound()
    assert data.labels is not None
    gone = rng.random(ROWS) < share
    if telling:
        gone &= data.labels == "c1"
    return made({"height": np.where(gone, np.nan, rng.normal(size=ROWS)), "width": rng.normal(size=ROWS)}, data.labels)


def doubled() -> Dataset:
    return sound().take(np.repeat(np.arange(ROWS // 2), 2))


def torn(share: float = 0.3) -> CheckedPlan:
    groups = np.arange(ROWS) % 20
    data = replace(sound(), groups=groups, group_name="patient")
    return CheckedPlan(data, split="stratified", holdout=share)


def sorted_by_class() -> Dataset:
    data = sound()
    assert data.labels is not None
    return data.take(np.argsort(data.labels, kind="stable"))


def sparse(width: int) -> Dataset:
    matrix = sp.random_array((40, width), density=0.05, rng=np.random.default_rng(0), format="csr")
    labels = np.array(["a", "b"] * 20, dtype=object)
    return Dataset("made", "libsvm", NumberedColumns(1, width), None, matrix, None, labels, None, (), (), "0" * 64)


def of_columns(test: Dataset) -> CheckedPlan:
    return CheckedPlan(sound(), test)


PLANTED: dict[str, Callable[[], CheckedPlan | CheckedResults]] = {
    "MC001": lambda: CheckedPlan(doubled(), holdout=0.3),
    "MC002": lambda: CheckedPlan(labelled(doubled(), np.arange(ROWS) % 2)),
    "MC003": lambda: CheckedPlan(doubled()),
    "MC004": torn,
    "MC005": lambda: with_column("batch", [f"B{n % 15:02d}" for n in range(ROWS)]),
    "MC010": lambda: with_column(
        "diagnosis", (np.asarray(sound().labels) == "c1") + 2.0 * (np.asarray(sound().labels) == "c2")
    ),
    "MC011": lambda: with_column("surname", [f"name {n}" for n in range(ROWS)]),
    "MC012": lambda: with_column("number", np.arange(ROWS) + 1000),
    "MC013": lambda: with_column("unit", np.ones(ROWS)),
    "MC014": lambda: CheckedPlan(sound(nothing=np.full(ROWS, np.nan)), rules=Rules(missing="mean")),
    "MC015": lambda: with_column("again", -3.0 * sound().table["height"].to_numpy() + 7.0),  # type: ignore[index]
    "MC016": lambda: with_column("town", [f"town {n % 60}" for n in range(ROWS)]),
    "MC017": lambda: with_column("salary", 1e4 * np.random.default_rng(2).normal(size=ROWS), rules=Rules(scale="none")),
    "MC018": lambda: with_column(
        "dose", np.where(np.arange(ROWS) == 5, 1e5, np.random.default_rng(2).normal(size=ROWS))
    ),
    "MC019": lambda: with_column("time", np.cumsum(np.random.default_rng(2).random(ROWS))),
    "MC020": lambda: CheckedPlan(gappy(0.05)),
    "MC021": lambda: CheckedPlan(gappy(0.6, telling=True), rules=Rules(missing="mean")),
    "MC022": lambda: CheckedPlan(gappy(0.7), rules=Rules(missing="mean")),
    "MC030": lambda: CheckedPlan(labelled(sound(), np.arange(ROWS) % 20 == 0)),
    "MC031": lambda: CheckedPlan(labelled(sound(), ["rare" if n < 3 else "ab"[n % 2] for n in range(ROWS)])),
    "MC032": lambda: CheckedPlan(
        labelled(sound(), ["rare" if n < 1 else "ab"[n % 2] for n in range(ROWS)]), holdout=0.3
    ),
    "MC033": lambda: of_columns(labelled(sound(60, 1), ["c0", "new"] * 30)),
    "MC034": lambda: CheckedPlan(labelled(sound(), np.round(np.random.default_rng(0).normal(size=ROWS), 2))),
    "MC035": lambda: CheckedPlan(sorted_by_class(), split="order", holdout=0.3),
    "MC036": lambda: of_columns(labelled(sound(60, 1), ["c0", "c1"] * 30)),
    "MC040": lambda: of_columns(made({"height": np.arange(100) % 9 + 40.0, "width": np.zeros(100)}, None)),
    "MC041": lambda: of_columns(made({"height": np.arange(100) % 9 * 100.0, "width": np.zeros(100)}, None)),
    "MC042": lambda: of_columns(labelled(sound(), ["c0" if n % 10 else "c1" for n in range(ROWS)])),
    "MC043": lambda: CheckedPlan(sound(100), holdout=0.3),
    "MC044": lambda: CheckedPlan(sparse(500)),
    "MC045": lambda: CheckedPlan(
        replace(
            made({"said": ["two words", "three of them"] * 120, "width": np.arange(240) % 7.0}, ["a", "b"] * 120),
            columns=(Column("said", "text"), Column("width", "number")),
        )
    ),
    "MC050": lambda: CheckedResults({"": 0.3, "majority": 0.5}),
    "MC051": lambda: CheckedResults({"": 0.8, "neighbours": 0.9}),
    "MC052": lambda: CheckedResults({"": 0.8, "boosting": 0.9}),
    "MC060": lambda: CheckedResults(edges={"Weston-Watkins": ("C high", "gamma low")}),
    "MC061": lambda: CheckedResults(ended=(Ended("ww 1", Ending.TIME_LIMIT, 0.2, "not solved"),)),
    "MC062": lambda: CheckedResults(reliable=Reliable("made.csv", 500, 0.3)),
    "MC063": lambda: CheckedResults(novel=Novel("made.csv", 500, 200, 0.05)),
    "MC070": lambda: with_column("huge", np.where(np.arange(ROWS) % 2, 1e308, -1e308)),
}


def findings(subject: CheckedPlan | CheckedResults) -> tuple[Finding, ...]:
    return check_data(subject) if isinstance(subject, CheckedPlan) else check_results(subject)


def test_each_check_has_a_code_of_its_own_and_a_fault_here() -> None:
    assert sorted(check.code for check in CHECKS) == sorted(PLANTED)
    assert len(CHECKS) >= 20
    assert len({check.title for check in CHECKS}) == len(CHECKS)
    assert {*OF_DATA, *OF_RESULTS} == {*CHECKS}


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_fault_is_found(code: str) -> None:
    found = [one for one in findings(PLANTED[code]()) if one.code == code]
    assert found
    check = next(check for check in CHECKS if check.code == code)
    assert all(one.severity is check.severity for one in found), "a fault as large as this is no slight one"
    for one in found:
        document = one.document()
        assert all(document[part] for part in ("code", "severity", "where", "what", "do"))
        assert document["what"][0].isupper() or not document["what"][0].isalpha()
        assert not any(
            "{" in text or "--" in worded(part) for part in (one.sentence, one.do, one.where) for text in (part,)
        )


def test_sound_data_are_worth_a_note_at_most() -> None:
    found = check_data(CheckedPlan(sound(), sound(seed=1)))
    assert [one for one in found if one.severity is not Severity.NOTE] == []
    assert check_results(CheckedResults({"": 0.9, "majority": 0.5, "neighbours": 0.905})) == ()


def test_the_worst_stands_first() -> None:
    found = check_data(CheckedPlan(gappy(0.7)))
    assert [one.severity.rank for one in found] == sorted(one.severity.rank for one in found)
    assert found[0].severity is Severity.ERROR


def test_names_of_columns_that_are_no_words_go_through() -> None:
    hostile = "<b>{name}</b> %s --x"
    found = check_data(CheckedPlan(sound(**{hostile: np.arange(ROWS)})))
    assert any(hostile in one.sentence and hostile in worded(one.where) for one in found)


def test_rows_are_the_same_whatever_the_order_of_columns() -> None:
    data = sound()
    assert data.table is not None
    turned = made({"width": data.table["width"], "height": data.table["height"]}, data.labels, "test.csv")
    assert "MC001" in {one.code for one in check_data(CheckedPlan(data, turned))}


def test_a_test_file_of_other_columns_is_no_error_here() -> None:
    check_data(CheckedPlan(sound(), made({"other": np.arange(30.0)}, None)))
    check_data(CheckedPlan(sparse(50), sparse(60)))
    check_data(CheckedPlan(sound(), sparse(60)))


def test_data_without_classes_or_with_hardly_any_rows_are_looked_at_too() -> None:
    check_data(CheckedPlan(replace(sound(), labels=None, label_name=None)))
    for rows in (1, 2, 3):
        check_data(CheckedPlan(sound().take(np.arange(rows)), holdout=0.5))


def test_a_column_that_tells_the_class_is_left_out_by_a_button() -> None:
    (found,) = (one for one in findings(PLANTED["MC010"]()) if one.code == "MC010")
    assert [(one.option, one.value) for one in found.actions] == [("drop", "diagnosis")]


def test_texts_and_dates_are_no_names_of_rows_and_times_that_rise_are_said() -> None:
    texts = [f"note {n} of many" for n in range(ROWS)]
    data = sound(words=texts, day=np.cumsum(np.full(ROWS, 86_400.0)))
    kinds = {"words": "text", "day": "date"}
    columns = tuple(Column(one.name, kinds.get(one.name, one.kind)) for one in data.columns)  # type: ignore[arg-type]
    codes = {one.code for one in check_data(CheckedPlan(replace(data, columns=columns)))}
    assert "MC019" in codes
    assert not codes & {"MC011", "MC012"}


@pytest.mark.parametrize("rule", MISSING)
def test_every_way_with_missing_cells_is_told(rule: str) -> None:
    (found,) = (one for one in check_data(CheckedPlan(gappy(0.05), rules=Rules(missing=rule))) if one.code == "MC020")
    assert (found.severity is Severity.ERROR) == (rule == "reject")
