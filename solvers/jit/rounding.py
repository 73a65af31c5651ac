"""How exactly numbers are known, and the range they have: nothing that could be tuned.

What rests on a few thousand additions and products in double precision is known to ROUNDING, the result of a few
operations to LAST_DIGITS, what was once a number in single precision to SINGLE, each as a share of its size.
"""

ROUNDING = 1e-12  # 5000 additions err by 5e-13 at most
LAST_DIGITS = 1e-15  # four to five times the machine's epsilon, 2.2e-16
SINGLE = 1e-7  # the machine's epsilon of single precision, 1.2e-7
FEASIBLE = 1e-9  # share of U by which a constraint may be missed; HiGHS is asked for 1e-10
RIDGE = ROUNDING  # added to a diagonal, as a share of its largest entry: directions without curvature stay put
RIDGES = 0.0, 1e-14, 1e-12, 1e-10  # the same in turn, until a matrix can be factored
FLAT = 1e-12  # least curvature of a pair of variables; a smaller one counts as this (LIBSVM's tau)
HUGE = 1e300  # beyond all gradients; infinity would forbid relaxed arithmetic
