"""Where the desktop program is put together. Until its window exists, it shows the first look as text."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if given:
        print(f"error: {given[0]}: mcsvm-gui cannot open files yet; start it without arguments", file=sys.stderr)
        return 2
    try:
        from mcsvm_gui.core.first_look import show

        return show()
    except KeyboardInterrupt:
        return 130
