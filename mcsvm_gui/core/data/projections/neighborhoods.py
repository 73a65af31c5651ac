"""UMAP of the package umap-learn, if it is installed, in a separate process.

umap compiles loops that run in parallel: two of them in one process abort it, and compiling would block the
interpreter while the window draws.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.base import programs
from mcsvm_gui.core.data.projections.principal import scores
from mcsvm_gui.core.data.projections.ways import NEEDED, no_umap

SECONDS = 900.0  # compiling takes 20 to 60 s the first time
MOST_DIRECTIONS = 100  # principal components to which wider rows are reduced
NEIGHBORS = 15  # umap's own default
_PROGRAM = """
import sys
import numpy, umap
rows = numpy.load(sys.argv[1], allow_pickle=False)
made = umap.UMAP(n_neighbors=int(sys.argv[2]), random_state=0, n_jobs=1)
numpy.save(sys.argv[1], made.fit_transform(rows))
"""


def neighborhoods(rows: np.ndarray | sp.csr_array) -> np.ndarray:
    """Compute the (rows, 2) embedding. Raise InputError if umap is not installed, or fails."""
    if no_umap():
        raise InputError(NEEDED)
    narrow = rows if isinstance(rows, np.ndarray) and rows.shape[1] <= MOST_DIRECTIONS else None
    given = scores(rows, min(MOST_DIRECTIONS, max(1, min(rows.shape) - 1))) if narrow is None else narrow
    if len(given) < 4:
        return np.asarray(scores(given, 2) @ np.eye(min(2, *given.shape), 2))
    with tempfile.TemporaryDirectory(prefix="mcsvm-umap-") as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, np.ascontiguousarray(given))
        command = [sys.executable, "-P", "-W", "ignore", "-c", _PROGRAM, str(path), str(min(NEIGHBORS, len(given) - 1))]
        done = programs.run(command, seconds=SECONDS, environment={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.status:
            reason = next(reversed(done.errors.strip().splitlines()), "")
            raise InputError("umap stops at these data: {reason}", reason=reason[:200])
        return np.load(path, allow_pickle=False).astype(np.float64)
