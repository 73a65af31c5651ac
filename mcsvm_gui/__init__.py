"""The application: a window and a command line around `mcsvm.solvers`."""

import os
import sys

# A checkout brings its own package `mcsvm`, wherever it is put on the path.
_place = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "packaging", "python")
if os.path.isdir(os.path.join(_place, "mcsvm")):
    sys.path.insert(0, _place)
