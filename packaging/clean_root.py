"""A Debian with nothing on it, to install into: debootstrap once, then a layer over it for every trial.

Needs the rights of root. Mounts live in a namespace of their own and end with the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

CLONE_NEWNS = 0x20000
USERS = "ada", "ben"
PASSED_ON = "http_proxy", "https_proxy", "no_proxy"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BUSY = re.compile(r"^(proc|sys|dev|tmp|run|home|root)(/|$)")
# What apt and dpkg themselves keep of every installation, and what is made of all packages together.
KEPT = re.compile(
    r"^var/(lib/(dpkg|apt)|cache|log|lib/systemd|lib/ucf)(/|$)|^etc/ld\.so\.cache$|^usr/share/(info/dir|mime)$"
)


class Trouble(Exception):
    """What went wrong, as one sentence."""


def private_mounts() -> None:
    """What this process mounts from now on, nobody else sees."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWNS) != 0:
        raise Trouble(f"a mount namespace is refused: {os.strerror(ctypes.get_errno())}")
    call("mount", "--make-rprivate", "/")


def call(*words: object, timeout: float = 900, **options: object) -> str:
    answer = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout, **options)  # type: ignore[call-overload]
    if answer.returncode != 0:
        told = (answer.stderr or answer.stdout).strip().splitlines()[-3:]
        raise Trouble(f"{' '.join(str(word) for word in words[:6])}: exit {answer.returncode}: {' '.join(told)}")
    return str(answer.stdout)


def mirror(sources: Path = Path("/etc/apt")) -> tuple[str, str]:
    """Address and name of the distribution this machine installs from."""
    for path in [sources / "sources.list", *sorted((sources / "sources.list.d").glob("*"))]:
        text = path.read_text("utf-8", "replace") if path.is_file() else ""
        old = re.search(r"^deb\s+(?:\[[^]]*\]\s+)?(\S*debian/?)\s+(\w+)\s", text, re.MULTILINE)
        new = re.search(r"^URIs:\s*(\S*debian/?)\s*\nSuites:\s*(\w+)", text, re.MULTILINE)
        if found := old or new:
            return found[1], found[2]
    raise Trouble(f"no Debian is named in {sources}")


def base(folder: Path, suite: str = "") -> Path:
    """Made once, with two users; a folder left half done is made anew. `suite`: another than this machine has."""
    name = f"base-{suite}" if suite else "base"
    done = folder / f"{name}.done"
    if not done.exists():
        shutil.rmtree(folder / name, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        address, here = mirror()
        call("debootstrap", "--variant=minbase", suite or here, folder / name, address, timeout=1800)
        for user in USERS:
            call("chroot", folder / name, "useradd", "--create-home", "--shell", "/bin/bash", user)
        done.touch()
    return folder / name


class Root:
    """A layer over the base, thrown away with the process."""

    def __init__(self, folder: Path, suite: str = "") -> None:
        self.folder = folder / "trial"
        lower, layers = base(folder, suite), folder / "layers"
        shutil.rmtree(layers, ignore_errors=True)
        for place in (self.folder, layers):
            place.mkdir(parents=True, exist_ok=True)
        call("mount", "-t", "tmpfs", "-o", "size=8g", "tmpfs", layers)
        for name in ("upper", "work"):
            (layers / name).mkdir()
        options = f"lowerdir={lower},upperdir={layers / 'upper'},workdir={layers / 'work'}"
        call("mount", "-t", "overlay", "-o", options, "overlay", self.folder)
        for kind, name in (("proc", "proc"), ("tmpfs", "tmp"), ("tmpfs", "dev/shm"), ("tmpfs", "run")):
            (self.folder / name).mkdir(exist_ok=True)
            call("mount", "-t", kind, kind, self.folder / name)
        (self.folder / "tmp").chmod(0o1777)
        shutil.copy("/etc/resolv.conf", self.folder / "etc/resolv.conf")
        self.apt("update")

    # -- programs in it ---------------------------------------------------------------------------

    def words(self, user: str, *words: object, network: bool = False, **environment: str) -> list[str]:
        """A command of the outside that runs `words` inside, as `user`, with nothing of our environment."""
        home = "/root" if user == "root" else f"/home/{user}"
        settings = {"HOME": home, "USER": user, "PATH": PATH, "LANG": "C.UTF-8", **environment}
        if network:
            settings |= {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        told = [f"{name}={value}" for name, value in settings.items()]
        apart = [] if network else ["unshare", "--net"]
        inside = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs"]
        inside = [] if user == "root" else inside
        return [*apart, "chroot", str(self.folder), *inside, "env", "-i", "-C", home, *told, *map(str, words)]

    def run(self, user: str, *words: object, timeout: float = 600, **environment: str) -> str:
        return call(*self.words(user, *words, **environment), timeout=timeout)

    def apt(self, *words: object) -> str:
        settings = {"DEBIAN_FRONTEND": "noninteractive"}
        quiet = ("-qq", "-o", "Dpkg::Use-Pty=0", "-o", "APT::Sandbox::User=root")
        return call(*self.words("root", "apt-get", *quiet, *words, network=True, **settings), timeout=1800)

    # -- files in it ------------------------------------------------------------------------------

    def home(self, user: str) -> Path:
        return self.folder / "home" / user

    def give(self, source: Path, user: str, name: str = "") -> str:
        """A copy in the user's home, under the path it has inside."""
        target = self.home(user) / (name or source.name)
        shutil.copy(source, target)
        shutil.chown(target, *2 * (self.home(user).stat().st_uid,))
        return f"/home/{user}/{target.name}"

    def files(self) -> set[str]:
        """All but what belongs to users, to the running system and to the package manager itself."""
        found = set()
        for place, folders, names in os.walk(self.folder):
            inside = os.path.relpath(place, self.folder)
            here = "" if inside == "." else f"{inside}/"
            folders[:] = [name for name in folders if not BUSY.match(here + name) and not KEPT.match(here + name)]
            found.update(here + name for name in (*folders, *names) if not KEPT.match(here + name))
        return found

    @contextlib.contextmanager
    def read_only(self) -> Iterator[None]:
        """All but homes and /tmp."""
        call("mount", "--bind", self.folder / "home", self.folder / "home")
        call("mount", "-o", "remount,bind,ro", self.folder)  # this mount alone: homes lie in the same layer
        try:
            yield
        finally:
            call("mount", "-o", "remount,bind,rw", self.folder)
            call("umount", "--lazy", self.folder / "home")


def missing_tools(names: Sequence[str]) -> list[str]:
    return [name for name in names if shutil.which(name) is None]


def is_possible() -> str:
    """Why not, or nothing."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "a clean root needs Linux and the rights of root"
    missing = missing_tools(["debootstrap", "chroot", "unshare", "setpriv", "mount"])
    return f"missing: {', '.join(missing)}" if missing else ""
