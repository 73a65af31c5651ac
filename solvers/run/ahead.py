"""Ahead: later pairs of ovo and dag, worked on by other threads while the run works on an earlier one.

The run takes the parts in their order and is the only one to count them. While a helper works on the next one, the run
helps with a later one; what a helper leaves at a yield the run goes on with. So a part has the same bits whoever works
on it, and a run the same for every number of threads. What was begun ahead is dropped by a stop and is in no
checkpoint: at most what was done while one part was worked on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcsvm.solvers.budget import next_decision
from mcsvm.solvers.run.parts import PartRun
from mcsvm.solvers.work import Work, limited, share, submit


@dataclass
class Lane:
    """A part begun ahead, and the rest of the call of `advance` that it is in."""

    number: int
    held: bool = True  # a helper works on it
    wanted: bool = False  # the run waits for it, as there is nothing else to do
    opening: Work[PartRun] | None = None
    run: PartRun | None = None
    rest: Work[None] | None = None
    error: BaseException | None = None
    seconds_by_run: float = 0.0  # of `seconds`, those of the run's own thread

    def drop(self) -> None:
        """Release the part with its kernel rows now, without waiting for the garbage collector."""
        if self.rest is not None:
            self.rest.close()
        if self.run is not None:
            self.run.view.forget()
            self.run.part.gram.release()
        self.opening = self.rest = self.run = None

    @property
    def seconds(self) -> float:
        return 0.0 if self.run is None else self.run.seconds

    @property
    def done(self) -> bool:
        return self.error is not None or (self.run is not None and self.run.finished is not None)

    def piece(self, begin: Callable[[int], Work[PartRun]]) -> None:
        """One piece of work: what lies between two yields."""
        if self.run is None:
            self.opening = self.opening or begin(self.number)
            try:
                next(self.opening)
            except StopIteration as end:
                run: PartRun = end.value
                self.run, self.opening = run, None
            return
        if self.rest is None:
            self.rest = self.run.advance(next_decision(self.run.state.steps) - self.run.state.steps)
        if next(self.rest, self) is self:
            self.rest = None


class Ahead:
    """Lanes of the parts after the one in work; `sizes` are the bytes that each may take, `room` what all may."""

    def __init__(self, begin: Callable[[int], Work[PartRun]], sizes: Sequence[float], room: float) -> None:
        self._begin, self._sizes, self._room = begin, sizes, room
        self._lanes: dict[int, Lane] = {}
        self._current, self._fresh = 0, 1  # the part in work, and the first that nobody has begun
        self._helpers, self._going, self._dropped = 0, False, False
        self._changed = threading.Condition()

    def go_on(self, current: int, threads: int) -> int:
        """Let helpers work until `pause`; returns how many do."""
        with self._changed:
            self._current, self._fresh, self._going = current, max(self._fresh, current + 1), True
            wanted = share(threads, self._helpers) - 1
            for _ in range(self._claimable(wanted) - self._helpers):
                self._helpers += 1
                submit(self._help, max(1, threads // (wanted + 1)))
            return self._helpers

    def pause(self) -> None:
        """Let helpers leave at their next yield. Nobody waits for them."""
        self._going = False

    def drop(self) -> None:
        """Release all lanes. A helper releases the part that it works on when it leaves."""
        with self._changed:
            self._going, self._dropped = False, True
            lanes = [lane for lane in self._lanes.values() if not lane.held]
            self._lanes.clear()
        for lane in lanes:
            lane.drop()

    def take(self, number: int) -> Work[Lane | None]:
        """What was begun of this part. While a helper works on it, the caller works on others."""
        with self._changed:
            lane = self._lanes.get(number)
            if lane is None:
                self._fresh = max(self._fresh, number + 1)
                return None
        while lane.held and (other := self._claim()) is not None:
            while lane.held and not other.done:
                before = other.seconds
                other.piece(self._begin)
                other.seconds_by_run += other.seconds - before
                yield
            self._leave(other)
        with self._changed:
            lane.wanted = True
            self._changed.wait_for(lambda: not lane.held)
            del self._lanes[number]
        if lane.error is not None:
            raise lane.error
        return lane

    # -- helpers ----------------------------------------------------------------------------------

    def _help(self, threads: int) -> None:
        with limited(threads):
            while (lane := self._claim(by_helper=True)) is not None:
                try:
                    while self._going and not (lane.wanted or lane.done):
                        lane.piece(self._begin)
                except BaseException as error:  # raised where the part is taken
                    lane.error = error
                self._leave(lane)

    def _leave(self, lane: Lane) -> None:
        if lane.run is not None and lane.done:
            lane.run.part.gram.release()
        with self._changed:
            lane.held = False
            dropped = self._dropped
            self._changed.notify_all()
        if dropped:
            lane.drop()

    def _claim(self, *, by_helper: bool = False) -> Lane | None:
        """The first part that was left, or else a fresh one, where its kernel rows have room beside the others'.

        Where there is none, a helper ends and is counted no more.
        """
        with self._changed:
            for number in sorted(self._lanes):
                lane = self._lanes[number]
                if self._going and not (lane.held or lane.wanted or lane.done):
                    lane.held = True
                    return lane
            if not (self._going and self._fits(1)):
                self._helpers -= by_helper
                return None
            number, self._fresh = self._fresh, self._fresh + 1
            self._lanes[number] = Lane(number)
            return self._lanes[number]

    def _claimable(self, most: int) -> int:
        """For how many helpers there is a part, up to so many."""
        count, fresh = sum(not lane.done for lane in self._lanes.values()), 0
        while count + fresh < most and self._fits(fresh + 1):
            fresh += 1
        return min(count + fresh, most)

    def _fits(self, count: int) -> bool:
        """Whether there are so many fresh parts, and room for them beside all that are begun."""
        fresh = self._sizes[self._fresh : self._fresh + count]
        begun = [self._sizes[number] for number, lane in self._lanes.items() if not lane.done]
        return len(fresh) == count and self._sizes[self._current] + sum(begun) + sum(fresh) <= self._room
