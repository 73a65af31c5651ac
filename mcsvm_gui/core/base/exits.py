"""Exit codes, and the one line on standard error about a failure: the same for every entry point."""

import os
import sys
from collections.abc import Callable
from typing import TextIO

from mcsvm_gui.core.base.terminal import lose, say_beside

DONE, UNMET, WRONG, UNCONVERGED, INTERRUPTED = 0, 1, 2, 3, 130


def exit_code(command: Callable[[], int]) -> int:
    """Run a command and return its exit code.

    Wrong input, Ctrl-C and a closed pipe end it without a traceback.
    """
    _open_streams()
    try:
        status = command()
        print(end="", flush=True)
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output again at exit.
        lose(sys.stdout)
        return 1
    except OSError as error:
        _lose_unless_writable(sys.stdout)
        return complain(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))
    except ImportError as error:
        advice = "if memory is limited (ulimit -v), allow more, else run `mcsvm doctor`"
        return complain(f"a library cannot be loaded: {error}; {advice}")
    except MemoryError:
        return complain("there is not enough memory for this; take fewer rows, or a smaller --cache-mb")
    except ValueError as error:
        from mcsvm.solvers.errors import InputError

        if not isinstance(error, InputError):
            raise
        return complain(str(error))


def unmet(sentence: str) -> int:
    """Report that a condition of the user, such as --fail-on, is not met.

    The command is complete; the exit code is 1.
    """
    say_beside(f"failed: {sentence}")
    return UNMET


def ended(*, interrupted: bool, converged: bool) -> int:
    """Return the exit code of a command that trains. Its results remain valid in any case."""
    if interrupted:
        return INTERRUPTED
    return DONE if converged else UNCONVERGED


def _lose_unless_writable(stream: TextIO) -> None:
    """Drop a stream that cannot be written.

    Python flushes the stream again at exit, and would end with its own exit code if that fails.
    """
    try:
        stream.flush()
    except OSError:
        lose(stream)


def _open_streams() -> None:
    """Replace closed standard streams by the null device.

    Otherwise the next file that is opened gets the number of a closed stream, and the program prints into it.
    """
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def complain(sentence: str) -> int:
    """Write one line to standard error."""
    say_beside(f"error: {' '.join(sentence.splitlines())}")
    return WRONG
