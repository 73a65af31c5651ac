"""The page of benchmarks: exponents of known curves, and a page of a tiny run with its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.page import __main__ as page
from tests.benchmarks.page.growth import one_pass, overlapping
from tests.benchmarks.page.markdown import exponent, table
from tests.benchmarks.page.peers import PEERS


@given(
    power=st.floats(-3, 3), factor=st.floats(1e-6, 1e6), sizes=st.sets(st.integers(1, 10**6), min_size=2, max_size=6)
)
def test_the_exponent_of_a_power_is_found(power: float, factor: float, sizes: set[int]) -> None:
    curve = {float(size): factor * float(size) ** power for size in sizes}
    assert exponent(curve) == pytest.approx(power, abs=1e-6)


def test_a_table_has_a_cell_for_each_head() -> None:
    assert table(["a", "b"], [[1, None], [2.0, 1234.5]]) == [
        "| a | b |",
        "|---|---|",
        "| 1 | not installed |",
        "| 2 | 1234 |",
    ]


@pytest.mark.slow
def test_a_small_page_has_its_table_and_its_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page.main(["--only", "k", "--scale", "0.02", "--out", str(tmp_path)])
    said = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == str(tmp_path / "page.md")
    assert "--scale 0.02" in said
    assert "| exponent |" in said
    assert "(growth_k.svg)" in said
    assert (tmp_path / "growth_k.svg").read_bytes().startswith(b"<?xml")
    for peer in PEERS:
        assert (peer.found is None) == (peer.name in said.splitlines()[2])


def test_what_is_no_section_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        page.main(["--only", "weather"])
    assert "weather" in capsys.readouterr().err


def test_a_pass_takes_time_and_its_data_are_the_same_every_time() -> None:
    X, y = overlapping(300, 5, 3)
    again, labels = overlapping(300, 5, 3)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)
    assert one_pass(X, np.arange(300)) > 0.0
