"""What holds for every test: no screen, no file among the user's own, and no word of warning that nobody expects."""

import atexit
import faulthandler
import gc
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parts import part

from mcsvm_gui.core.project import store
from mcsvm_gui.ui.threads.garbage import collect_what_is_due

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
settings.register_profile("no clock", deadline=None)  # a busy machine is no error; `timeout` ends what hangs
settings.load_profile("no clock")
MANY = 1000  # tests
GRACE = 30.0  # seconds beyond the time limit of a test
STACKS = pytest.StashKey[int]()  # where they are printed, whatever is captured
_home = tempfile.mkdtemp(prefix="mcsvm-tests-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
for _kind in ("DATA", "CONFIG", "STATE"):  # the cache stays where it is: compiling anew would take minutes
    os.environ[f"XDG_{_kind}_HOME"] = os.path.join(_home, _kind.lower())


def pytest_configure(config: pytest.Config) -> None:
    """A worker of pytest-xdist is given names for all, and the choice of its main process."""
    config.stash[STACKS] = os.dup(2)  # not captured before the first test
    if not hasattr(config, "workerinput"):
        named = config.args_source is pytest.Config.ArgsSource.ARGS
        config.option.markexpr = part(config.option.markexpr, named=named)


@pytest.fixture(autouse=True, scope="session")
def no_flushes() -> Iterator[None]:
    """No test cuts the power, so none waits for a disk. Tests that files are flushed replace `os.fsync` themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        patch.setattr(store, "SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(autouse=True)
def no_unexpected_logs(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    if request.node.get_closest_marker("logs_expected"):
        return
    records = [record for phase in ("setup", "call") for record in caplog.get_records(phase)]
    loud = [record.getMessage() for record in records if record.levelno >= logging.WARNING and not slow(record)]
    assert not loud, f"unexpected log lines: {loud}"


def slow(record: logging.LogRecord) -> bool:
    """Python's developer mode tells which tasks took over 0.1 s by the clock; a busy machine is no error."""
    return record.name == "asyncio" and record.getMessage().startswith("Executing ")


@pytest.fixture(autouse=True)
def garbage_of_this_thread_alone() -> Iterator[None]:
    """Widgets of earlier tests are torn down here, never by a thread that is busy beside: that crashes, or hangs."""
    yield
    collect_what_is_due()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Who waits in compiled code or in Qt hears no signal: all stacks are printed, and the other worker tells."""
    mark, said = item.get_closest_marker("timeout"), item.config.getoption("timeout")
    unmarked = item.config.getini("timeout") if said is None else said
    seconds = float(mark.args[0] if mark and mark.args else unmarked)
    if seconds:
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=item.config.stash[STACKS])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@settings(max_examples=1, database=None)
@given(st.none())
def first_example(_: None) -> None:
    """Hypothesis asks the garbage collector who holds its random numbers, and warns where those are frozen."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Where nearly all tests run, nearly everything is compiled."""
    gc.disable()
    first_example()
    gc.freeze()
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and len(session.items) > MANY:
        from compile_together import compile_together

        compile_together(backwards=worker != "gw0")
