"""The workflows name files that exist and the interpreters that bootstrap.py takes."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest
from parts import FAST, WHOLE, part

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


def test_what_runs_on_every_change_leaves_out_only_what_takes_minutes() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]["addopts"]
    assert options[-2:] == ["-m", FAST]
    for path in (ROOT / ".ci" / "run", ROOT / ".github/workflows/tests.yml"):
        tested = re.findall(r".*(?:bootstrap\.py test|-m pytest)\b.*", path.read_text("utf-8"))
        assert tested
        assert [line for line in tested if f'-m "{WHOLE}"' not in line and "test_bootstrap" not in line] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_held_to_a_commit(path: Path) -> None:
    """A tag can be moved to other code; the version beside the commit is what dependabot raises."""
    used = re.findall(r"\buses: (.+)", path.read_text("utf-8"))
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


def test_what_tests_skip_without_is_installed_somewhere() -> None:
    installed = re.findall(r"-e '\.\[([\w,]+)\]'", (ROOT / ".github/workflows/tests.yml").read_text("utf-8"))
    assert installed
    for extras in installed:
        assert {"test", "files", "export", "site"} <= set(extras.split(","))


def test_a_file_that_is_named_runs_its_slow_tests() -> None:
    assert part(FAST, named=False) == FAST
    assert part(FAST, named=True) == WHOLE
    assert part("large", named=True) == "large"
