"""How every entrance of the program ends."""

import os
import sys
from collections.abc import Callable

INTERRUPTED = 130


def exit_code(command: Callable[[], int]) -> int:
    """What the command returns; Ctrl-C and a reader that has gone end it without a traceback."""
    try:
        status = command()
        print(end="", flush=True)
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes standard output once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
