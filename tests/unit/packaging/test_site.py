"""The documentation site: every block of its tutorials runs, and its pages link to one another and to nothing else."""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from command_line import ROOT, SHARED, mcsvm
from copies import import_path

SITE = ROOT / "packaging" / "site"
TUTORIALS = sorted((SITE / "tutorials").glob("*.md"))
OTHERS = [ROOT / "README.md", ROOT / "resources" / "guide" / "en.md"]
BLOCK = re.compile(r"(?m)^(?P<large><!-- large -->\n)?```(?P<kind>python|console|)\n(?P<text>.*?)^```$", re.DOTALL)
OPTIONAL = {"--to onnx": "onnx"}  # a command, and what it needs that may be missing
PORT = "8786"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder beside the samples, as in a checkout; and in it, as the guide has them."""
    samples = ROOT / "resources" / "datasets"
    shutil.copytree(samples, tmp_path / "resources" / "datasets")
    for path in samples.glob("*.csv"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def background() -> Iterator[Callable[[str], None]]:
    """Starts a program that runs until the test is over."""
    started: list[subprocess.Popen[bytes]] = []

    def start(line: str) -> None:
        words = [sys.executable, "-m", *shlex.split(line), "--no-dashboard"]
        started.append(
            subprocess.Popen(words, env={**os.environ, "PYTHONPATH": import_path()}, stderr=subprocess.DEVNULL)
        )

    yield start
    for process in reversed(started):
        process.terminate()
        process.wait(60)


def free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def commands(kind: str, text: str) -> list[str]:
    """Lines of a block for a terminal; a plain block may also be a map, or start the program."""
    lines = text.splitlines()
    if kind == "console":
        assert all(line.startswith(("$ mcsvm ", "$ dask ")) for line in lines), text
        return [line.removeprefix("$ ") for line in lines]
    return [line for line in lines if line.startswith("mcsvm ")]


def can_run(line: str) -> bool:
    return all(sign not in line or find_spec(module) for sign, module in OPTIONAL.items())


def wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, timeout=60) as client:
        client.wait_for_workers(count, timeout=60)


def run_block(kind: str, text: str, names: dict[str, Any], start: Callable[[str], None], port: str) -> int:
    """How many commands, or one for Python."""
    if kind == "python":
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "tutorial", "exec"), names)
        return 1
    lines = [line for line in commands(kind, text) if can_run(line)]
    for line in lines:
        given = line.replace("DATA", str(SHARED / "data")).replace(PORT, port)
        if given.startswith("dask "):
            start(given)
            continue
        if "--scheduler" in given:
            wait_for_workers(f"tcp://127.0.0.1:{port}", 2)
        answer = mcsvm(*shlex.split(given.removeprefix("mcsvm ")))
        assert answer.code == 0, (line, answer.err)
    return len(lines)


@pytest.mark.slow
@pytest.mark.parametrize("path", [*TUTORIALS, *OTHERS], ids=lambda path: path.stem)
def test_blocks_run(path: Path, folder: Path, background: Callable[[str], None]) -> None:
    text = path.read_text("utf-8")
    names: dict[str, Any] = {"__name__": "tutorial"}
    port = free_port()
    blocks = [block for block in BLOCK.finditer(text) if not block["large"]]
    assert sum(run_block(block["kind"], block["text"], names, background, port) for block in blocks)


@pytest.mark.large
@pytest.mark.timeout(0)
@pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="needs the data sets beside the checkout")
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_large_blocks_run(path: Path, folder: Path, background: Callable[[str], None]) -> None:
    for block in BLOCK.finditer(path.read_text("utf-8")):
        if block["large"]:
            run_block(block["kind"], block["text"], {}, background, PORT)


def test_every_tutorial_is_listed() -> None:
    titles = runpy.run_path(str(SITE / "build.py"))["TUTORIALS"]
    assert set(titles) == {path.stem for path in TUTORIALS}
    for name, title in titles.items():
        assert (SITE / "tutorials" / f"{name}.md").read_text("utf-8").startswith(f"# {title}\n")


def test_links_between_pages_lead_somewhere(tmp_path: Path) -> None:
    """Also where sphinx, which ends the build at such a link, is not installed."""
    runpy.run_path(str(SITE / "build.py"))["assemble"](tmp_path)
    links = [
        (page, link)
        for page in (tmp_path / "pages").rglob("*.md")
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))
        if "://" not in link
    ]
    assert len(links) > 10
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


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


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_site_stands_alone(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        links = Links(page.read_text("utf-8"))
        assert not [one for one in links.loaded if re.match(r"(https?:)?//", one)], page
        for one in [*links.local, *filter(None, links.loaded)]:
            assert (page.parent / one.partition("?")[0]).exists(), (page, one)
