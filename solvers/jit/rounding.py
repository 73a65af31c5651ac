"""The precision and the range of numbers; these constants cannot be tuned.

The result of a few thousand additions and products in double precision is known to ROUNDING, the result of a few
operations to LAST_DIGITS, and a number that was once in single precision to SINGLE, each relative to its size.
"""

ROUNDING = 1e-12  # 5000 additions have an error of at most 5e-13
LAST_DIGITS = 1e-15  # four to five times the machine epsilon, 2.2e-16
SINGLE = 1e-7  # about the machine epsilon of single precision, 1.2e-7
FEASIBLE = 1e-9  # share of U by which a constraint may be violated; HiGHS gets the tolerance 1e-10
RIDGE = ROUNDING  # added to a diagonal, as a share of its largest entry: directions without curvature do not move
RIDGES = 0.0, 1e-14, 1e-12, 1e-10  # ridges that are tried in turn, until a matrix can be factored
FLAT = 1e-12  # least curvature of a pair of variables, which replaces smaller ones (LIBSVM's tau)
HUGE = 1e300  # beyond all gradients; infinity would forbid relaxed arithmetic
