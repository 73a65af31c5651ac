"""Advice on how to install a missing package; a bundle with its own Python cannot install any."""

from __future__ import annotations

import sys

from mcsvm.solvers.errors import Sentence


def advice(package: str, extra: str) -> Sentence:
    if getattr(sys, "frozen", False):
        return Sentence(
            "this installation cannot take it in; mcsvm from PyPI can: pip install 'mcsvm[{extra}]'", extra=extra
        )
    return Sentence("install it with: pip install {package} (or mcsvm[{extra}])", package=package, extra=extra)
