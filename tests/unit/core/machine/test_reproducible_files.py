"""Model files: the same data, request and seed give the same bytes, and none of them depends on the clock."""

from __future__ import annotations

import time

import pytest
from small_table import clouds

from mcsvm.solvers.machines import MACHINES
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.session import train

DATA = clouds()


@pytest.mark.parametrize("calibrate", ["none", "pairwise"])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_same_training_gives_the_same_bytes(machine: str, calibrate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request(machine=machine, C=2.0, calibrate=calibrate)
    content = model_file.packed(train(request, DATA).trained)
    counter, now = time.perf_counter, time.time
    monkeypatch.setattr(time, "perf_counter", lambda: 3.0 * counter())
    monkeypatch.setattr(time, "time", lambda: now() + 1e6)
    assert model_file.packed(train(request, DATA).trained) == content


def test_seconds_are_reported_and_not_stored() -> None:
    outcome = train(Request(calibrate="temperature"), DATA)
    assert outcome.document["seconds"] > 0.0
    assert outcome.document["calibration"]["seconds"] > 0.0
    stored = model_file.unpacked("a.mcsvm", model_file.packed(outcome.trained))
    assert (stored.origin.seconds, stored.calibrated.seconds) == (None, None)
