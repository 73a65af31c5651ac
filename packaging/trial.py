"""A package under trial: where it is installed, its window on a screen, the project it leaves."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import apt_repository
from changes import ROOT
from clean_root import USERS, Root, Trouble
from screen import Screen, until

ADA, BEN = USERS
DATA = ROOT / "resources" / "datasets"
PATIENCE = 180.0


class Product:
    """A package inside a clean root, and what the checks leave to each other."""

    def __init__(self, package: Path, work: Path, suite: str = "") -> None:
        self.package, self.work = package, work
        self.root = Root(work, suite)
        self.before = self.root.files()
        self.vowel = self.root.give(DATA / "vowel_train.csv", ADA)
        self.wine = self.root.give(DATA / "wine.csv", BEN)

    def install(self, package: Path) -> None:
        """From a repository that has this package too: apt takes the newest it finds there, also over an older one."""
        repository = self.root.folder / "tmp" / "repository"
        source = self.root.folder / "etc/apt/sources.list.d/mcsvm.list"
        apt_repository.write(repository, [package])
        source.write_text("deb [trusted=yes] file:/tmp/repository ./\n", "utf-8")
        self.root.apt("update")
        self.root.apt("install", "--yes", "--no-install-recommends", "mcsvm")
        source.unlink()
        shutil.rmtree(repository / "pool")  # 170 MB; what apt has installed, the next index need not name

    def version(self) -> str:
        return self.root.run("root", "dpkg-query", "-W", "-f", "${Version}", "mcsvm").strip()

    def window_words(self, file: str) -> list[str]:
        """As the desktop starts it for a double-clicked file: by the entry's own line."""
        entry = (self.root.folder / "usr/share/applications/mcsvm.desktop").read_text("utf-8")
        line = re.search(r"^Exec=(.+)$", entry, re.MULTILINE)
        assert line is not None
        return [word if word != "%f" else file for word in line[1].split() if word != "%f" or file]


class Window:
    """The program on a screen, until it is told to end."""

    def __init__(
        self, product: Product, on: Screen, user: str, file: str, title: str, before: tuple[str, ...] = ()
    ) -> None:
        words = product.root.words(user, *product.window_words(file), DISPLAY=on.display)
        self.product, self.screen, self.user = product, on, user
        self.process = subprocess.Popen([*before, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.seconds = until(lambda: on.window(title) or self._ended(), f"a window called {title}", PATIENCE)
        self.number = on.window(title)

    def _ended(self) -> bool:
        if self.process.poll() is not None:
            assert self.process.stdout is not None
            raise Trouble(f"the window ended at once: {self.process.stdout.read()[-300:]}")
        return False

    def press(self, keys: str) -> None:
        self.screen.press(self.number, keys)

    def close(self) -> None:
        """By its own key, as users do; whatever it said on the way is an error."""
        self.press("ctrl+q")
        said, _ = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode != 0 or said.strip():
            raise Trouble(f"the window ended with {self.process.returncode} and said: {said[-300:]}")


def project_of(product: Product, user: str) -> Path:
    return product.root.home(user) / ".local/share/mcsvm/unnamed.mcsvmproj"


def runs(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """State and document of every run, read from a copy: the file itself belongs to the window."""
    with tempfile.TemporaryDirectory() as folder:
        for part in path.parent.glob(path.name + "*"):
            shutil.copy(part, folder)
        try:
            with sqlite3.connect(Path(folder, path.name)) as database:
                rows = database.execute("SELECT state, document FROM runs WHERE NOT deleted ORDER BY id").fetchall()
        except sqlite3.OperationalError:  # not written yet
            return []
    return [(state, json.loads(document or "{}")) for state, document in rows]


def solved(path: Path, count: int) -> bool:
    found = runs(path) if path.exists() else []
    return len(found) >= count and all(state == "done" and told["ending"] == "converged" for state, told in found)
