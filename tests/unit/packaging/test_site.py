"""The documentation site: every block of its tutorials runs, and its pages link to one another and to nothing else."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, SHARED, mcsvm

SITE = ROOT / "packaging" / "site"
TUTORIALS = sorted((SITE / "tutorials").glob("*.md"))
BLOCK = re.compile(r"(?m)^(?P<large><!-- large -->\n)?```(?P<kind>python|console)\n(?P<text>.*?)^```$", re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder beside the samples, as in a checkout."""
    (tmp_path / "resources").mkdir()
    shutil.copytree(ROOT / "resources" / "datasets", tmp_path / "resources" / "datasets")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_block(kind: str, text: str, names: dict[str, Any]) -> None:
    if kind == "python":
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "tutorial", "exec"), names)
        return
    for line in text.splitlines():
        assert line.startswith("$ mcsvm "), line
        answer = mcsvm(*shlex.split(line.removeprefix("$ mcsvm ").replace("DATA", str(SHARED / "data"))))
        assert answer.code == 0, (line, answer.err)


@pytest.mark.slow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_blocks_run(path: Path, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "tutorial"}
    blocks = list(BLOCK.finditer(path.read_text("utf-8")))
    assert blocks
    for block in blocks:
        if not block["large"]:
            run_block(block["kind"], block["text"], names)


@pytest.mark.large
@pytest.mark.timeout(0)
@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="needs the data sets beside the checkout")
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_large_blocks_run(path: Path, folder: Path) -> None:
    for block in BLOCK.finditer(path.read_text("utf-8")):
        if block["large"]:
            run_block(block["kind"], block["text"], {})


def test_every_tutorial_is_listed() -> None:
    titles = runpy.run_path(str(SITE / "build.py"))["TUTORIALS"]
    assert set(titles) == {path.stem for path in TUTORIALS}
    for name, title in titles.items():
        assert (SITE / "tutorials" / f"{name}.md").read_text("utf-8").startswith(f"# {title}\n")


class Links(HTMLParser):
    """What a page loads, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.local: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("script", "img"):
            self.loaded.append(given.get("src", ""))
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(given["href"])
        elif tag == "a" and not re.match(r"\w+:|#|$", given.get("href", "")):
            self.local.append(given["href"].partition("#")[0])


@pytest.mark.large
@pytest.mark.timeout(600)
def test_site_stands_alone(tmp_path: Path) -> None:
    for name in ("sphinx", "myst_parser", "numpydoc", "furo"):
        pytest.importorskip(name)
    built = tmp_path / "site"
    subprocess.run([sys.executable, str(SITE / "build.py"), str(built)], check=True, timeout=500)
    pages = list((built / "html").rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        links = Links(page.read_text("utf-8"))
        assert not [one for one in links.loaded if re.match(r"(https?:)?//", one)], page
        for one in [*links.local, *filter(None, links.loaded)]:
            assert (page.parent / one).exists(), (page, one)
