"""Work in pieces of at most a tenth of a second, distributed over threads, with a `tick` (interrupt.py) between them.

The shapes of pieces do not depend on the number of threads, so the bits of the result do not either. BLAS has one
number of threads for the whole process: `limited` sets it to one, and restores it when the last thread leaves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import OpenBLASController, ThreadpoolController

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.interrupt import tick, undivided

T = TypeVar("T")

# Sizes of pieces. They bound the wait for a stop, and the data in cache. Results hardly depend on them: BLAS rounds a
# row differently in blocks of different shapes.
PIECE = 5e8  # largest number of floating-point operations: 20 to 60 ms in double precision on one thread
SHARES = 4  # divisor of a piece of kernel rows, so that threads find enough of them; 128 x 600 of 784 features
WORTH = 4e7  # operations from which threads help: 1 ms, while waking a thread takes 0.05 ms
SMALL = 300  # variables of a dense system up to which a step, below a millisecond, is not a piece of its own
WHOLE = 1200  # order up to which one call of LAPACK computes a factor: 5.8e8 operations, 17 ms at 34 GFLOPS
PANEL = 128  # columns of a blocked factor; at order 2500 95 ms, 101 ms with 256, 118 ms in one call of LAPACK
ROWS = 64  # rows gathered at once, so that they stay in cache: 20 ms of 2500 variables, all rows at once 46 ms
HEIGHT = 2048  # examples of a factor gathered at once, 13 MB of 800 columns; 512 to 16384 differ by 5 %
ENTRIES = 1 << 20  # entries of a matrix, created or copied: 8 MB, 5 to 30 ms if memory is new
EXACT_BLOCK_BYTES = 1 << 22  # bytes of float64 kernel rows that are multiplied: 4 MB stay in cache
TILE = 512  # rows and columns of a tile of kernel values: 1 MB in float32, 2 MB in float64
TILES = 64  # tiles whose products are stored at once, to be added in their order
COLUMNS = 8192  # largest number of functions moved by compiled rounds; a multiple of the strips of jit/block.py
MOST_COLUMNS = 4096  # columns of a piece of kernel rows: threads divide 32 rows of 11 000 examples
MOVED_COLUMNS = 2048  # functions moved at once, by any of the threads: 0.2 ms if a block of 256 changes
STRIP_ROWS = 16384  # examples read between two ticks: 10^6 x 7 in new memory take 290 ms at once, 70 ms in strips
LEAST_SWEEP = 5e7  # operations from which a certificate works in tiles: 30 000 kernel values of 784 features, 1 ms
STRIP_BYTES = 1 << 20  # bytes of float32 kernel values between two passes over them: 1 MB stays in cache
LEAST_ROWS = 32  # kernel rows that a store holds whatever cache_mb says: a step of bsvm needs 10, a batch of smo 32
LARGE = 1 << 26  # bytes of a store; smaller ones come from the allocator, which reuses freed memory without new pages
WORK_BYTES = 1 << 25  # bytes of float64 work space: for kernel rows beyond float32, and for tables of products
PREDICTION_BYTES = 1 << 25  # bytes of decision values per chunk: 500 classes have 124,750 pairs, 1 MB per row
PREDICTION_ROWS = 4096  # rows predicted at once, which bounds memory for any number of rows
SEARCH_STEPS = 30_000  # steps of a run in a search between two checks for a stop: a fraction of a second
SEARCH_STEPS_TIMES_ROWS = 20_000_000  # steps times examples of a compiled binary machine between two such checks
PIECE_SECONDS = 0.03  # s of a piece of compiled steps, by prices of rows in cache; 10^6 x 100 takes twice as long
SAMPLE_REST = 20.0  # pause between two samples of a slice, in durations of one; 4 ms (50 000 x 7) took 1/6 of the time
LOOK_SECONDS = 0.1  # between two checks of a search for results of its workers and for a stop
MOST_THREADS = 1024  # a larger number is considered a mistake

# Operations that an action counts as, to cut pieces.
ENTRY = 16.0  # read an entry of a factor once, from memory: 8 bytes, about 1 ns
COPY = 100.0  # copy a number of a row into new memory: 10 ns; 286 000 x 100 took 570 ms in two pieces
VALUE = 10.0  # compute a kernel value, or an entry of a product, apart from its sum
MOVE = 20.0  # copy or square a number: 1 to 2 ns, from memory to memory
PLACE = 300.0  # compute a number of ADMM's example-wise step: 25 ns
FACTOR = 8.0  # multiply a product of kernel values by a player's factor, at a node of a quadrature: 2 ns
PASS = 3.0  # read a number in one pass over arrays in cache
SQUASH = 30.0  # compute tanh of a number
STEP_OPERATIONS = 50.0  # take a sequential step, per variable that it reads

_lock = threading.Lock()
_inside = 0
_busy = 0  # threads inside `limited`
_before: list[Any] = []  # the limiter that restores BLAS's number of threads, while any thread is inside `limited`
_mine = threading.local()


def pieces(total: int, operations_each: float) -> list[slice]:
    """Cut the range so that no piece has more than PIECE operations; the cuts depend on nothing else."""
    length = max(1, int(PIECE // max(operations_each, 1.0)))
    return [slice(start, min(start + length, total)) for start in range(0, total, length)]


def strips(examples: int) -> list[slice]:
    """Cut all examples for one pass over their variables; the cuts depend on nothing else."""
    return [slice(start, min(start + STRIP_ROWS, examples)) for start in range(0, examples, STRIP_ROWS)]


# -- threads --------------------------------------------------------------------------------------


@cache
def _controller() -> ThreadpoolController:
    from scipy.linalg import cython_lapack  # noqa: F401  loads the OpenBLAS that compiled code calls, to be found

    return ThreadpoolController()  # searches all loaded libraries, which takes milliseconds: only once


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(cores(), 8), thread_name_prefix="mcsvm")


def cores() -> int:
    """Return how many cores the process may use; OMP_NUM_THREADS lowers the number, as in joblib's workers."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    said = os.environ.get("OMP_NUM_THREADS", "")
    return min(allowed, int(said)) if said.isdigit() and int(said) > 0 else allowed


def limited(threads: Any) -> AbstractContextManager[object]:
    """Let the calling thread distribute work over `threads` threads in this context; None means all cores.

    While other threads are in such a context too (other trainings, or jobs of a search), they share the cores evenly.
    """
    if threads is not None and (
        isinstance(threads, bool) or not isinstance(threads, Integral) or not 1 <= int(threads) <= MOST_THREADS
    ):
        raise InputError(
            "threads must be a whole number of at least 1 and at most {most_threads}, not {threads!r}.",
            most_threads=MOST_THREADS,
            threads=threads,
        )
    return _limit(cores() if threads is None else int(threads))


@contextmanager
def _limit(count: int) -> Iterator[None]:
    before = getattr(_mine, "workers", None)
    _mine.workers = count
    _enter(first=before is None)
    try:
        yield
    finally:
        _leave(last=before is None)
        _mine.workers = before


def _enter(*, first: bool) -> None:
    global _inside, _busy
    with _lock:
        _inside += 1
        _busy += first
        if _inside == 1:
            _take_control()
            _before.append(_controller().limit(limits=1, user_api="blas"))


def _leave(*, last: bool) -> None:
    global _inside, _busy
    with _lock:
        _inside -= 1
        _busy -= last
        if _inside == 0:
            _take_control()
            _before.pop().restore_original_limits()


def _take_control() -> None:
    """Allow the calling thread to set the number of threads of OpenBLAS.

    threadpoolctl lets only one thread set it until this thread ends, and silently ignores all others. For Python, Qt's
    threads never end. The rule protects against races, which `_lock` excludes.
    """
    OpenBLASController.clear_controlling_thread(force=True)


def workers() -> int:
    """Return how many threads the calling thread may use."""
    return getattr(_mine, "workers", None) or 1


def together(operations_each: float) -> int:
    """Return how many pieces with this many operations the threads of `limited` compute between two ticks."""
    return workers() * max(1, int(PIECE // max(operations_each, 1.0)))


def spread(function: Callable[[T], object], pieces: Sequence[T], operations_each: float) -> None:
    """Call the function for every piece, on the threads of `limited`, and tick after about PIECE operations of each.

    Pieces must not depend on each other: a piece writes where no other piece reads or writes.
    """
    step = together(operations_each)
    for start in range(0, len(pieces), step):
        tick()
        group = pieces[start : start + step]
        helpers = min(share(workers()), len(group)) - 1
        with undivided():
            if helpers < 1 or len(group) * operations_each < WORTH:
                for piece in group:
                    function(piece)
            else:
                _help(function, iter(group), helpers)


def share(threads: int, helpers: int = 0) -> int:
    """Return how many threads a caller that requested `threads` may use now.

    `helpers` are the busy threads that work for the caller.
    """
    others = _busy - helpers
    return threads if others <= 1 else max(1, min(threads, cores() // others))


def submit(function: Callable[..., object], *arguments: Any) -> None:
    """Call the function on a thread of the pool; it must not raise."""
    _pool().submit(function, *arguments)


def _help(function: Callable[[T], object], pieces: Iterator[T], helpers: int) -> None:
    """Let each free thread take the next piece; a helper that has not begun when no piece is left is not waited for."""
    futures = [_pool().submit(_call, function, pieces) for _ in range(helpers)]
    try:
        _call(function, pieces)
    finally:
        begun = [future for future in futures if not future.cancel()]
        wait(begun)
    for future in begun:
        future.result()


def _call(function: Callable[[T], object], pieces: Iterator[T]) -> None:
    for piece in pieces:
        function(piece)


def scratch(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Return work space of the calling thread, which its next call overwrites."""
    size = int(np.prod(shape))
    room = getattr(_mine, "room", None)
    if room is None or room.nbytes < size * np.dtype(dtype).itemsize:
        room = _mine.room = np.empty(size * np.dtype(dtype).itemsize, dtype=np.uint8)
    return room[: size * np.dtype(dtype).itemsize].view(dtype).reshape(shape)
