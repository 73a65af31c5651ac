"""When a variable or a sum is at its bound, and how much a variable violates: for compiled loops and dual/geometry.py.

A variable is at a bound if it equals it: every step puts a variable that comes within ROUNDING of a bound exactly onto
the bound. A sum is at its bound if it exceeds the share AT_BOUND of it: added up in another order, the same variables
give another last digit.
"""

from solvers.jit import compiled

ROUNDING = 1e-12  # share of the bound, or of what the variable was before a step; 5000 additions err by 5e-13 at most
AT_BOUND = 1.0 - ROUNDING


@compiled(relaxed=True)
def pull(gradient, alpha, upper):
    """The violation of a variable with bounds of its own: |gradient| if the variable may move along it, else 0."""
    up = gradient if alpha < upper else 0.0
    down = -gradient if alpha > 0.0 else 0.0
    return up if up > down else down
