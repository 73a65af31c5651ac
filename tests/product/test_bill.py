"""The bill of materials names what is there, and refuses what nobody is known to have made."""

import json
import tomllib
from pathlib import Path

import bill
import changes
import pytest

from mcsvm_gui.core.base import licences

SOURCES = [
    "numpy/__init__.py",
    "PySide6/QtCore.py",
    "lib-dynload/_heapq.so",
    "mcsvm/solvers/run.py",
    "scipy/linalg/x.so",
]

LIBRARIES = (
    *("numpy.libs/libscipy_openblas64_-1.so", "mcsvm_gui/resources/fonts/DejaVuSans.ttf"),
    *("numpy.libs/libgfortran-1.so.5.0.0", "shiboken6/libgfortran-2.so.5.0.0"),
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """As PyInstaller lays one out, of empty files: only names count."""
    for name in (
        *SOURCES,
        "mcsvm_gui/resources/translations/de.mo",
        *LIBRARIES,
    ):
        path = tmp_path / "_internal" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "mcsvm").touch()
    return tmp_path


@pytest.mark.slow
def test_every_file_brings_its_maker(bundle: Path) -> None:
    names = {part.name for part in bill.write(bundle)}
    assert names >= {"mcsvm", "CPython", "numpy", "scipy", "pyside6-essentials", "OpenBLAS with LAPACK"}
    assert not names & {"pandas", "matplotlib", "scikit-learn", "Qt"}


@pytest.mark.slow
def test_what_is_taken_out_leaves_the_bill(bundle: Path) -> None:
    (bundle / "_internal/scipy/linalg/x.so").unlink()
    assert "scipy" not in {part.name for part in bill.write(bundle)}


def test_a_stranger_is_refused(bundle: Path) -> None:
    (bundle / "_internal/libstrange.so.3").touch()
    with pytest.raises(bill.Unaccounted, match=r"libstrange\.so\.3"):
        bill.write(bundle)


def test_both_forms_name_the_same_and_bring_the_texts(bundle: Path) -> None:
    found = bill.write(bundle)
    place = bill.resources_of(bundle)
    told = json.loads((place / "bill.json").read_text("utf-8"))
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.5")
    assert tuple(licences.of_bill(told)) == found
    references = [part["bom-ref"] for part in told["components"]]
    assert len(set(references)) == len(references)
    text = (place / "licences.txt").read_text("utf-8")
    for part in found:
        assert part.text in text
        assert part.text.strip(), part.name
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text


def test_the_same_bundle_gives_the_same_bytes(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    files = [bill.resources_of(bundle) / name for name in ("bill.json", "licences.txt")]
    bill.write(bundle)
    before = [path.read_bytes() for path in files]
    bill.write(bundle)  # now with the two files inside
    assert [path.read_bytes() for path in files] == before
    assert json.loads(before[0])["metadata"]["timestamp"] == "1970-01-02T00:00:00Z"


def test_the_bundles_bill_is_what_the_window_shows(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = bill.write(bundle)
    monkeypatch.setattr(licences, "folder", lambda: bill.resources_of(bundle))
    assert licences.components() == found


def test_extras_that_users_may_have_are_those_of_the_project() -> None:
    project = tomllib.loads((changes.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["optional-dependencies"]) == licences.OWN_EXTRAS | {
        "test",
        "coverage",
        "peers",
        "site",
        "bundle",
    }


def test_requirements_are_read_with_their_conditions() -> None:
    lines = ["Some.Thing<2,>=1", "b[x]>=1; sys_platform == 'win32'", "c; extra == 'report'", 'd; extra == "test"']
    assert licences.needs(lines) == ["some-thing", "b", "c"]
