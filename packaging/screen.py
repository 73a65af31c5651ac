"""A virtual screen outside of the clean root, and hands on its keyboard."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from clean_root import Trouble, call

SOCKETS = Path("/tmp/.X11-unix")
TOOLS = "Xvfb", "xdotool", "strace"


class Screen:
    def __init__(self, number: int) -> None:
        self.display = f":{number}"

    def _xdotool(self, *words: object) -> str:
        return call("xdotool", *words, env={**os.environ, "DISPLAY": self.display}, timeout=60).strip()

    def window(self, user_title: str) -> str:
        """The number of a visible window whose title matches; nothing while there is none."""
        with contextlib.suppress(Trouble):
            return self._xdotool("search", "--onlyvisible", "--name", user_title).splitlines()[0]
        return ""

    def title(self, window: str) -> str:
        return self._xdotool("getwindowname", window)

    def press(self, window: str, keys: str) -> None:
        """A moment after the focus came: there is no window manager, and the program learns of it on its own."""
        self._xdotool("windowfocus", "--sync", window)
        time.sleep(0.5)
        self._xdotool("key", "--clearmodifiers", keys)

    def picture(self, path: Path) -> None:
        """Where ImageMagick is here to take it."""
        if shutil.which("import"):
            call("import", "-window", "root", path, env={**os.environ, "DISPLAY": self.display})


@contextlib.contextmanager
def shown(root: Path) -> Iterator[Screen]:
    """Its socket appears inside the root, so that programs without any network can draw on it.

    Without -noreset it begins anew whenever the last program goes, and refuses those that come meanwhile.
    """
    number = next(number for number in range(90, 200) if not (SOCKETS / f"X{number}").exists())
    quiet = subprocess.DEVNULL
    words = ["Xvfb", f":{number}", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-ac", "-noreset"]
    server = subprocess.Popen(words, stdout=quiet, stderr=quiet)
    inside = root / "tmp" / ".X11-unix"
    try:
        until(lambda: (SOCKETS / f"X{number}").exists(), "the virtual screen to start", 30)
        inside.mkdir(exist_ok=True)
        call("mount", "--bind", SOCKETS, inside)
        on = Screen(number)
        try:
            yield on
        except BaseException:
            on.picture(root.parent / "failed.png")
            raise
    finally:
        server.terminate()
        server.wait()
        with contextlib.suppress(Trouble):
            call("umount", inside)


def until(condition: Callable[[], object], what: str, seconds: float) -> float:
    """How long it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise Trouble(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.05)
    return time.monotonic() - begun
