"""Ahead: other threads train later pairs of ovo and dag while the run trains an earlier one.

The run takes the parts in their order, and it alone counts them. While a helper still trains the next part, the run
trains a later one. A part has the same bits whoever trains it, so a run is the same for every number of threads. If
the run stops, the parts begun ahead are dropped; no checkpoint contains them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mcsvm.solvers import clock
from mcsvm.solvers.budget import next_decision
from mcsvm.solvers.interrupt import REST, Stopped, listening, tick
from mcsvm.solvers.run.parts import PartRun
from mcsvm.solvers.work import limited, share, submit

HELPER_REST = 0.005  # seconds between two ticks at which a helper calls its listener


@dataclass
class Lane:
    """A part that was begun ahead. `run` is None until the part is trained."""

    number: int
    done: bool = False
    run: PartRun | None = None
    error: BaseException | None = None

    def drop(self) -> None:
        """Release the part with its kernel rows now, without waiting for the garbage collector."""
        if self.run is not None:
            self.run.view.forget()
            self.run.part.gram.release()
        self.run = None


class Ahead:
    """The lanes of later parts; part i may take `sizes[i]` bytes, and all parts together may take `room` bytes."""

    def __init__(self, begin: Callable[[int], PartRun], sizes: Sequence[float], room: float) -> None:
        self._begin, self._sizes, self._room = begin, sizes, room
        self._lanes: dict[int, Lane] = {}
        self._current, self._fresh = 0, 1  # the current part, and the first part that no thread has begun
        self._helpers, self._going, self._dropped = 0, False, False
        self._changed = threading.Condition()
        self._may_run = threading.Event()  # helpers wait for this event at their ticks
        self._may_run.set()

    def go_on(self, current: int, threads: int) -> int:
        """Let helpers begin parts until `pause` is called, and return the number of helpers."""
        with self._changed:
            self._current, self._fresh, self._going = current, max(self._fresh, current + 1), True
            wanted = share(threads, self._helpers) - 1
            for _ in range(self._fitting(wanted) - self._helpers):
                self._helpers += 1
                submit(self._help, max(1, threads // (wanted + 1)))
            return self._helpers

    def pause(self) -> None:
        """Let helpers begin no further part. Does not wait for them."""
        self._going = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the helpers wait at their next tick."""
        self._may_run.clear()
        try:
            yield
        finally:
            self._may_run.set()

    def drop(self) -> None:
        """Release all lanes. A helper that is training a part releases it at its next tick."""
        with self._changed:
            self._going, self._dropped = False, True
            lanes = [lane for lane in self._lanes.values() if lane.done]
            self._lanes.clear()
        self._may_run.set()
        for lane in lanes:
            lane.drop()

    def take(self, number: int) -> PartRun | None:
        """Return this part, trained, or None if no thread has begun it. While a helper trains it, train other parts."""
        with self._changed:
            lane = self._lanes.get(number)
            if lane is None:
                self._fresh = max(self._fresh, number + 1)
                return None
        while not lane.done and (other := self._claim()) is not None:
            try:
                self._train(other)
            except BaseException:  # usually a stop: the part is begun again when its turn comes
                self._forget(other)
                raise
        while not lane.done:
            with self._changed:
                self._changed.wait_for(lambda: lane.done, timeout=REST)
            tick()
        self._forget(lane)
        if lane.error is not None:
            raise lane.error
        return lane.run

    def _forget(self, lane: Lane) -> None:
        with self._changed:
            self._lanes.pop(lane.number, None)

    # -- in any thread ----------------------------------------------------------------------------

    def _help(self, threads: int) -> None:
        with limited(threads), listening(self._hear, rest=HELPER_REST):
            while self._may_run.wait() and (lane := self._claim(by_helper=True)) is not None:
                try:
                    self._train(lane, by_helper=True)
                except Stopped:
                    self._end(lane)
                except BaseException as error:  # raised again when the part is taken
                    self._end(lane, error=error)

    def _hear(self) -> None:
        """Wait at a tick of a helper while the run is held, and stop a part that no thread waits for any more."""
        self._may_run.wait()
        if self._dropped:
            raise Stopped(self)

    def _train(self, lane: Lane, *, by_helper: bool = False) -> None:
        """Train the part of a lane to its end."""
        run = self._begin(lane.number)
        try:
            while run.finished is None:
                run.advance(next_decision(run.state.steps) - run.state.steps)
        finally:
            run.view.forget()
            run.part.gram.release()
        if by_helper:
            run.watch = clock.Stopwatch()  # a run counts the seconds of its own thread only
        self._end(lane, run)

    def _end(self, lane: Lane, run: PartRun | None = None, error: BaseException | None = None) -> None:
        with self._changed:
            lane.run, lane.error, lane.done = run, error, True
            dropped = self._dropped
            self._changed.notify_all()
        if dropped:
            lane.drop()

    def _claim(self, *, by_helper: bool = False) -> Lane | None:
        """Return a lane for the first part that no thread has begun, if its kernel rows fit next to the others.

        If no part remains or fits, return None; a helper then ends and is no longer counted.
        """
        with self._changed:
            if not (self._going and self._fits(1)):
                self._helpers -= by_helper
                return None
            number, self._fresh = self._fresh, self._fresh + 1
            self._lanes[number] = Lane(number)
            return self._lanes[number]

    def _fitting(self, most: int) -> int:
        """Count the helpers, up to `most`, that train a part already or for which a part fits."""
        count, fresh = sum(not lane.done for lane in self._lanes.values()), 0
        while count + fresh < most and self._fits(fresh + 1):
            fresh += 1
        return min(count + fresh, most)

    def _fits(self, count: int) -> bool:
        """Return whether `count` more parts exist, and their kernel rows fit next to those of all parts in progress."""
        fresh = self._sizes[self._fresh : self._fresh + count]
        begun = [self._sizes[number] for number, lane in self._lanes.items() if not lane.done]
        return len(fresh) == count and self._sizes[self._current] + sum(begun) + sum(fresh) <= self._room
