"""One line on a terminal that shows the progress of a training."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from mcsvm.solvers.run.trace import Sample
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.terminal import visible
from mcsvm_gui.core.cluster.session import AnySession
from mcsvm_gui.core.machine.time_left import seconds_left

GAP = "  "
UNKNOWN = 80  # columns, if the terminal does not report them
EVERY = 0.1  # seconds
REMEMBERED = 400  # samples for the trend


class ProgressLine:
    """Called after every slice; writes at most ten times a second, and only to a terminal."""

    def __init__(self, quiet: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = not quiet and self._stream.isatty()
        self._samples: list[Sample] = []
        self._last, self._width = 0.0, 0
        self._training_ended = 0.0

    def begin(self, what: str) -> None:
        """Write a text before the first slice, which may compile for some seconds."""
        if self._shown:
            self._write(what)

    def __call__(self, session: AnySession, sample: Sample) -> None:
        if not self._shown:
            return
        self._samples.append(sample)
        if len(self._samples) > REMEMBERED:
            del self._samples[::2]
        if self._due():
            left = seconds_left(self._samples, session.request.tol, session.gap_goal, parts=session.parts)
            self._write(line(sample, left))

    def folds(self, done: int, total: int) -> None:
        """Show the progress of a calibration."""
        if self._shown:
            self._write(f"calibrating: {done} of {total} folds")

    def certifying(self) -> None:
        """Show that the certificate is being computed; called between its pieces, whose number is unknown."""
        begins = not self._training_ended
        self._training_ended = self._training_ended or time.monotonic()
        if self._due() or (begins and self._shown):
            self._write(f"computing the certificate: {duration(time.monotonic() - self._training_ended)}")

    def share(self, what: str, done: float) -> None:
        if self._due():
            self._write(f"{what}: {figures.progress(done)}")

    def _due(self) -> bool:
        """Return whether the line is shown and old enough to be replaced."""
        now = time.monotonic()
        if not self._shown or now - self._last < EVERY:
            return False
        self._last = now
        return True

    def end(self) -> None:
        """Clear the line."""
        if self._shown:
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def _write(self, text: str) -> None:
        text = fitting(visible(text), _columns(self._stream))
        self._stream.write("\r" + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or UNKNOWN
    except OSError:
        return UNKNOWN


def fitting(text: str, columns: int) -> str:
    """Return the text shortened to one line, because a second line could not be overwritten.

    The first parts are dropped first: they matter least.
    """
    while text and len(text) >= columns:
        text = text.partition(GAP)[2]
    return text


def line(sample: Sample, left: float | None) -> str:
    rate = sample.iteration / sample.seconds if sample.seconds > 0.0 else 0.0
    parts = [
        f"{sample.seconds:.1f} s",
        f"{short(sample.iteration)} steps",
        f"{short(rate)}/s",
        f"{sample.support} support vectors",
        f"violation {sample.violation:.2g}",
        f"gap {figures.gap(sample.relative_gap)}",
        f"about {duration(left)} left" if left is not None else "time left unknown",
    ]
    return GAP.join(parts)


def short(number: float) -> str:
    """Format a number as 123, 12.3k or 4.56M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.0f}"


def duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds / 3600.0:.1f} h" if seconds < 1e6 else "days"
