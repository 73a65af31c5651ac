"""The rule of costs, beside a loop over rows and classes, and what is no rule."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.uncertainty.costs import REJECTED, CostRule, costs_by_share, equal_costs
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.costs import Costs, CostTable, read_costs

RNG = np.random.default_rng(0)
SHARES = RNG.dirichlet(np.ones(4), 300)
COSTS = np.round(RNG.uniform(0.0, 9.0, (4, 4)) * (1.0 - np.eye(4)), 1)
NAMES = ("a", "b, c", "10", "-4")


@pytest.mark.parametrize("reject", [0.0, 0.4, 0.9])
def test_the_class_of_least_expected_cost_is_decided_for(reject: float) -> None:
    found = CostRule.of(COSTS, reject).decide(SHARES)
    for shares, decided in zip(SHARES, found, strict=True):
        expected = [sum(shares[t] * COSTS[t, c] for t in range(4)) for c in range(4)]
        best = int(np.argmin(expected))
        assert decided == (best if shares[best] >= reject else REJECTED)


def test_with_equal_costs_the_first_largest_share_wins_whatever_rounding_does() -> None:
    rule = CostRule.of(7.0 * equal_costs(4))
    assert rule.equal
    close = np.array([[0.25, 0.25, np.nextafter(0.25, 1.0), 0.25]])
    assert rule.decide(close).tolist() == [2]
    np.testing.assert_array_equal(rule.decide(SHARES), SHARES.argmax(axis=1))
    assert not CostRule.of(COSTS).equal


def test_costs_by_share_decide_as_if_classes_were_equally_frequent() -> None:
    counts = np.array([700, 200, 100])
    rule, prior = CostRule.of(costs_by_share(counts)), counts / counts.sum()
    shares = RNG.dirichlet(np.ones(3), 500)
    np.testing.assert_array_equal(rule.decide(shares), (shares / prior).argmax(axis=1))


def test_a_rule_survives_json() -> None:
    rule = CostRule.of(COSTS, 0.3)
    assert CostRule.from_document(json.loads(json.dumps(rule.document())), 4) == rule
    with pytest.raises(InputError, match="no cost matrix of 3 classes"):
        CostRule.from_document(rule.document(), 3)


@pytest.mark.parametrize(
    ("costs", "reject", "words"),
    [
        (((0.0, 1.0),), 0.0, "as many rows as columns"),
        (((0.0, 1.0), (1.0,)), 0.0, "as many rows as columns"),
        ((("x", 1.0), (1.0, 0.0)), 0.0, "as many rows as columns"),
        (((0.0, -1.0), (1.0, 0.0)), 0.0, "at least 0"),
        (((0.0, np.nan), (1.0, 0.0)), 0.0, "at least 0"),
        (((0.0, np.inf), (1.0, 0.0)), 0.0, "finite"),
        (((0.0, 0.0), (0.0, 0.0)), 0.0, "all costs are 0"),
        (((0.0, 1.0), (1.0, 0.0)), 1.0, "below 1"),
        (((0.0, 1.0), (1.0, 0.0)), -0.1, "at least 0"),
        (((0.0, 1.0), (1.0, 0.0)), np.nan, "at least 0"),
    ],
)
def test_what_is_no_rule_gets_a_sentence(costs: tuple[tuple[float, ...], ...], reject: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        CostRule(costs, reject)


# -- files -------------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_was_written_in_any_order_of_classes(tmp_path: Path) -> None:
    path, rule = tmp_path / "costs.csv", CostRule.of(COSTS)
    path.write_text(CostTable.of(rule, NAMES).text, "utf-8")
    assert read_costs(path).rule(NAMES) == rule
    turned = read_costs(path).rule(NAMES[::-1])
    np.testing.assert_array_equal(turned.table, COSTS[::-1, ::-1])


@pytest.mark.parametrize("text", [";a;b\na;0;2^-1\n\nb;4;0\n", "\ufeff\ta\tb\r\na\t0\t0.5\r\nb\t4\t0\r\n"])
def test_other_separators_are_understood(tmp_path: Path, text: str) -> None:
    (tmp_path / "costs.csv").write_bytes(text.encode())
    assert read_costs(tmp_path / "costs.csv").rule(("a", "b")).costs == ((0.0, 0.5), (4.0, 0.0))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "class"),
        ("no costs", "class"),
        (",a,b\na,0,1\n", "class"),
        (",a,b\na,0,1\nb,1\n", ":3: 1 costs; 2 are needed"),
        (",a,b\na,0,1,2\nb,1,0\n", ":2: 3 costs; 2 are needed"),
        (",a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n", "the costs name c: no such class; the classes are a, b"),
        (",a,c\na,0,1\nc,1,0\n", "the costs name c: no such class"),
        (",a,a,b\na,0,0,1\nb,1,1,0\n", "twice"),
        (",a,b\na,0,1\na,1,0\n", ":3: 'a' has no column of costs, or occurs twice"),
        (",a,b\na,0,1\nc,1,0\n", ":3: 'c' has no column"),
        (",b,b\na,0,1\nb,1,0\n", ":1: a class occurs twice here"),
        (",a,b\na,0,1\n\n\n", "in every cell"),
        (",a,b\na,0,-1\nb,1,0\n", ":2: a cost must be at least 0, not -1"),
        (",a,b\na,0,nan\nb,1,0\n", ":2: 'nan' is no finite number"),
        (",a,b\na,0,inf\nb,1,0\n", ":2: 'inf' is no finite number"),
        (",a,b\na,0,dear\nb,1,0\n", ":2: 'dear' is no number"),
        (",a,b\na,0,\nb,1,0\n", ":2: '' is no number"),
        (",a,b\na,0,0\nb,0,0\n", "all costs are 0"),
        ('"a', "CSV"),
    ],
)
def test_what_is_no_cost_file_gets_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read_costs(path).rule(("a", "b"))
    assert words in str(caught.value)


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_bytes(b"\xff\xfe\x00\x01")
    for name in ("costs.csv", "none.csv"):
        with pytest.raises(FileError):
            read_costs(tmp_path / name)


def test_an_option_is_a_file_or_json_and_is_written_as_json(tmp_path: Path) -> None:
    kind, table = Costs(), CostTable(("a", "b"), ((0.0, 0.1), (4.0, 0.0)))
    (tmp_path / "costs.csv").write_text(table.text)
    assert kind.parse(str(tmp_path / "costs.csv")) == table
    assert kind.parse(kind.written(table)) == table
    assert kind.loaded(json.loads(json.dumps(kind.plain(table)))) == table
    kind.check("costs", table)
    with pytest.raises(InputError, match="must be a table of costs"):
        kind.check("costs", "costs.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "written as"),
        ('{"a": 1}', "written as"),
        ('{"a": {"a": 0}, "b": {"b": 0}}', "written as"),
        ('{"a": {"a": 0, "b": -1}, "b": {"a": 0, "b": 0}}', "at least 0, not -1"),
        ('{"a": {"a": 0, "b": "x"}, "b": {"a": 0, "b": 0}}', "at least 0, not 'x'"),
        ('{"a": {"a": 0, "b": NaN}, "b": {"a": 0, "b": 0}}', "at least 0, not nan"),
    ],
)
def test_json_that_is_no_table_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        Costs().parse(text)
    assert "{{" not in str(refused.value)
