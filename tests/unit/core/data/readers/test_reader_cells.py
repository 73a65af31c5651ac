"""The one spelling of numbers, and what else a cell may be."""

from __future__ import annotations

import pytest

from mcsvm_gui.core.data.phrases import listed, places, quoted
from mcsvm_gui.core.data.readers.cells import CellKind, kind_of, value_of

KINDS = {
    CellKind.EMPTY: [""],
    CellKind.NUMBER: ["1", "-1", "+7", "1e3", "-1E-3", ".5", "5.", "0012", "1e-400", "123456789012345678901234567890"],
    CellKind.INFINITE: ["inf", "-inf", "Infinity", "+INF", "1e309", "-1e400", "1.#INF", "1" * 400],
    CellKind.NAN: ["nan", "NaN", "NAN", "-nan"],
    CellKind.MARKER: ["?", "NA", "n/a", "#N/A", "null", "None", "<NA>"],
    CellKind.ODD: [
        "0x10",
        "1_000",
        "1,200",
        "10,500.50",
        "1.200,50",
        "1 200",
        "1'000",
        "5%",
        "$5",
        "5 €",
        "1d5",
        "1e",
        "--1",
    ],
    CellKind.DATE: ["2024-01-31", "31.01.2024", "1/2/24", "2024-01-31T12:00:00Z", "12:30", "12:30:05.5", "31 Jan 2024"],
    CellKind.TEXT: ["red", "5more", "1-2", "<5", "x1", "e5", ".", "-", "1.2.3", "192.168.0.1", "True", "a b", "C#"],
}


@pytest.mark.parametrize(("kind", "cell"), [(kind, cell) for kind, cells in KINDS.items() for cell in cells])
def test_what_a_cell_is(kind: CellKind, cell: str) -> None:
    assert kind_of(cell) is kind


@pytest.mark.parametrize("cell", ["\u0661", "\u22125", "\uff15"])
def test_other_digits_and_signs_are_no_numbers(cell: str) -> None:
    assert kind_of(cell) is CellKind.ODD


def test_the_decimal_mark_is_either_but_not_both() -> None:
    assert kind_of("5,1", ",") is CellKind.NUMBER
    assert value_of("5,1e1", ",") == 51.0
    assert kind_of("5.1", ",") is CellKind.ODD
    assert kind_of("5,1", ".") is CellKind.ODD


def test_places_in_words() -> None:
    assert places([4]) == "line 4"
    assert places([5, 4]) == "lines 4 and 5"
    assert places([3, 4, 5, 6, 7]) == "lines 3-7"
    assert places(range(1, 40, 3)) == "lines 1, 4, 7, 10, 13 and 8 more"


def test_lists_and_cells_in_words() -> None:
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert quoted("a\nb\x1b") == '"a\\nb\\x1b"'
    assert len(quoted("a" * 5000)) < 50
