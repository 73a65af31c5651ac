"""Preparation from the facts of parts is that of all rows; files are shared out whole, in order."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.cluster.facts import facts_of, joined, preparation_of, refuse
from mcsvm_gui.core.cluster.holder import shared_out
from mcsvm_gui.core.data import preparation as preparing
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.data.readers import open_dataset


def table(seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    numbers = random.normal(loc=3.0, scale=[1.0, 100.0, 1e-3], size=(60, 3))
    found = pd.DataFrame(numbers, columns=["a", "b", "c"])
    found["constant"] = 7.5
    found["colour"] = random.choice(["red", "green", "blue"], size=60)
    found["w"] = random.integers(0, 3, size=60)
    found["class"] = random.choice(["x", "y"], size=60)
    return found


def numbers_of(preparation: preparing.Preparation) -> list[tuple[object, ...]]:
    return [tuple(feature) for feature in preparation.features]


def written(folder: Path, rows: pd.DataFrame, cuts: list[int]) -> tuple[Dataset, list[Dataset]]:
    """All rows, and the parts that they are cut into."""
    options = ReadOptions(
        weights="w", categories=("colour",) if not pd.api.types.is_numeric_dtype(rows["colour"]) else ()
    )
    rows.to_csv(folder / "all.csv", index=False)
    parts = []
    for number, part in enumerate(np.split(np.arange(len(rows)), cuts)):
        rows.iloc[part].to_csv(folder / f"{number}.csv", index=False)
        parts.append(open_dataset(folder / f"{number}.csv", options, needs_label=False).counting())
    return open_dataset(folder / "all.csv", options).counting(), parts


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", ["minmax", "none", "standard"])
def test_preparation_of_parts_is_that_of_all_rows(scale: str, seed: int, tmp_path: Path) -> None:
    rows, rules = table(seed), Rules(scale=scale)
    if scale == "standard":
        rows["colour"] = rows["a"] ** 2
    whole, parts = written(tmp_path, rows, [11, 40])
    facts = joined([facts_of(rules, part, [part.digest]) for part in parts])
    refuse(rules, facts)
    fitted, expected = preparation_of(rules, facts), preparing.fit(rules, whole)
    for mine, its in zip(numbers_of(fitted), numbers_of(expected), strict=True):
        assert mine[:3] == its[:3]
        assert mine[3:5] == pytest.approx(its[3:5], rel=1e-9)
    assert [notice.code for notice in fitted.notices] == [notice.code for notice in expected.notices]
    assert facts.rows == whole.rows
    assert facts.totals == pytest.approx(whole.class_totals)


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
@pytest.mark.parametrize("share", [0.1, 0.9])
def test_sparse_files_of_different_widths(scale: str, share: float, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lines = []
    for row in range(40):
        cells = [f"{column}:{random.normal():.6f}" for column in range(1, 5 + row // 10) if random.random() < share]
        lines.append(" ".join([str(row % 3), *cells]))
    (tmp_path / "all").write_text("\n".join(lines) + "\n")
    (tmp_path / "0").write_text("\n".join(lines[:15]) + "\n")
    (tmp_path / "1").write_text("\n".join(lines[15:]) + "\n")
    options, rules = ReadOptions(format="libsvm"), Rules(scale=scale)
    parts = [open_dataset(tmp_path / name, options, needs_label=False) for name in ("0", "1")]
    facts = joined([facts_of(rules, part, [part.digest]) for part in parts])
    fitted, whole = preparation_of(rules, facts), open_dataset(tmp_path / "all", options)
    expected = preparing.fit(rules, whole)
    mine, its = fitted.document(), expected.document()
    np.testing.assert_allclose(mine.pop("shift"), its.pop("shift"), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mine.pop("scale"), its.pop("scale"), rtol=1e-9)
    assert json.dumps(mine, default=vars) == json.dumps(its, default=vars)


@pytest.mark.parametrize(
    ("rules", "said"),
    [(Rules(scale="standard"), "--scale minmax"), (Rules(min_frequency=3), "--min-frequency")],
)
def test_what_few_rows_cannot_stand_for_is_refused(rules: Rules, said: str, tmp_path: Path) -> None:
    _, parts = written(tmp_path, table(0), [30])
    facts = joined([facts_of(rules, part, [part.digest]) for part in parts])
    with pytest.raises(InputError, match=said):
        refuse(rules, facts)


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 9])
def test_files_are_shared_out_whole_and_in_order(workers: int) -> None:
    files, sizes = [f"part-{number}" for number in range(7)], [5, 1, 1, 1, 9, 0, 1]
    groups = shared_out(files, sizes, workers)
    assert [file for group in groups for file in group] == files
    assert all(groups)
    assert len(groups) <= workers
    assert max(sum(sizes[files.index(file)] for file in group) for group in groups) <= 9 + sum(sizes) / workers
