"""apt itself, with folders of its own, takes stand-in packages from the repository, and newer ones when they come."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import apt_repository
import pytest

TOOLS = "dpkg-deb", "apt-get", "apt-cache"
pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in TOOLS), reason="needs the programs of Debian packages"
)


def package(folder: Path, version: str) -> Path:
    tree = folder / version
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN" / "control").write_text(
        f"Package: mcsvm\nVersion: {version}\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\n"
        "Description: a stand-in\n of two lines\n"
    )
    made = folder / f"mcsvm_{version}_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, made], check=True, stdout=subprocess.DEVNULL)
    return made


class Apt:
    """A machine that knows this repository alone."""

    def __init__(self, place: Path, repository: Path, trust: str) -> None:
        for name in ("lists/partial", "archives/partial", "parts", "etc"):
            (place / name).mkdir(parents=True)
        (place / "status").touch()
        (place / "sources.list").write_text(f"deb [{trust}] file:{repository} ./\n")
        settings = {
            "Dir::Etc::SourceList": place / "sources.list",
            "Dir::Etc::SourceParts": place / "parts",
            "Dir::Etc::Parts": place / "parts",
            "Dir::Etc::Preferences": place / "none",
            "Dir::Etc::PreferencesParts": place / "parts",
            "Dir::State::Lists": place / "lists",
            "Dir::State::Status": place / "status",
            "Dir::Cache": place,
            "APT::Sandbox::User": "root" if os.name != "nt" and os.geteuid() == 0 else "",
        }
        self.options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        self.place = place

    def __call__(self, *words: str) -> str:
        command = [words[0], *self.options, *words[1:]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.place)
        assert done.returncode == 0, done.stderr
        assert "W:" not in done.stderr, done.stderr
        return done.stdout

    def candidate(self) -> str:
        self("apt-get", "update")
        found = re.search(r"Candidate: (\S+)", self("apt-cache", "policy", "mcsvm"))
        assert found is not None
        return found[1]


def test_apt_finds_the_newest_and_fetches_it_whole(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    old, new = package(tmp_path, "0.9.9"), package(tmp_path, "0.10.0")
    apt_repository.write(repository, [old])
    apt = Apt(tmp_path / "machine", repository, "trusted=yes")
    assert apt.candidate() == "0.9.9"
    apt_repository.write(repository, [new])
    assert apt.candidate() == "0.10.0"
    apt("apt-get", "download", "mcsvm")
    assert (apt.place / new.name).read_bytes() == new.read_bytes()
    assert "0.9.9" in apt("apt-cache", "madison", "mcsvm")


def test_a_package_that_was_changed_afterwards_is_refused(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    one = package(tmp_path, "1.0.0")
    apt_repository.write(repository, [one])
    apt = Apt(tmp_path / "machine", repository, "trusted=yes")
    assert apt.candidate() == "1.0.0"
    with (repository / "pool" / one.name).open("ab") as file:
        file.write(b"x")
    with pytest.raises(AssertionError, match=r"(?i)size|hash"):
        apt("apt-get", "download", "mcsvm")


def test_the_same_packages_and_day_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "315619200")
    one = package(tmp_path, "1.0.0")
    for name in ("a", "b"):
        apt_repository.write(tmp_path / name, [one])
    files = {path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file()}
    assert len(files) == 4
    for path in files:
        assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes()


def test_a_signature_is_checked_by_apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("gpg") is None:
        pytest.skip("needs gpg")
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())  # sockets want a short path
    monkeypatch.setenv("GNUPGHOME", str(home))
    try:
        make = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "stand-in", "default", "default", "never"]
        subprocess.run(make, check=True, capture_output=True, timeout=120)
        apt_repository.write(tmp_path / "repository", [package(tmp_path, "1.0.0")], "stand-in")
        place = tmp_path / "repository" / "mcsvm.asc"
        apt = Apt(tmp_path / "machine", tmp_path / "repository", f"signed-by={place}")
        assert apt.candidate() == "1.0.0"
        release = tmp_path / "repository" / "InRelease"
        release.write_text(release.read_text().replace("Label: mcsvm", "Label: other"))
        with pytest.raises(AssertionError, match=r"(?i)signature|GPG"):
            apt.candidate()
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False)
        shutil.rmtree(home, ignore_errors=True)
