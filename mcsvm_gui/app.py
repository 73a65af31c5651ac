"""Where the desktop program is put together. Until its window exists, it shows the first look as text."""

import sys
from collections.abc import Sequence

from mcsvm_gui.core.exits import exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given:
        print(f"error: {given[0]}: mcsvm-gui cannot open files yet; start it without arguments", file=sys.stderr)
        return 2
    return exit_code(_first_look)


def _first_look() -> int:
    from mcsvm_gui.core.first_look import show

    return show()
