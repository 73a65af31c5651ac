"""What goes into the bundle, what its parts are for, and that its archives are the same for the same commit."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import build as command
import bundle
import bundle_contents as contents
import bundle_entry
import manifest
import portable
import pytest
import sizes
import windows_installer
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As PyInstaller leaves it, with little in it."""
    place = tmp_path / "mcsvm"
    for name, size in {
        "mcsvm": 300,
        "_internal/mcsvm/solvers/gram.py": 20,
        "_internal/mcsvm/solvers/compiled/1/box.nbc": 20,
        "_internal/mcsvm_gui/resources/datasets/a.csv": 30,
        "_internal/mcsvm_gui/resources/fonts/x.ttf": 60_000,
        "_internal/mcsvm_gui/resources/bill.json": 7,
        "_internal/mcsvm_gui/resources/translations/de.mo": 3,
        "_internal/matplotlib/x.ttf": 60_000,
        "_internal/numpy/core.so": 4000,
        "_internal/unheard_of/of.so": 50,
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(bytes(size))
    return place


# -- contents --------------------------------------------------------------------------------------

IMPORT_ALL = """
import importlib, sys
sys.path[:0] = [{sources!r}, {root!r}, {packaging!r}]
import bundle_contents, bundle_entry
from pathlib import Path

absent = {absent!r}

class Without:
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in absent):
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Without())
bundle_entry.stand_in(*bundle_entry.STOOD_IN)
for name in bundle_contents.hidden(Path({root!r})):
    if not name.endswith("__main__"):
        importlib.import_module(name)
import sklearn.ensemble, sklearn.feature_extraction.text, sklearn.metrics, sklearn.model_selection, scipy.stats
"""


@pytest.mark.slow
def test_nothing_that_is_left_out_is_imported_by_anything() -> None:
    absent = [name for name in contents.EXCLUDED_MODULES if is_here(name)]
    assert len(absent) > 10
    places = {"sources": ROOT / "packaging" / "python", "root": ROOT, "packaging": ROOT / "packaging"}
    code = IMPORT_ALL.format(**{name: str(place) for name, place in places.items()}, absent=absent)
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=200)
    assert (done.returncode, done.stderr) == (0, "")


def is_here(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_every_module_of_ours_is_asked_for() -> None:
    asked = set(contents.hidden(ROOT))
    assert {"mcsvm.solvers", "mcsvm.solvers.jit.store", "mcsvm_gui.cli", "mcsvm_gui.cli.commands.doctor"} <= asked
    assert all(importlib.util.find_spec(name.partition(".")[0]) for name in asked)


def test_resources_keep_their_places() -> None:
    given = contents.datas(ROOT)
    places = {Path(to, Path(source).name).as_posix() for source, to in given}
    for path in (ROOT / "resources").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert f"mcsvm_gui/{path.relative_to(ROOT).as_posix()}" in places
    assert any(place.startswith("mcsvm_gui/resources/fonts/") for place in places)
    assert all(Path(source).is_file() for source, _ in given)


@pytest.mark.skipif(sys.platform != "linux", reason="about libraries of Linux")
def test_graphics_drivers_and_the_c_library_stay_the_systems() -> None:
    for name in ("libGL.so.1", "libstdc++.so.6", "libglib-2.0.so.0", "libfontconfig.so.1", "libX11.so.6", "libz.so.1"):
        assert not contents.wanted(name, f"/usr/lib/x86_64-linux-gnu/{name}")
    for name in ("libxcb-cursor.so.0", "libxkbcommon-x11.so.0", "libffi.so.8", "libpython3.11.so.1.0"):
        assert contents.wanted(name, f"/lib/x86_64-linux-gnu/{name}")
    assert contents.wanted("numpy.libs/libz.so.1", "/somewhere/site-packages/numpy.libs/libz.so.1")
    assert not contents.wanted("PySide6/Qt/plugins/tls/libq.so", "/somewhere/PySide6/Qt/plugins/tls/libq.so")


def test_a_library_stays_as_long_as_something_that_stays_needs_it() -> None:
    needs = {"module.so": ["liba.so"], "liba.so": ["libb.so", "libsystem.so"], "libc.so": ["libd.so"]}
    entries = [(name, name, "BINARY") for name in ("pkg/module.so", "liba.so", "libb.so", "libc.so", "libd.so")]
    kept = contents.without_orphans(entries, lambda path: needs.get(Path(path).name, []))
    assert [name for name, _, _ in kept] == ["pkg/module.so", "liba.so", "libb.so"]


def test_links_to_what_was_left_out_go_too() -> None:
    entries = [("liba.so", "x/liba.so", "SYMLINK"), ("libb.so", "x/libb.so", "SYMLINK"), ("x/liba.so", "", "BINARY")]
    assert contents.without_dead_links(entries, {"x/liba.so"}) == [entries[0], entries[2]]


def test_equal_files_become_one_and_small_ones_stay(folder: Path) -> None:
    bundle.share_equal_files(folder)
    (link,) = [path for path in folder.rglob("*") if path.is_symlink()]
    assert link.name == "x.ttf"
    assert link.read_bytes() == bytes(60_000)
    assert not link.readlink().is_absolute()


# -- the entry -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "after"), [(None, None), ("/usr/local/lib", "/usr/local/lib")])
def test_programs_that_we_start_load_their_own_libraries(
    before: str | None, after: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle")
    monkeypatch.delenv("LD_LIBRARY_PATH_ORIG", raising=False)
    if before is not None:
        monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", before)
    bundle_entry.restore_library_path()
    assert os.environ.get("LD_LIBRARY_PATH") == after
    assert "LD_LIBRARY_PATH_ORIG" not in os.environ


@pytest.mark.parametrize(
    ("called", "module"), [("/usr/bin/mcsvm", "cli"), ("mcsvm-gui", "app"), ("C:/mcsvm-gui.exe", "app")]
)
def test_the_name_it_is_called_by_chooses(called: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [called, "FILE"])
    monkeypatch.setattr(bundle_entry, "stand_in", lambda *names: None)
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    monkeypatch.setattr(f"mcsvm_gui.{module}.main", lambda: 17)
    assert bundle_entry.main() == 17


# -- sizes and manifest ----------------------------------------------------------------------------


def test_every_byte_is_counted_once_and_said_what_for(folder: Path) -> None:
    found = sizes.parts(folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(found.values()) == sum(path.stat().st_size for path in files)
    assert found[sizes.PURPOSES["mcsvm"]] == 300
    assert found[sizes.OTHER] == 50
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_the_manifest_names_every_file_and_hashes_ours(folder: Path) -> None:
    told = manifest.manifest(folder, ROOT)
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert set(told["files"]) == names
    assert told["own_files"] == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in names
        if name.endswith(("gram.py", "a.csv", "de.mo"))
    }
    source = ROOT / "solvers" / "gram.py"
    assert told["sources"]["solvers/gram.py"] == hashlib.sha256(source.read_bytes()).hexdigest()


def test_times_and_names_of_machines_do_not_change_the_manifest(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "other" / "place" / "mcsvm"
    shutil.copytree(folder, copy, copy_function=shutil.copy)
    texts = [manifest.write(place, output).read_text() for place, output in ((folder, tmp_path), (copy, copy.parent))]
    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]
    assert json.loads(texts[0])["version"] == contents.distribution("mcsvm").version


def test_rights_and_times_are_those_of_the_commit(folder: Path) -> None:
    (folder / "mcsvm").chmod(0o755)
    (folder / "_internal" / "mcsvm" / "solvers" / "gram.py").chmod(0o600)
    bundle.set_times(folder, 1_700_000_000)
    for path in [folder, *folder.rglob("*")]:
        runs = path.is_dir() or path == folder / "mcsvm"
        assert path.stat().st_mode & 0o777 == (0o755 if runs else 0o644)
        assert path.stat().st_mtime == 1_700_000_000


@pytest.mark.skipif(os.name == "nt", reason="Windows has an installer")
def test_the_archive_has_one_folder_and_the_same_bytes_every_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (folder / "mcsvm-gui").symlink_to("mcsvm")
    made = []
    for turn in ("one", "two"):
        (tmp_path / turn).mkdir()
        os.utime(folder / "mcsvm", (len(turn), len(made)))
        made.append(portable.build(folder, tmp_path / f"work {turn}", tmp_path / turn))
    assert made[0].read_bytes() == made[1].read_bytes()
    with tarfile.open(made[0]) as tar:
        members = tar.getmembers()
    assert {member.name.partition("/")[0] for member in members} == {made[0].name.removesuffix(".tar.gz")}
    assert {(member.uid, member.gid, member.uname, member.mtime) for member in members} == {(0, 0, "", 1_700_000_000)}
    assert {"mcsvm", "mcsvm-gui", "LICENSE", "share"} <= {
        Path(member.name).parts[1] for member in members if "/" in member.name
    }


# -- Windows ---------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("makensis") is None, reason="NSIS is not here")
def test_the_windows_installer_compiles(folder: Path, tmp_path: Path) -> None:
    (folder / "mcsvm").rename(folder / "mcsvm.exe")
    shutil.copy(folder / "mcsvm.exe", folder / "mcsvm-gui.exe")
    made = windows_installer.build(folder, tmp_path)
    content = made.read_bytes()
    assert content[:2] == b"MZ"
    assert contents.distribution("mcsvm").version in made.name
    assert contents.distribution("mcsvm").version.encode("utf-16-le") in content


# -- the command -----------------------------------------------------------------------------------


def test_time_is_that_of_the_commit() -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout")
    seconds = subprocess.run(["git", "-C", ROOT, "show", "-s", "--format=%ct"], capture_output=True, text=True).stdout
    assert command.epoch() == seconds.strip()


@given(st.lists(st.sampled_from(["_internal/", "numpy/", "x/"]), max_size=3))
def test_every_name_has_a_purpose(folders: list[str]) -> None:
    assert sizes.purpose("".join(folders) + "name")
