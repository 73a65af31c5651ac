"""Recognize columns that look like groups: rows of one batch, plate or patient resemble each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mcsvm_gui.core.data.preparation.cells import held_cells

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset

SHARED = 0.5  # smallest share of the test rows whose group is also in the training part

FEWEST_GROUPS = 5  # with fewer values, a column called group is as likely to be a treatment
FEWEST_CODES = 8  # different codes such as B01 that are required if the name of the column gives no hint
_WORDS = (
    *("batch", "lot", "charge", "plate", "patient", "subject", "group", "donor", "proband", "participant", "person"),
    *("animal", "specimen", "operator", "session", "series", "campaign", "site", "speaker", "writer", "device", "run"),
    *("los", "platte", "gruppe", "serie", "patientin", "spender", "tier", "kampagne", "sitzung", "standort", "gerät"),
)
_NUMBERED = r"(?:id|ids|no|nr|num|number|name|code|key|nummer|[0-9]+)?"
_NAME = re.compile(rf"(?:^|.*[ _.\-])(?:{'|'.join(_WORDS)})s?[ _.\-]*{_NUMBERED}", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-zäöüß])(?=[A-Z])")
_CODE = re.compile(r"[A-Za-z]{1,3}[ _\-]?[0-9]{1,6}")


def names_groups(name: str, levels: Sequence[object], rows: int) -> bool:
    """Return whether a column is likely to name groups of rows, by its name or by codes such as B01 in its cells."""
    different = len(levels)
    if different < FEWEST_GROUPS or 2 * different > rows:
        return False
    if _NAME.fullmatch(_CAMEL.sub("_", name.strip())):
        return True
    codes = all(isinstance(level, str) and _CODE.fullmatch(level) for level in levels)
    return codes and different >= FEWEST_CODES


def likely_groups(dataset: Dataset) -> dict[str, int]:
    """Return the columns that look like groups of rows, with their numbers of groups."""
    found: dict[str, int] = {}
    for position, column in enumerate(dataset.columns if dataset.table is not None else ()):
        if column.kind not in ("category", "number"):
            continue
        cells = held_cells(dataset, position)
        if column.kind == "number" and not _are_whole_numbers(cells):
            continue
        levels = list(dict.fromkeys(cells[~pd.isna(cells)].tolist()))
        if names_groups(column.name, levels, dataset.rows):
            found[column.name] = len(levels)
    return found


def shared_likely_groups(whole: Dataset, training: Dataset, tested: Dataset) -> tuple[str, ...]:
    """Return the columns that look like groups, if training and test share them and the split ignored them."""
    if whole.groups is not None or whole.folds is not None or tested.table is None or training.table is None:
        return ()
    found = []
    for name in likely_groups(whole):
        trained, test_cells = (_cells_of(dataset, name) for dataset in (training, tested))
        known = set(trained)
        if test_cells and sum(cell in known for cell in test_cells) >= SHARED * len(test_cells):
            found.append(name)
    return tuple(found)


def _cells_of(dataset: Dataset, name: str) -> list[object]:
    """Return the cells of a column that are not missing; an empty list if the file lacks the column."""
    position = next((place for place, column in enumerate(dataset.columns) if column.name == name), None)
    if position is None:
        return []
    cells = held_cells(dataset, position)
    return list(cells[~pd.isna(cells)].tolist())


def _are_whole_numbers(cells: np.ndarray) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(((cells == np.rint(cells)) | np.isnan(cells)).all())
