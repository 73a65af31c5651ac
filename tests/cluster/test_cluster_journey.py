"""Through real controls: the cluster is tested, searched on and stopped; this computer finishes the same search."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from dask_cluster import DaskCluster
from journeys.conftest import open_window  # noqa: F401 - a fixture
from journeys.hand import Hand
from journeys.test_tune_journey import compare_with_the_command, done, tick
from PySide6.QtWidgets import QSpinBox

pytestmark = pytest.mark.slow

pytest.importorskip("distributed")


@pytest.mark.large
def test_a_search_begun_on_a_cluster_is_finished_here(
    cluster: DaskCluster,
    open_window: Callable[[], Hand],  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    hand = open_window()
    hand.pick("sampleList", 0)
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Tune")
    hand.click("tuneMoreButton")
    hand.type("schedulerEdit", "127.0.0.1:x")
    assert "no address" in hand.text("tune-scheduler-error")
    hand.type("schedulerEdit", cluster.address)
    hand.click("schedulerTestButton")
    hand.wait(lambda: "2 workers, 2 threads, all" in hand.text("schedulerReason"))
    assert not hand.find(QSpinBox, "jobsSpin").isEnabled()
    assert f"--scheduler {cluster.address}" in hand.text("tuneCommandLabel")
    for name, text in (("costFromEdit", "1"), ("costToEdit", "2^8"), ("gammaFromEdit", "2^-6"), ("gammaToEdit", "1")):
        hand.type(name, text)
    hand.type("gridStepEdit", "1")
    hand.find(QSpinBox, "foldsSpin").setValue(10)
    hand.click("tuneStartButton")
    hand.wait(lambda: done(hand) > 0)
    began = time.monotonic()
    hand.click("tuneStopButton")
    hand.wait(lambda: not hand.active)
    assert time.monotonic() - began < 5.0
    before = done(hand)
    assert 0 < before < 9 * 7 * 10 * 6
    hand.type("schedulerEdit", "")
    tick(hand, "ovo")
    assert 0 < done(hand) <= before
    hand.click("tuneStartButton")
    hand.wait(lambda: "known" in hand.text("tuneObstacle"))
    compare_with_the_command(hand, capsys)


def test_a_cluster_that_is_not_there_is_a_sentence_on_the_page(open_window: Callable[[], Hand]) -> None:  # noqa: F811
    hand = open_window()
    hand.pick("sampleList", 0)
    hand.wait(lambda: hand.work.dataset is not None)
    hand.go("Tune")
    hand.click("tuneMoreButton")
    hand.type("schedulerEdit", "127.0.0.1:1")
    hand.click("schedulerTestButton")
    hand.wait(lambda: "nothing listens there" in hand.text("schedulerReason"))
    hand.click("tuneStartButton")
    hand.wait(lambda: "nothing listens there" in hand.text("tuneFailure"))
    assert not hand.active
