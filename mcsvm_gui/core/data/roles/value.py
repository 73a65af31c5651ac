"""The role of each column as one value, which the options of reading express.

Options name columns by role (`--text a,b`); a window asks for the role of a column. Both are the same ReadOptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset
    from mcsvm_gui.core.data.options import ReadOptions

Role = Literal["feature", "text", "date", "label", "weight", "group", "fold", "name", "ignored"]
ROLES: dict[Role, str] = {
    "feature": "Feature",
    "text": "Text",
    "date": "Date",
    "label": "Label",
    "weight": "Weight",
    "group": "Group",
    "fold": "Fold",
    "name": "Name",
    "ignored": "Ignored",
}
ONE: dict[Role, str] = {"label": "label", "weight": "weights", "group": "groups", "fold": "fold_column"}  # options
SEVERAL: dict[Role, str] = {"text": "text", "date": "dates", "name": "names", "ignored": "drop"}
assert set(ROLES) == set(get_args(Role))


def roles_of(dataset: Dataset) -> dict[str, Role]:
    """Return the role of each column by name, in the order of the file."""
    kinds: dict[str, Role] = {"text": "text", "date": "date"}
    found: dict[str, Role] = {column.name: kinds.get(column.kind, "feature") for column in dataset.columns}
    found |= dict.fromkeys(dataset.row_names, "name")
    used = {
        "label": dataset.label_name,
        "weight": dataset.weight_name,
        "group": dataset.group_name,
        "fold": dataset.fold_name,
    }
    found |= {name: cast("Role", role) for role, name in used.items() if name is not None}
    return {name: found.get(name, "ignored") for name in dataset.order or found}


def with_roles(read: ReadOptions, dataset: Dataset, changes: Mapping[str, Role]) -> ReadOptions:
    """Return options to read the file of `dataset` with these roles.

    If a role that only one column can have goes to another column, the first one is a feature again.
    """
    roles = roles_of(dataset)
    for name, role in changes.items():
        if role in ONE:
            roles |= {other: "feature" for other, had in roles.items() if had == role}
        roles[name] = role
    said: dict[str, Any] = {option: _first(roles, role) for role, option in ONE.items()}
    said["label"] = said["label"] or read.label
    said |= {option: _all(roles, role) for role, option in SEVERAL.items()}
    said |= {"columns": (), "categories": tuple(name for name in read.categories if roles.get(name) == "feature")}
    features = _all(roles, "feature")
    if 0 < len(features) < len(said["drop"]):
        said |= {"columns": features, "drop": ()}
    return replace(read, **said)


def _first(roles: Mapping[str, Role], role: Role) -> str | None:
    return next(iter(_all(roles, role)), None)


def _all(roles: Mapping[str, Role], role: Role) -> tuple[str, ...]:
    return tuple(name for name, had in roles.items() if had == role)


def added(before: Iterable[str], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, name)))
