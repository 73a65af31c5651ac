"""What strace saw a program write, and whom it called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

CALLS = "trace=open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,connect"
LINE = re.compile(r"(?:^|\s)(?P<call>\w+)\((?P<given>.*)\)\s+=\s+(?P<answer>-?\d+)")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
NETWORK = re.compile(r"sa_family=AF_INET6?\b")
# Devices and what the system hands out for talking between processes: no files.
NO_FILES = re.compile(r"^/dev/(null|tty|zero|urandom|dri/|shm/)|^/proc/|^/sys/")


def lines(log: Path) -> Iterator[re.Match[str]]:
    """Calls that succeeded, and those that tried the network."""
    for line in log.read_text("utf-8", "replace").splitlines():
        found = LINE.search(line)
        if found is not None:
            yield found


def written(log: Path) -> set[str]:
    return {path for found in lines(log) if int(found["answer"]) >= 0 for path in _written(found)}


def _written(found: re.Match[str]) -> Iterator[str]:
    call, paths = found["call"], TEXT.findall(found["given"])
    if call == "connect" or (call in ("open", "openat") and not WRITING.search(found["given"])):
        return
    yield from (path for path in paths[-1:] if not NO_FILES.match(path))


def called(log: Path) -> set[str]:
    """Addresses, whether they answered or not."""
    return {found["given"] for found in lines(log) if found["call"] == "connect" and NETWORK.search(found["given"])}


def outside(paths: Iterable[str], folders: Iterable[str]) -> set[str]:
    """Paths in none of the folders, and no part of the way to one."""
    folders = list(folders)
    return {
        path
        for path in paths
        if not any(
            path == folder or path.startswith(f"{folder}/") or folder.startswith(f"{path}/") for folder in folders
        )
    }
