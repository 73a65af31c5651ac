"""`nest`: addLayout without the Python objects that PySide keeps after the end of their items."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QLayout
from shiboken6 import Shiboken


def nest(outer: QBoxLayout, inner: QLayout, stretch: int = 0) -> None:
    """Do outer.addLayout(inner, stretch), and invalidate the Python object that it makes for every item inside `inner`.

    These objects outlive their items. If Qt later puts something else at the same address, PySide takes it for the
    item: "QWidgetItem has no attribute children".
    """
    outer.addLayout(inner, stretch)
    _let_go_of_items(inner)


def _let_go_of_items(layout: QLayout) -> None:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if isinstance(item, QLayout):
            _let_go_of_items(item)
        elif item is not None:
            Shiboken.invalidate(item)
