"""Machines are data: a table of directions, a margin, a feasible set.

A new machine is one file with a `MACHINE` and one line in `MACHINES`.
"""

from __future__ import annotations

from mcsvm.solvers.machines import adm, atm, ats, cs, dag, llw, mmr, ova, ovo, ww
from mcsvm.solvers.machines.form import DualForm, Machine, binary_form

MACHINES: dict[str, Machine] = {
    module.MACHINE.name: module.MACHINE for module in (ww, cs, llw, ova, ovo, dag, adm, atm, ats, mmr)
}

__all__ = ["MACHINES", "DualForm", "Machine", "binary_form"]
