"""Floors of coverage: every package has one, and a package below its own is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from coverage_floors import COMPILED, FLOORS, ROOT, main, package_of, rows

TOY = {"a": 90, "a/b": 50}


def measured(**files: tuple[int, int]) -> dict[str, object]:
    named = {name.replace("__", "/") + ".py": files[name] for name in files}
    summaries = {file: {"num_statements": all_, "covered_lines": seen} for file, (all_, seen) in named.items()}
    return {"files": {file: {"summary": one} for file, one in summaries.items()}}


def test_a_file_counts_for_the_nearest_package() -> None:
    found = {row.package: row for row in rows(measured(a__x=(10, 9), a__b__y=(10, 6), a__b__c__z=(10, 4)), TOY)}
    assert (found["a"].lines, found["a"].share, found["a"].holds) == (10, 90.0, True)
    assert (found["a/b"].lines, found["a/b"].share, found["a/b"].holds) == (20, 50.0, True)


def test_below_its_floor_and_unmeasured_fail() -> None:
    assert [row.holds for row in rows(measured(a__x=(100, 89)), TOY)] == [False, False]


def test_every_package_has_a_floor_and_every_floor_a_package() -> None:
    sources = [
        path.relative_to(ROOT).as_posix() for top in ("solvers", "mcsvm_gui") for path in (ROOT / top).rglob("*.py")
    ]
    without = {file for file in sources if package_of(file) is None}
    assert {file for file in without if not file.startswith(COMPILED)} == set()
    assert {package_of(file) for file in sources} - {None} == set(FLOORS)
    rooms = {
        path.parent.relative_to(ROOT).as_posix()
        for top in ("solvers", "mcsvm_gui/core", "mcsvm_gui/ui")
        for path in (ROOT / top).glob("*/__init__.py")
    }
    assert rooms - {COMPILED} - set(FLOORS) == set()


@pytest.mark.parametrize(("covered", "code"), [(100, 0), (1, 1)])
def test_the_command_ends_with_whether_all_floors_hold(
    covered: int, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"{package}/some.py": {"summary": {"num_statements": 100, "covered_lines": covered}} for package in FLOORS}
    place = tmp_path / "coverage.json"
    place.write_text(json.dumps({"files": files}), "utf-8")
    assert main(place) == code
    printed = capsys.readouterr().out
    assert all(package in printed for package in FLOORS)
    assert ("too low" in printed) == (code == 1)
