"""A measure added by one line: `spice`, of which more is better."""

from __future__ import annotations

import numpy as np

from mcsvm_gui.core.compare.comparison import Comparison, Side
from mcsvm_gui.core.compare.measures import measure_rows
from mcsvm_gui.core.compare.tables import _measures
from mcsvm_gui.core.report.shared import comparison_blocks

CERTIFICATE = {"relative_gap": 0.0, "gap": 0.0, "primal": 1.0, "dual": 1.0, "violation": 0.0}
DOCUMENT = {
    "machine": "ww",
    "kernel": {"name": "linear"},
    "tol": 1e-3,
    "classes": ["a", "b"],
    "ending": "converged",
    "certificate": CERTIFICATE,
    "seconds": 1.0,
    "iterations": 1,
    "n_support": 2,
    "n_bounded": 0,
    "n_support_per_class": [1, 1],
}
DECIDED = np.array(["a", "b"], object)
sides = tuple(Side(name, {**DOCUMENT, "spice": spice}, DECIDED) for name, spice in (("x", 1), ("y", 2)))
comparison = Comparison("", ("a", "b"), None, sides)
line = next(line for line in measure_rows(comparison) if line.measure.name == "spice")
assert (line.texts, line.best) == (("1.0 chilies", "2.0 chilies"), (1,))
tables = [block.rows for block in comparison_blocks(comparison) if hasattr(block, "rows")]
assert any(("Spice", "1.0 chilies", "2.0 chilies") in rows for rows in tables)
shown = {row[0].text: [cell.text for cell in row[1:]] for row in _measures(sides)[0].rows}
assert shown["Spice"] == ["1.0 chilies", "2.0 chilies"]
