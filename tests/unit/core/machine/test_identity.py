"""Which requests have the same data, and how preprocessing and import settings are named."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from mcsvm_gui.core.data.options import ReadOptions, Rules
from mcsvm_gui.core.machine.identity import (
    data_key,
    data_title,
    differ_in_preprocessing,
    preprocessing_key,
    preprocessing_text,
)
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.records import from_json, to_json

PLAIN = Request(machine="ww", digest="d")
OTHER_RULES = {
    "scale": "standard",
    "missing": "mean",
    "unknown": "reject",
    "neighbors": 7,
    "missing_indicator": True,
    "min_frequency": 3,
    "date_parts": ("year",),
    "analyzer": "char",
    "ngrams": "1:2",
    "stop_words": "english",
    "min_df": 2,
    "as_given": True,
}


def asked(**values: Any) -> dict[str, Any]:
    return replace(PLAIN, **values).document()


def test_data_are_told_apart_by_content_and_import_settings_but_not_by_preprocessing() -> None:
    first = asked()
    assert data_key(from_json(to_json(first))) == data_key(first)
    assert data_key(asked(rules=Rules(scale="none"), C=4.0, data="moved.csv")) == data_key(first)
    assert data_key(asked(digest="e")) != data_key(first)
    assert data_key(asked(read=ReadOptions(label="x"))) != data_key(first)
    assert data_key(asked(read=ReadOptions(drop=("x",)))) != data_key(first)


def test_every_rule_is_covered() -> None:
    assert set(OTHER_RULES) == {field.name for field in fields(Rules)}


@pytest.mark.parametrize("name", OTHER_RULES)
def test_another_rule_is_another_preprocessing_with_words_of_its_own(name: str) -> None:
    first, other = asked(), asked(rules=Rules(**{name: OTHER_RULES[name]}))
    assert preprocessing_key(from_json(to_json(other))) == preprocessing_key(other) != preprocessing_key(first)
    assert differ_in_preprocessing([first, other])
    assert not differ_in_preprocessing([first, from_json(to_json(first))])
    assert preprocessing_text(other) != preprocessing_text(first)
    assert data_title("iris.csv", other) != "iris.csv"


def test_titles_name_what_is_not_the_default() -> None:
    assert data_title("iris.csv", asked()) == "iris.csv"
    assert preprocessing_text(asked()) == "scaled to [-1, 1]"
    rules = Rules(scale="standard", missing="mean")
    assert preprocessing_text(asked(rules=rules)) == "standardized · missing values: mean"
    read = ReadOptions(label="site", where="CLASS=a,b", drop=("x", "y", "z"), share=0.1)
    title = data_title("iris.csv", asked(rules=rules, read=read))
    assert title == (
        "iris.csv · classes: site · rows where CLASS=a,b · 10% of the rows · without 3 columns"
        " · standardized · missing values: mean"
    )
    assert data_title("iris.csv", asked(read=ReadOptions(columns=("x", "y")))) == "iris.csv · only x, y"


@pytest.mark.parametrize(
    "request_of_a_file",
    [
        {},
        {"rules": 3, "read": []},
        {"digest": 4, "rules": {"scale": 5}},
        {"rules": {"scale": [], "missing": {}}, "read": {"share": "x", "columns": 4, "label": [], "drop": [1]}},
    ],
)
def test_a_damaged_project_has_titles_too(request_of_a_file: dict[str, Any]) -> None:
    assert data_title("iris.csv", request_of_a_file).startswith("iris.csv")
    assert data_key(request_of_a_file)[0] is None
    preprocessing_text(request_of_a_file)
