"""The Windows installer, made by NSIS around a stand-in of the bundle, and its life under Wine."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import changes
import pytest
import windows_installer

STUB = Path("/usr/share/nsis/Stubs/lzma_solid-amd64-unicode")  # Wine without 32 bits runs no other
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\mcsvm"
CLASSES = r"HKCU\Software\Classes"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("makensis") is None or not STUB.exists(), reason="needs NSIS, as Debian has it"),
]


def installer(folder: Path, internal: str) -> Path:
    bundle = folder / internal
    (bundle / "_internal").mkdir(parents=True)
    for name in ("mcsvm.exe", "mcsvm-gui.exe", f"_internal/{internal}"):
        (bundle / name).write_text("a stand-in")
    made = folder / f"{internal}.exe"
    told = windows_installer.definitions(bundle, made)
    compiler = [windows_installer.makensis(), "-V2", "-WX", "-XTarget amd64-unicode"]
    subprocess.run([*compiler, *told, windows_installer.SCRIPT], check=True, timeout=120)
    return made


def test_it_is_built_without_a_warning(tmp_path: Path) -> None:
    assert installer(tmp_path, "one").read_bytes().startswith(b"MZ")


class Windows:
    def __init__(self, prefix: Path) -> None:
        told = {
            "WINEPREFIX": str(prefix),
            "WINEDEBUG": "-all",
            "WINEARCH": "win64",
            "WINEDLLOVERRIDES": "mscoree,mshtml=",
        }
        self.environment = {**{name: value for name, value in os.environ.items() if name != "DISPLAY"}, **told}
        self("wineboot", "--init")
        self.user = next(path for path in (prefix / "drive_c" / "users").iterdir() if (path / "AppData").is_dir())
        self.home = self.user / "AppData" / "Local" / "Programs" / "mcsvm"

    def __call__(self, *words: object) -> str:
        done = subprocess.run(
            ["wine", *map(str, words)], env=self.environment, capture_output=True, text=True, timeout=240
        )
        return done.stdout if done.returncode == 0 else ""

    def registry(self, key: str, *value: str) -> str:
        return self("reg", "query", key, *(["/v", *value] if value else ["/ve"]))


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[Windows]:
    if shutil.which("wine") is None:
        pytest.skip("needs Wine")
    one = Windows(tmp_path / "prefix")
    yield one
    subprocess.run(["wineserver", "--kill"], env=one.environment, check=False, timeout=60)


def until(look: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not look():
        assert time.monotonic() < end, what
        time.sleep(0.1)


@pytest.mark.timeout(600)
def test_it_installs_upgrades_and_leaves_what_is_the_users(windows: Windows, tmp_path: Path) -> None:
    windows(installer(tmp_path, "old"), "/S")
    assert (windows.home / "_internal" / "old").is_file()
    assert changes.version() in windows.registry(UNINSTALL, "DisplayVersion")
    assert "mcsvm-gui.exe" in windows.registry(CLASSES + r"\mcsvm.mcsvm\shell\open\command")
    assert list(windows.user.rglob("mcsvm.lnk"))

    (windows.home / "notes.txt").write_text("a user's own")
    windows(installer(tmp_path, "new"), "/S")
    assert (windows.home / "_internal" / "new").is_file()
    assert not (windows.home / "_internal" / "old").exists()

    windows(windows.home / "uninstall.exe", "/S")  # goes on as a copy of itself
    until(lambda: not (windows.home / "uninstall.exe").exists(), "it was never removed")
    until(lambda: not list(windows.user.rglob("mcsvm.lnk")), "its link is still in the menu")
    assert [path.name for path in windows.home.iterdir()] == ["notes.txt"]
    for key in (UNINSTALL, CLASSES + r"\.mcsvm", CLASSES + r"\mcsvm.mcsvmproj"):
        until(lambda key=key: not windows("reg", "query", key), f"{key} is still there")
