"""The methods for the linear kernel, which keep W instead of kernel values."""

from __future__ import annotations

from mcsvm.solvers.methods.linear.coordinate import Coordinate
from mcsvm.solvers.methods.linear.newton import LinearNewton

LINEAR_METHODS = Coordinate(), LinearNewton()
