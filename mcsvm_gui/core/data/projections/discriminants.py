"""Fisher's linear discriminants: the directions that separate the classes most, relative to the spread within them.

Wide rows are first reduced to principal components (Belhumeur, Hespanha & Kriegman 1997): in as many dimensions as
there are rows, any classes can be separated, and the picture would show nothing. Otherwise as scikit-learn's `svd`
solver.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import InputError
from mcsvm_gui.core.data.projections.principal import principal_components, scores, signs_of

MOST_DIRECTIONS = 100  # 0.4 s for 5000 rows
ROWS_EACH = 3  # rows required for each direction
_FLAT = 1e-4  # of a deviation within classes: narrower directions are treated as this wide


def discriminants(rows: np.ndarray | sp.csr_array, codes: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """Return the coordinates along the first two discriminants, and their shares of the variance between classes.

    Two classes have only one discriminant: the second coordinate is then the widest direction orthogonal to it.
    """
    codes = np.unique(codes, return_inverse=True)[1]
    counts = np.bincount(codes)
    if counts.size < 2:
        raise InputError("directions that separate classes need two classes or more")
    whitened = _whitened(_narrowed(rows, counts), codes, counts)
    means = _means(whitened, codes, counts)
    _, values, directions = np.linalg.svd(np.sqrt(counts)[:, None] * means, full_matrices=False)
    wanted = min(2, counts.size - 1, values.size)
    directions = directions[:wanted] * signs_of(directions[:wanted])[:, None]
    points = np.zeros((codes.size, 2))
    points[:, :wanted] = whitened @ directions.T
    if wanted == 1:
        points[:, 1] = principal_components(whitened - np.outer(points[:, 0], directions[0]))[0][:, 0]
    between = float((values**2).sum())
    shares = np.append(values[:wanted] ** 2 / between if between > 0.0 else np.zeros(wanted), 0.0)
    return points, (float(shares[0]), float(shares[1]))


def _narrowed(rows: np.ndarray | sp.csr_array, counts: np.ndarray) -> np.ndarray:
    """Centre the rows, and reduce them to a number of columns that suits the number of rows."""
    most = max(1, min(MOST_DIRECTIONS, (rows.shape[0] - counts.size) // ROWS_EACH))
    if isinstance(rows, np.ndarray) and rows.shape[1] <= most:
        return np.asarray(rows - rows.mean(axis=0))
    return scores(rows, min(most, min(rows.shape) - 1) or 1)


def _means(rows: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    sums = np.zeros((counts.size, rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums / counts[:, None]


def _whitened(rows: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Transform the rows so that the spread within classes is 1 in every direction."""
    within = rows - _means(rows, codes, counts)[codes]
    deviations = within.std(axis=0)
    deviations[deviations == 0.0] = 1.0
    free = max(1, codes.size - counts.size)
    _, values, turned = np.linalg.svd(within / deviations / np.sqrt(free), full_matrices=False)
    return np.asarray((rows / deviations) @ (turned.T / np.maximum(values, _FLAT)))
