"""A Dask cluster on this machine, of processes that can be killed one by one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from copies import import_path

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60.0  # seconds, for a process to be there
LONELY = 120  # seconds after which a process ends that tests could not end, as they were killed


class DaskCluster:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._scheduler_file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start(
            *("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._scheduler_file),
            *("--idle-timeout", f"{LONELY} s"),
        )

    @property
    def address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return str(json.loads(self._scheduler_file.read_text())["address"])
            except (FileNotFoundError, ValueError):
                assert time.monotonic() < deadline, "no scheduler"
                time.sleep(0.05)

    def add_worker(self) -> subprocess.Popen[bytes]:
        place = self._folder / f"worker-{len(self.workers)}"
        options = (
            "--host",
            "127.0.0.1",
            "--nthreads",
            "1",
            "--no-nanny",
            "--death-timeout",
            LONELY,
            "--local-directory",
            place,
        )
        self.workers.append(self._start("worker", self.address, *options))
        return self.workers[-1]

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, what: str, *options: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", what, "--no-dashboard", *map(str, options)]
        environment = {**os.environ, "PYTHONPATH": import_path()}
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, env=environment)
