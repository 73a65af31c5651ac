"""matplotlib has one set of parameters and one cache of fonts: one thread draws at a time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mcsvm_gui.core.report import FORMATS
from mcsvm_gui.core.report.blocks import Figure, Heading, Report
from mcsvm_gui.core.report.formats.drawing import settings
from mcsvm_gui.core.report.plots import Bars

matplotlib = pytest.importorskip("matplotlib")
WAIT = 20.0  # seconds


def test_a_second_thread_waits_until_the_first_has_drawn() -> None:
    before = dict(dict.items(matplotlib.rcParams))
    first_is_in, first_may_go, second_is_in = threading.Event(), threading.Event(), threading.Event()
    seen: list[float] = []

    def first() -> None:
        with settings(**{"font.size": 31.0}):
            first_is_in.set()
            assert first_may_go.wait(WAIT)
            seen.append(matplotlib.rcParams["font.size"])

    def second() -> None:
        assert first_is_in.wait(WAIT)
        with settings(**{"font.size": 17.0}):
            second_is_in.set()
            seen.append(matplotlib.rcParams["font.size"])

    with ThreadPoolExecutor(2) as threads:
        ends = [threads.submit(first), threads.submit(second)]
        assert first_is_in.wait(WAIT)
        overtook = second_is_in.wait(0.3)
        first_may_go.set()
        for end in ends:
            end.result(WAIT)
    assert not overtook
    assert seen == [31.0, 17.0]
    assert dict(dict.items(matplotlib.rcParams)) == before


def report(number: int) -> Report:
    plot = Bars([f"run {number}", "b"], ["ww", "cs"], [1.0, 2.0 + number], ["1", "2"], "seconds")
    return Report(f"report {number}", "today", (Heading("figures"), Figure(plot, "bars")), {})


@pytest.mark.slow
def test_reports_written_at_once_are_those_written_one_after_the_other() -> None:
    wanted = [(suffix, number) for number in range(4) for suffix in (".html", ".pdf")]
    apart = [FORMATS[suffix].content(report(number)) for suffix, number in wanted]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda one: FORMATS[one[0]].content(report(one[1])), wanted))
    assert [a == b for a, b in zip(apart, together, strict=True)] == [True] * len(wanted)
