"""`nest`: addLayout without the Python objects that PySide keeps of items after their end."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QLayout
from shiboken6 import Shiboken


def nest(outer: QBoxLayout, inner: QLayout, stretch: int = 0) -> None:
    """As outer.addLayout(inner, stretch), which makes a Python object for every item that is in inner already.

    Those outlive their items, and where Qt puts something else at the same address later, PySide takes it for the
    item: "QWidgetItem has no attribute children". So they are told to let go.
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
