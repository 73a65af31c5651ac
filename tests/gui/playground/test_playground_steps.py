"""Step mode: what a task does changes nothing of the presenter, and answers that were overtaken do not count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mcsvm_gui.core.playground.fit_options import FitOptions
from mcsvm_gui.core.playground.random_sets import drawn
from mcsvm_gui.ui.playground.steps import TO_THE_END, Stepping

POINTS = drawn("gaussians", 24, 0)


class Tasks:
    """Work that waits until it is done by hand."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], Any], Callable[[Any], None], Callable[[str], None]]] = []

    def start(self, function: Any, done: Any, failed: Any) -> None:
        self.waiting.append((function, done, failed))


class Scene:
    def __init__(self) -> None:
        self.tasks = Tasks()
        self.stepping = Stepping(self.tasks)  # type: ignore[arg-type]
        self.seen: list[tuple[Any, ...]] = []
        self.said: list[str] = []
        self.stepping.moved.connect(self.seen.append)
        self.stepping.failed.connect(self.said.append)

    def restart(self, machine: str = "ww") -> None:
        self.stepping.restart(POINTS, FitOptions(), machine, 8)

    def work(self) -> None:
        """The part of a worker, then that of the window."""
        function, done, _ = self.tasks.waiting.pop(0)
        before = {name: value for name, value in vars(self.stepping).items() if name.startswith("_")}
        answer = function()
        after = {name: value for name, value in vars(self.stepping).items() if name.startswith("_")}
        assert after == before, "the worker's thread wrote to the presenter"
        done(answer)

    @property
    def iterations(self) -> list[int]:
        return [walk.run.iterations for walk in self.stepping._walks]


@pytest.fixture
def scene(qapp: object) -> Scene:
    return Scene()


def test_steps_are_taken_one_after_the_other(scene: Scene) -> None:
    scene.restart()
    scene.stepping.advance(1)
    scene.stepping.advance(10)
    assert len(scene.tasks.waiting) == 1
    for expected in ([0, 0, 0], [1, 1, 1], [11, 11, 11]):
        scene.work()
        assert scene.iterations == expected
        assert [picture.steps[-1] for picture in scene.seen[-1]] == expected
    assert not scene.stepping.busy


def test_walks_that_were_dropped_while_they_were_opened_do_not_come_back(scene: Scene) -> None:
    scene.restart()
    scene.stepping.drop()
    scene.work()
    assert (scene.stepping._walks, scene.seen) == ((), [])
    scene.stepping.advance(1)
    scene.work()
    assert scene.seen == [()]


def test_a_restart_overtakes_what_was_opened_before(scene: Scene) -> None:
    scene.restart("ww")
    scene.restart("cs")
    scene.work()
    assert scene.seen == []
    scene.work()
    assert {walk.problem.machine.name for walk in scene.stepping._walks} == {"cs"}


def test_a_refusal_that_was_overtaken_is_not_said(scene: Scene) -> None:
    scene.restart()
    scene.stepping.advance(TO_THE_END)
    scene.restart()
    scene.stepping.advance(TO_THE_END)
    scene.tasks.waiting.pop(0)[2]("cannot be opened")
    assert (scene.said, scene.stepping.going) == ([], True)
    scene.tasks.waiting.pop(0)[2]("cannot be opened either")
    assert (scene.said, scene.stepping.going) == (["cannot be opened either"], False)
