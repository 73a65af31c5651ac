"""What a person waits for: python packaging/measure.py FOLDER, where FOLDER has the program (default: the bundle).

Seconds from start to a visible window, cold (a fresh home, and the program's files out of memory) and warm; from the
beginning of a training to its first sample, and from the start of the program, in a fresh home for each machine; what
was compiled; whether a copy at another place compiles anything; whether the installation stayed as it was.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import sizes
from changes import ROOT

sys.path.insert(0, str(ROOT))

from mcsvm_gui.core.machine.names import MACHINES

DATA = ROOT / "resources" / "datasets" / "vowel_train.csv"
WARM_STARTS = 3
PATIENCE = 120.0


def main(folder: Path) -> None:
    before = state(folder)
    print(sizes.table(folder))
    if shutil.which("Xvfb") and shutil.which("xdotool"):
        starts(folder)
    samples(folder)
    elsewhere(folder)
    print("installation as it was:", "yes" if state(folder) == before else "NO, something was written")


# -- the window -----------------------------------------------------------------------------------


def starts(folder: Path) -> None:
    with screen() as display, fresh_home() as home:
        forget(folder)
        cold = seconds_to_window(folder, home, display)
        warm = min(seconds_to_window(folder, home, display) for _ in range(WARM_STARTS))
    print(f"window: cold and first {cold:.2f} s, warm {warm:.2f} s, ratio {cold / warm:.2f}")


def forget(folder: Path) -> None:
    """The system reads these files from the disk again."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def seconds_to_window(folder: Path, home: dict[str, str], display: str) -> float:
    begun = time.monotonic()
    words = [folder / "mcsvm-gui"]
    process = subprocess.Popen(words, env=home | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}, start_new_session=True)
    try:
        while not has_window(display):
            if process.poll() is not None or time.monotonic() - begun > PATIENCE:
                raise RuntimeError("no window came")
            time.sleep(0.02)
        return time.monotonic() - begun
    finally:
        process.terminate()
        process.wait(PATIENCE)


def has_window(display: str) -> bool:
    words = ["xdotool", "search", "--onlyvisible", "--name", "mcsvm"]
    return bool(subprocess.run(words, env=os.environ | {"DISPLAY": display}, capture_output=True).stdout)


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """Xvfb chooses a free number and tells it."""
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL)
    try:
        yield f":{os.read(reading, 16).decode().strip()}"
    finally:
        server.terminate()
        server.wait()


# -- the first sample -----------------------------------------------------------------------------


def samples(folder: Path) -> None:
    for machine in MACHINES:
        with fresh_home() as home:
            started, first, compiled = train(folder, machine, home)
            print(
                f"{machine}: first sample {first - started:.2f} s after the training began,"
                f" {first:.2f} s after the program's start; functions compiled: {compiled}"
            )


def elsewhere(folder: Path) -> None:
    """A copy at another place finds compiled code by what it is, not by where it lies."""
    with fresh_home() as home, tempfile.TemporaryDirectory(dir=folder.parent) as other:
        copy = Path(other) / "elsewhere"
        shutil.copytree(folder, copy, symlinks=True, copy_function=os.link)
        compiled = [train(place, "ww", home)[2] for place in (folder, copy)]
        print("functions compiled at one place, then at another:", *compiled)


def train(folder: Path, machine: str, home: dict[str, str]) -> tuple[float, float, int]:
    """Seconds to the words before a training and to its first numbers; and what was compiled."""
    begun = time.monotonic()
    words = [folder / "mcsvm", "train", DATA, "--machine", machine, "--C", "2^2", "--gamma", "1"]
    seen = [moment - begun for moment in progress(words, home)]
    if len(seen) < 2:
        raise RuntimeError(f"{machine}: no progress was shown")
    return seen[0], seen[1], len(list(Path(home["HOME"]).rglob("*.nbc")))


def progress(words: list[str | Path], home: dict[str, str]) -> list[float]:
    """When the line of progress was written, as a terminal sees it."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, env=home, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = []
    with contextlib.suppress(OSError):  # which a terminal raises once nobody writes to it
        while select.select([ours], [], [], PATIENCE)[0] and os.read(ours, 65536):
            seen.append(time.monotonic())
    os.close(ours)
    if process.wait(PATIENCE) != 0:
        raise RuntimeError(f"{words}: failed")
    return seen


@contextlib.contextmanager
def fresh_home() -> Iterator[dict[str, str]]:
    """An environment with a home that nothing was ever written to."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    with tempfile.TemporaryDirectory() as home:
        yield kept | {"HOME": home, "XDG_RUNTIME_DIR": home}


def state(folder: Path) -> dict[str, tuple[int, int]]:
    found = ((path, path.lstat()) for path in folder.rglob("*"))
    return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in found}


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "bundle" / "mcsvm")
