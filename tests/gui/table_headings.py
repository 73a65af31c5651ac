"""The words that stand above columns, collected from the sources and from the models of tables."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from mcsvm_gui.ui.data.roles_model import RolesModel
from mcsvm_gui.ui.explain.flip_table import FlipTableModel

ROOT = Path(__file__).parents[2]


@cache
def headings() -> frozenset[str]:
    """Of all other tables, but for names of runs, classes and columns, and what has a term of its own."""
    found = {"Row", "Prediction", "True class", "Set"} | {"Class", "Rows", "Weight", "Factor"}  # predictions; weights
    found |= {*FlipTableModel().headings(), *RolesModel()._titles}
    for path in (ROOT / "mcsvm_gui").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Header":
                words = [word.value for word in ast.walk(node.args[0]) if isinstance(word, ast.Constant)]
                own = {keyword.arg for keyword in node.keywords} >= {"term"}
                found |= {str(word) for word in words if isinstance(word, str) and not own}
    return frozenset(found)
