"""LASVM and its variants: which example is next, and how its partner is chosen."""

from __future__ import annotations

from mcsvm.solvers.methods.lasvm.method import Lasvm

LASVM_METHODS = (
    Lasvm("lasvm"),
    Lasvm("lasvm-gradient", choice="gradient"),
    Lasvm("lasvm-active", choice="active"),
    Lasvm("lasvm-first-order", second_order=False),
)
