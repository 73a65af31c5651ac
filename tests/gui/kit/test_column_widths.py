"""Columns share the room that there is; none is narrower than its least width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mcsvm_gui.ui.kit.column_widths import fitted_widths

COLUMNS = st.lists(st.tuples(st.integers(10, 90), st.integers(0, 60)), max_size=12)


@given(columns=COLUMNS, room=st.integers(0, 2000))
def test_widths_fit_whenever_they_can(columns: list[tuple[int, int]], room: int) -> None:
    least, wanted = [low for low, _ in columns], [low + more for low, more in columns]
    found = fitted_widths(wanted, least, room)
    assert all(low <= width <= high for low, width, high in zip(least, found, wanted, strict=True))
    assert sum(found) <= max(room, sum(least)), "they scroll only if the least widths do not fit"
    if sum(wanted) <= room:
        assert found == wanted
