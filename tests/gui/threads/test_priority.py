"""Jobs leave the cores to the window."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pytestqt.qtbot import QtBot

from mcsvm_gui.ui.threads.job import Job


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


class Asked(Job):
    """Its own niceness, and that of a thread which it begins."""

    found: tuple[int, int]

    def work(self) -> None:
        with ThreadPoolExecutor(1) as pool:
            self.found = niceness(), pool.submit(niceness).result()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a niceness for every thread")
def test_jobs_and_what_they_begin_come_after_the_window(qtbot: QtBot) -> None:
    before = niceness()
    job = Asked(1)
    with qtbot.waitSignal(job.finished):
        job.start()
    assert min(job.found) > before
    assert niceness() == before
