"""How to come by a package that is missing: nothing can be installed into a program that brings its own Python."""

from __future__ import annotations

import sys


def advice(package: str, extra: str) -> str:
    if getattr(sys, "frozen", False):
        return f"this installation cannot take it in; mcsvm from PyPI can: pip install 'mcsvm[{extra}]'"
    return f"install it with: pip install {package} (or mcsvm[{extra}])"
