"""The application: a window and a command line around `mcsvm.solvers`."""

import os
import sys

# A checkout has its own package `mcsvm`, which must be found wherever the checkout is on the path.
_place = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "packaging", "python")
if os.path.isdir(os.path.join(_place, "mcsvm")):
    sys.path.insert(0, _place)
