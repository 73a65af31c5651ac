"""Advice that can be followed where it is given."""

import sys

import pytest

from mcsvm_gui.core.base.install_advice import advice


def test_a_program_with_a_python_of_its_own_is_not_told_to_install_into_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert advice("pyarrow", "files").startswith("install it with: pip install pyarrow")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "cannot take it in" in advice("pyarrow", "files")
    assert "pip install 'mcsvm[files]'" in advice("pyarrow", "files")
