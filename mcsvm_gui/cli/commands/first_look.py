"""mcsvm first-look"""

from __future__ import annotations

import argparse

from mcsvm_gui.core.compare import first_look


def run(options: argparse.Namespace) -> int:
    return first_look.show()
