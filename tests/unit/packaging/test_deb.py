"""What a Debian package says of itself follows from what is in it."""

from __future__ import annotations

import email.parser
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import changes
import deb
import pytest

ROOT = Path(__file__).resolve().parents[3]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
EPOCH = "1700000000"

pytestmark = pytest.mark.skipif(shutil.which("objdump") is None, reason="this system has no Debian packages")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A program of this system stands for ours."""
    folder = tmp_path / "mcsvm"
    (folder / "_internal" / "mcsvm" / "solvers").mkdir(parents=True)
    shutil.copy(Path("/bin/true").resolve(), folder / "mcsvm")
    (folder / "mcsvm-gui").symlink_to("mcsvm")
    (folder / "_internal" / "mcsvm" / "solvers" / "run.py").write_text("pass\n")
    return folder


@pytest.fixture(autouse=True)
def of_one_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)


def fields(text: str) -> dict[str, str]:
    return dict(email.parser.Parser().parsestr(text).items())


def test_the_control_file_can_be_read_and_its_version_is_that_of_pyproject() -> None:
    said = fields(deb.control(1234, ["libc6 (>= 2.31)", "libegl1"]))
    assert said["Version"] == VERSION
    assert said["Installed-Size"] == "1234"
    assert said["Depends"] == "libc6 (>= 2.31), libegl1"
    assert said["Package"] == "mcsvm"
    for line in deb.control(1, ["libc6"]).splitlines():
        assert re.match(r"[A-Z][\w-]*: \S|  ?\S", line), line
        assert len(line) < 80 or line.startswith("Depends")


def test_the_changelog_is_one_that_dpkg_reads() -> None:
    if shutil.which("dpkg-parsechangelog") is None:
        pytest.skip("dpkg-dev is not here")
    command = ["dpkg-parsechangelog", "-l", "-", "--all"]
    done = subprocess.run(command, input=deb.changelog(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert fields(done.stdout)["Version"] == VERSION


def test_the_changelog_tells_every_change_of_every_release() -> None:
    told = " ".join(deb.changelog().split())
    for release in changes.releases():
        assert f"mcsvm ({release.version})" in told
        for change in release.changes:
            assert " ".join(change.split()) in told


def test_the_copyright_file_has_the_licence_whole() -> None:
    said = deb.copyright_file()
    for line in (ROOT / "LICENSE").read_text("utf-8").splitlines():
        assert f" {line or '.'}\n" in said
    assert all(re.match(r"[A-Z][\w-]*: |\s|$", line) for line in said.splitlines())


def test_every_library_that_is_needed_and_not_inside_has_a_package(bundle: Path) -> None:
    depends = deb.depends(bundle)
    assert re.fullmatch(r"libc6 \(>= 2\.\d+\)", depends[0])
    assert len(depends) == len(set(depends))


def test_a_library_of_no_known_package_stops_the_build() -> None:
    with pytest.raises(deb.NoPackage, match=r"libstrange\.so\.1"):
        deb.package_of("libstrange.so.1")


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg is not here")
def test_two_builds_are_the_same_bytes_and_belong_to_root(bundle: Path, tmp_path: Path) -> None:
    packages = []
    for turn in ("one", "two"):
        output = tmp_path / turn
        output.mkdir()
        for path in bundle.rglob("*.py"):
            os.utime(path, (1, 1) if turn == "one" else (int(EPOCH), int(EPOCH)))
        packages.append(deb.build(bundle, tmp_path / "work", output, "zstd"))
    stamped = [member.mtime for member in members(packages[1])]
    assert set(stamped) <= {int(EPOCH)}
    assert {(member.uid, member.gid) for member in members(packages[1])} == {(0, 0)}
    control = [subprocess.run(["dpkg-deb", "-f", name], capture_output=True, check=True).stdout for name in packages]
    assert control[0] == control[1]


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg is not here")
def test_the_package_holds_the_bundle_its_names_and_the_sums_of_all(bundle: Path, tmp_path: Path) -> None:
    package = deb.build(bundle, tmp_path / "work", tmp_path, "zstd")
    held = {member.name.removeprefix("./"): member for member in members(package)}
    assert held["usr/bin/mcsvm"].linkname == "../lib/mcsvm/mcsvm"
    assert held["usr/bin/mcsvm-gui"].linkname == "../lib/mcsvm/mcsvm-gui"
    assert held["usr/lib/mcsvm/mcsvm-gui"].linkname == "mcsvm"
    assert held["usr/lib/mcsvm/mcsvm"].mode == 0o755
    assert held["usr/lib/mcsvm/_internal/mcsvm/solvers/run.py"].mode == 0o644
    root = tmp_path / "work" / "deb"
    sums = (line.split("  ") for line in (root / "DEBIAN" / "md5sums").read_text("utf-8").splitlines())
    told = {name: digest for digest, name in sums}
    assert set(told) == {name for name, member in held.items() if member.isfile()}
    for name, digest in told.items():
        assert hashlib.md5((root / name).read_bytes()).hexdigest() == digest
    log = gzip.decompress((root / "usr/share/doc/mcsvm/changelog.gz").read_bytes()).decode()
    assert log == deb.changelog()


def members(package: Path) -> list[tarfile.TarInfo]:
    content = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(package)], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        return [member for member in tar if member.name not in (".", "./")]
