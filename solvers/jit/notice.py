"""A message, shown once per process, that code is being compiled: for some seconds nothing else happens."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

LOG = logging.getLogger("mcsvm")
COMPILING = "mcsvm compiles its numerical code for this processor. This takes a few seconds and happens once."
NOT_STORED = (
    "mcsvm compiles its numerical code, and each new process does so again, because no folder for compiled code can be "
    "written. Set MCSVM_CACHE_DIR to a folder that can."
)


def tell_terminal(sentence: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(sentence, file=sys.stderr, flush=True)


_told = False
_tell: Callable[[str], object] = tell_terminal


def tell_by(tell: Callable[[str], object]) -> None:
    """Show the message through `tell` instead of as a line on the terminal."""
    global _tell
    _tell = tell


def announce(*, stored: bool) -> None:
    """Show and log the message, once per process; `stored`: whether other processes will find the compiled code."""
    global _told
    if not _told:
        _told = True
        sentence = COMPILING if stored else NOT_STORED
        LOG.info(sentence)
        _tell(sentence)
