"""A first training compiles only what it calls, says so on a terminal, and does not count it as training."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

from mcsvm.solvers import clock
from mcsvm.solvers.jit import compiled, notice
from mcsvm.solvers.jit.order import sort_by

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

ROOT = Path(__file__).resolve().parents[3]
FIT = """
import sys
import numpy as np
from mcsvm import MultiClassSVC
from mcsvm.solvers.jit.dispatcher import Loop

rng = np.random.default_rng(0)
y = np.arange(90) % 3
X = rng.normal(size=(90, 4)) + 2.0 * y[:, None]
model = MultiClassSVC(machine=sys.argv[1], gamma=0.5).fit(X, y)
"""
COMPILED = """
import gc
print(*sorted(
    f"{one.py_func.__module__.removeprefix('mcsvm.solvers.jit.')}.{one.py_func.__name__}"
    for one in gc.get_objects()
    if isinstance(one, Loop) and one.stats.cache_misses
))
"""


def python(code: str, cache: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"MCSVM_CACHE_DIR": str(cache)} | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


# -- what is compiled --------------------------------------------------------------------------------

EXAMINED = {"scan.examine_box", "scan.expand", "close.find_below"}  # of every training with rbf
CALLED = {
    "ww": EXAMINED | {"rounds.rounds"},
    "ovo": EXAMINED | {"binary.two_class.advance", "binary.two_class.conclude", "scan.equality_violation"},
}


@pytest.mark.slow
@pytest.mark.parametrize("machine", CALLED)
def test_a_first_training_compiles_what_python_calls_and_nothing_else(machine: str, tmp_path: Path) -> None:
    """Functions that these call are inside them, and what other phases call waits until they begin."""
    assert set(python(FIT + COMPILED, tmp_path, machine).split()) == CALLED[machine]
    assert len(list(tmp_path.rglob("*.nbc"))) == len(CALLED[machine])
    assert python(FIT + COMPILED, tmp_path, machine) == ""


def test_a_constant_argument_makes_no_part_of_its_own() -> None:
    @compiled
    def shifted(x, by):
        return x + by

    @compiled
    def twice(x, by):
        return shifted(x, 1) + shifted(x, by)

    assert twice(1, 2) == 5
    assert [str(kinds) for kinds in shifted._parts] == ["(int64, int64)"]
    assert not shifted.overloads
    assert shifted(1, 1) == 2  # now Python calls it
    assert len(shifted.overloads) == 1


def test_parts_keep_their_own_flags() -> None:
    """A function that looks for NaN may be called by one that is told that there are none."""

    @compiled
    def is_missing(x):
        return x != x

    @compiled(relaxed=True)
    def count_missing(values):
        count = 0
        for x in values:
            if is_missing(x):
                count += 1
        return count

    assert count_missing(np.array([1.0, np.nan])) == 1


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 64, 100])
def test_sorting_keeps_equal_values_in_their_order(size: int) -> None:
    values = np.random.default_rng(size).integers(0, 5, size).astype(float)
    order = sort_by(values, np.arange(size), np.empty(size, np.int64))
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))


# -- the clock ---------------------------------------------------------------------------------------


def test_the_clock_of_a_training_stands_still_while_it_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each compilation took a thousand seconds."""
    now, compile_for = [0.0], CPUDispatcher._compile_for_args

    def compile_long(self: Any, *args: Any, **kws: Any) -> Any:
        now[0] += 1000.0
        return compile_for(self, *args, **kws)

    @compiled
    def one_more(x):
        return x + 1

    monkeypatch.setattr(CPUDispatcher, "_compile_for_args", compile_long)
    monkeypatch.setattr(clock.time, "perf_counter", lambda: now[0])
    watch = clock.Stopwatch()
    with watch:
        one_more(1)
    assert now == [1000.0]
    assert watch.seconds == 0.0


# -- what is said ------------------------------------------------------------------------------------


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sentences: list[str] = []
    monkeypatch.setattr(notice, "_told", False)
    monkeypatch.setattr(notice, "_tell", sentences.append)
    return sentences


def test_it_is_said_once_in_a_process(said: list[str]) -> None:
    notice.announce(stored=True)
    notice.announce(stored=True)
    assert said == [notice.COMPILING]


def test_where_nothing_can_be_stored_that_is_said(said: list[str]) -> None:
    notice.announce(stored=False)
    assert said == [notice.NOT_STORED]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudoterminals")
def test_a_terminal_is_told_once_and_a_file_never(tmp_path: Path) -> None:
    import pty

    code = "from mcsvm.solvers.jit import bound; bound.snapped(1.0, -1.0, 1.0); bound.slack_within(1.0, 1.0)"
    assert python(code, tmp_path / "file") == ""  # and nothing on stderr
    for times in (1, 0):  # the second process finds compiled code
        ours, theirs = pty.openpty()
        environment = os.environ | {"MCSVM_CACHE_DIR": str(tmp_path / "terminal")}
        subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, stderr=theirs, check=True, timeout=280)
        os.close(theirs)
        heard = b""
        try:
            while chunk := os.read(ours, 4096):
                heard += chunk
        except OSError:  # Linux ends a pseudoterminal so
            pass
        os.close(ours)
        assert heard.decode().count(notice.COMPILING) == times, heard


# -- several processes -------------------------------------------------------------------------------


@pytest.mark.slow
def test_processes_that_begin_together_compile_each_function_once(tmp_path: Path) -> None:
    """Also where MCSVM_CACHE_DIR cannot be written: a private folder among temporary files takes its place."""
    (tmp_path / "file").touch()
    environment = os.environ | {"MCSVM_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", FIT + COMPILED, "ovo"]
    workers = [subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in "ab"]
    by_one, by_other = (set(worker.communicate(timeout=280)[0].split()) for worker in workers)
    assert by_one | by_other == CALLED["ovo"]
    assert not by_one & by_other
