"""Model selection: machine, C and gamma by cross-validation, with the same folds for every cell.

search.py proposes trials (cell x fold x share of the rows); plan.py runs a search, and nested ones; task.py groups
trials of one fold, share and gamma, which share a kernel matrix; executor.py runs tasks on threads; curve.py
extrapolates accuracy. Training: binary.py (ova, ovo, dag, compiled), whole.py (a Run per C), rising.py (proximal steps
of whole.py for ww, llw and others in a box: proximal.py, system.py); settling.py ends a Run on decisions.
"""
