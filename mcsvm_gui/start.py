"""The entry point of `mcsvm`. It imports nothing at first, so that Ctrl-C ends it quietly from the first moment."""

import os
import sys

INTERRUPTED = 130


def main() -> int:
    try:
        import signal

        # Imports can swallow a KeyboardInterrupt.
        before = signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
        from mcsvm_gui.cli import main as run_command

        signal.signal(signal.SIGINT, before)
        return run_command()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
