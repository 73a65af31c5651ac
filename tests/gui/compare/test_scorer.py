"""Compare's decisions of runs, of which some are deleted while they are made."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from mcsvm_gui.ui.compare.scorer import Scorer


def record(number: int) -> Any:
    request = SimpleNamespace(data="a.csv", read=None)
    return SimpleNamespace(id=number, request=request, document=None, named_files=lambda: ())


@pytest.fixture
def begun() -> list[Callable[[Any], None]]:
    """What takes the answer of each task."""
    return []


@pytest.fixture
def there() -> set[int]:
    """The runs of the project."""
    return {1, 2}


@pytest.fixture
def scorer(begun: list[Callable[[Any], None]], there: set[int]) -> Scorer:
    tasks = SimpleNamespace(start=lambda work, done, failed: begun.append(done))
    trust = SimpleNamespace(may_read=lambda files: True)
    workspace: Any = SimpleNamespace(tasks=tasks, trust=trust, runs=there, path=None, dataset_of=lambda request: None)
    return Scorer(workspace, lambda ready: None)


def test_an_answer_about_a_run_that_was_deleted_meanwhile_is_not_kept(
    scorer: Scorer, begun: list[Callable[[Any], None]], there: set[int]
) -> None:
    scorer.want([record(1), record(2)])
    there.remove(1)
    scorer.drop([1])
    begun[0]("decided")
    assert scorer.of(record(1)) is None
    begun[1]("decided")
    assert scorer.of(record(2)) == "decided"


def test_it_is_decided_again_where_the_deletion_is_undone(
    scorer: Scorer, begun: list[Callable[[Any], None]], there: set[int]
) -> None:
    scorer.want([record(1)])
    there.remove(1)
    scorer.drop([1])
    begun[0]("decided")
    there.add(1)
    scorer.want([record(1)])
    begun[1]("decided anew")
    assert scorer.of(record(1)) == "decided anew"
