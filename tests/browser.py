"""Chromium without a screen, told what to do by its own driver in the words of W3C WebDriver; standard library only."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from time import monotonic, sleep
from typing import Any

DRIVER, CHROMIUM = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("chromium-browser")
IS_HERE = bool(DRIVER and CHROMIUM)
PATIENCE = 60.0  # seconds
ALONE = (  # as root, and without a word to anyone outside
    *("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "disable-quic", "no-first-run"),
    *("disable-background-networking", "disable-component-update", "disable-sync"),
    *("window-size=1280,900", "host-resolver-rules=MAP * ~NOTFOUND"),
)


class Browser:
    def __init__(self, port: int, profile: str) -> None:
        self.port, self.session = port, ""
        options = {"binary": CHROMIUM, "args": [*ALONE, f"user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = self.ask("POST", "", capabilities={"alwaysMatch": wanted})["sessionId"]

    def ask(self, method: str, path: str, **values: Any) -> Any:
        place = f"/session/{self.session}{path}" if self.session else "/session"
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, place, json.dumps(values) if method == "POST" else None)
            answer = json.loads(connection.getresponse().read())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(answer["message"])
        return answer

    def open(self, address: str) -> None:
        self.ask("POST", "/url", url=address)

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of the last `return` of the script."""
        return self.ask("POST", "/execute/sync", script=script, args=list(arguments))

    def prefer(self, scheme: str) -> None:
        """What pages hear of the system's theme: light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        told = {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}}
        self.ask("POST", "/goog/cdp/execute", **told)

    def errors(self) -> list[str]:
        """In the console since it was asked last."""
        return [line["message"] for line in self.ask("POST", "/se/log", type="browser") if line["level"] == "SEVERE"]

    def picture(self) -> bytes:
        return base64.b64decode(self.ask("GET", "/screenshot"))


def until(look: Callable[[], Any], what: str) -> Any:
    end = monotonic() + PATIENCE
    while not (found := look()):
        assert monotonic() < end, f"there never was {what}"
        sleep(0.05)
    return found


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    assert DRIVER is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert driver.stdout is not None
        try:
            port = next(
                int(found[1]) for line in driver.stdout if (found := re.search(r"on port (\d+)\.$", line.strip()))
            )
            one = Browser(port, profile)
            yield one
            one.ask("DELETE", "")
        finally:
            driver.terminate()
            driver.communicate()
