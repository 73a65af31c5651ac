"""Requests there and back, and the numbers people type."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mcsvm import InputError
from mcsvm_gui.core.base import options
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.preparation import Rules
from mcsvm_gui.core.machine.request import Request

FULL = Request(
    machine="dag",
    C=0.25,
    gamma=2.0,
    margin=0.5,
    class_weight=(("a, b", 2.0), ("c", 0.5)),
    max_iter=7,
    time_limit=1.5,
    threads=2,
    seed=3,
    holdout=0.3,
    rules=Rules("none", "mean", "reject"),
    read=ReadOptions(label="x", separator=";"),
    data="d.csv",
    digest="00",
    test_digest="01",
)


def test_documents_of_old_say_nothing_of_the_file_tested_on() -> None:
    document = FULL.document()
    del document["test_digest"]
    assert Request.from_document(document) == replace(FULL, test_digest=None)


@pytest.mark.parametrize("one", [Request(), FULL, Request(class_weight="balanced")])
def test_there_and_back_through_json(one: Request) -> None:
    assert Request.from_document(json.loads(json.dumps(one.document(), allow_nan=False))) == one


@pytest.mark.parametrize(
    "change",
    [
        *({"C": "1"}, {"C": None}, {"gamma": "x"}, {"seed": 1.5}, {"seed": -1}, {"machine": 3}, {"nobody": 1}),
        *(
            {"rules": 7},
            {"rules": {"scale": "x"}},
            {"class_weight": {"a": "b"}},
            {"tol": float("inf")},
            {"holdout": 2.0},
        ),
    ],
)
def test_what_is_no_request_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Request.from_document(Request().document() | change)


@pytest.mark.parametrize(
    ("text", "value"), [("2^-3", 0.125), ("1e-3", 0.001), ("-2^2", 4.0), (" 5 ", 5.0), (".5", 0.5)]
)
def test_numbers(text: str, value: float) -> None:
    assert options.number(text) == value


@pytest.mark.parametrize("text", ["", "x", "1_000", "2^", "^2", "2^3^4", "inf", "nan", "0^-1", "9^9999", "-8^0.5"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(InputError, match="number"):
        options.number(text)
