"""What holds for every test: no screen, and no word of warning that nobody expects."""

import logging
import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def no_unexpected_logs(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    if request.node.get_closest_marker("logs_expected"):
        return
    records = [record for phase in ("setup", "call") for record in caplog.get_records(phase)]
    loud = [record.getMessage() for record in records if record.levelno >= logging.WARNING]
    assert not loud, f"unexpected log lines: {loud}"
