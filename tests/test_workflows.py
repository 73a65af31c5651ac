"""The workflows name files that exist and the interpreters that bootstrap.py takes."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_there_are_some() -> None:
    assert len(WORKFLOWS) >= 2


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_named_files_exist(path: Path) -> None:
    named = re.findall(r"\b(?:packaging|tests)/[\w./]+", path.read_text())
    assert named
    for name in named:
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_interpreters_are_supported(path: Path) -> None:
    supported = {".".join(map(str, pair)) for pair in runpy.run_path(str(ROOT / "packaging/bootstrap.py"))["VERSIONS"]}
    named = set(re.findall(r"\"(3\.\d+)\"", path.read_text()))
    assert named
    assert named <= supported


def test_all_interpreters_are_tested() -> None:
    supported = {".".join(map(str, pair)) for pair in runpy.run_path(str(ROOT / "packaging/bootstrap.py"))["VERSIONS"]}
    assert set(re.findall(r"\"(3\.\d+)\"", (ROOT / ".github/workflows/tests.yml").read_text())) == supported
