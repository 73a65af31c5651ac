"""What a Linux desktop is told: whole, true, and as the desktop's own programs read it."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import changes
import manual
import pytest
import share

from mcsvm_gui.cli import COMMANDS, _parser
from mcsvm_gui.core.project.store import ProjectStore

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
WELL_KNOWN = {"text/csv", "text/tab-separated-values"}
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
ASK = """
import json, sys
from PySide6.QtCore import QMimeDatabase
types = QMimeDatabase()
print(json.dumps([types.mimeTypeForFile(path, QMimeDatabase.MatchMode(int(mode))).name()
                  for path, mode in json.loads(sys.argv[1])]))
"""
BY_NAME, BY_CONTENT = 1, 2


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    share.fill(folder)
    return folder


def command(*words: str) -> subprocess.CompletedProcess[str]:
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def entry() -> configparser.SectionProxy:
    reader = configparser.ConfigParser(interpolation=None)
    reader.optionxform = str  # type: ignore[assignment,method-assign]
    reader.read(share.LINUX / "mcsvm.desktop", "utf-8")
    return reader["Desktop Entry"]


def own_types() -> set[str]:
    tree = ElementTree.parse(share.LINUX / "mcsvm.xml")
    return {found.attrib["type"] for found in tree.iter(f"{MIME}mime-type")}


def asked(folder: Path, questions: list[tuple[Path, int]]) -> list[str]:
    """Qt's own reader of file types, in a process that knows no others but the built-in ones and ours."""
    environment = {**os.environ, "XDG_DATA_DIRS": str(folder), "XDG_DATA_HOME": str(folder / "nobody")}
    text = json.dumps([(str(path), mode) for path, mode in questions])
    answer = subprocess.run(
        [sys.executable, "-c", ASK, text], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(answer.stdout)


def test_models_and_projects_are_known_by_name_and_by_content(filled: Path, tmp_path: Path) -> None:
    model, project = tmp_path / "some.mcsvm", tmp_path / "some.mcsvmproj"
    shutil.copy(GOLDEN / "ww_schema_1.mcsvm", model)
    ProjectStore(project).close()
    nameless = [
        shutil.copy(path, path.with_suffix("")) for path in (model, project.rename(tmp_path / "other.mcsvmproj"))
    ]
    named = [(model, BY_NAME), (tmp_path / "other.mcsvmproj", BY_NAME)]
    expected = ["application/x-mcsvm-model", "application/x-mcsvm-project"]
    assert asked(filled, named) == expected
    assert asked(filled, [(Path(path), BY_CONTENT) for path in nameless]) == expected


def test_other_archives_and_databases_are_not_ours(filled: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.make_archive(str(other), "zip", GOLDEN, "README.md")
    assert asked(filled, [(tmp_path / "other.zip", BY_CONTENT)]) == ["application/zip"]


def test_the_entry_starts_a_program_of_the_project_and_claims_types_that_exist() -> None:
    project = tomllib.loads((changes.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    program, place = entry()["Exec"].split()
    assert program in project["gui-scripts"]
    assert place == "%f"
    claimed = set(entry()["MimeType"].strip(";").split(";"))
    assert claimed == own_types() | WELL_KNOWN


def test_the_description_bears_this_version_and_every_change(filled: Path) -> None:
    tree = ElementTree.parse(filled / share.METAINFO)
    newest = next(tree.iter("release"))
    assert (
        newest.attrib["version"]
        == tomllib.loads((changes.ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    )
    items = (changes.ROOT / "CHANGELOG.md").read_text("utf-8").count("\n* ")
    assert len(newest.findall(".//li")) == items
    assert {found.text for found in tree.iter("binary")} == {"mcsvm", "mcsvm-gui"}


def test_an_unreleased_version_bears_the_day_of_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    release = changes._release("## 9.9.9, unreleased\n\n* One\n  more.\n* Two\n")
    assert (str(release.day), release.unreleased, release.changes) == ("1970-01-02", True, ("One more.", "Two"))
    assert "1970-01-02" in manual.pages()["mcsvm.1"].partition("\n")[0]
    with pytest.raises(ValueError, match="no heading"):
        changes._release("## nonsense\n")


@pytest.mark.parametrize("size", share.ICON_SIZES)
def test_icons_are_as_large_as_their_folder_says(filled: Path, size: int) -> None:
    content = (filled / f"icons/hicolor/{size}x{size}/apps/mcsvm.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert (int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")) == (size, size)


def test_the_validators_have_nothing_to_say(filled: Path) -> None:
    for words in (
        ("desktop-file-validate", str(filled / "applications/mcsvm.desktop")),
        ("appstreamcli", "validate", "--no-net", "--strict", str(filled / share.METAINFO)),
    ):
        answer = command(*words)
        assert answer.returncode == 0, answer.stdout + answer.stderr


# -- manual pages ---------------------------------------------------------------------------------


def printed(page: str) -> str:
    return page.replace("\\-", "-").replace("\\(ha", "^").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_stands_in_the_manual_with_every_option(name: str) -> None:
    page = printed(manual.pages()["mcsvm.1"])
    part = re.split(rf"^\.SS mcsvm {name} ?.*$", page, flags=re.MULTILINE)[1].partition("\n.SS ")[0]
    help_text = manual.subcommands(_parser())[name].format_help()
    for option in set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", help_text)) - {"-h", "--help"}:
        if re.search(rf"^  .*{option}\b", help_text, re.MULTILINE):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", part), option


@pytest.mark.parametrize("name", ["mcsvm.1", "mcsvm-gui.1"])
def test_the_manual_is_set_without_a_warning(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(manual.pages()[name], "utf-8")
    answer = command("groff", "-man", "-ww", "-Tutf8", "-z", str(tmp_path / name))
    assert (answer.returncode, answer.stderr) == (0, "")
