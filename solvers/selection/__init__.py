"""Model selection: machine, C and gamma by cross-validation, with the same folds for every cell.

search.py proposes trials (cell x fold x share of the rows). study.py runs a search, also a nested one. task.py groups
the trials of one fold, share and gamma, which share a kernel matrix. executor.py runs tasks on threads. curve.py
extrapolates accuracy. The training itself: binary.py (ova, ovo and dag, compiled), whole.py (a Run per C) and rising.py
(proximal steps for ww, llw and others in a box, by proximal.py and system.py). settling.py ends a Run early, once the
predictions of the test rows do not change any more.
"""
