"""Sets up all that mcsvm needs, then starts it (`run`) or checks it (`test`).

Standard library only, and no newer syntax than Python 3.6 knows: an old interpreter must get far enough to say so.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SYSTEM_PACKAGES = Path(__file__).resolve().with_name("system_packages.txt")
VERSIONS = ((3, 11), (3, 12), (3, 13), (3, 14))
EXTRAS = {"run": ["gui", "report"], "test": ["test"]}
USAGE = """usage: python3 packaging/bootstrap.py run         start mcsvm
       python3 packaging/bootstrap.py test [...]  check it; what follows goes to pytest"""
APT_SECONDS = "600"
NO_NETWORK = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "getaddrinfo")

# Both lie in the virtual environment. The lock also marks the folder as ours, so that no other folder is ever emptied.
LOCK, STAMP, LOG = "mcsvm-bootstrap.lock", "mcsvm-bootstrap.json", "mcsvm-bootstrap.log"


class Trouble(Exception):
    """What went wrong and what to do, as one sentence for the user."""


def main(arguments):
    if not arguments or arguments[0] not in EXTRAS:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        return start(arguments[0], arguments[1:])
    except (Trouble, OSError) as trouble:
        print(f"error: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def start(command, arguments):
    require_version(sys.version_info[:2], command)
    supply_system_packages()
    folder = prepare(EXTRAS[command])
    return run(folder, arguments) if command == "run" else test(folder, arguments)


def say(sentence):
    print(f"mcsvm: {sentence}", flush=True)


# The interpreter


def require_version(version, command):
    if version in VERSIONS:
        return
    sentence = "mcsvm needs Python 3.11, 3.12, 3.13 or 3.14, and this is Python {}.{}".format(*version)
    other = suitable_python()
    advice = f"use: {other} packaging/bootstrap.py {command}" if other else "install one of them"
    raise Trouble(f"{sentence}; {advice}")


def suitable_python():
    names = ["python{}.{}".format(*version) for version in reversed(VERSIONS)]
    return next((name for name in names if shutil.which(name) and succeeds([name, "--version"])), None)


def succeeds(command):
    """Without a word on the screen."""
    quiet = subprocess.DEVNULL
    try:
        return subprocess.call(command, stdin=quiet, stdout=quiet, stderr=quiet) == 0
    except OSError:
        return False


# System packages of Debian and Ubuntu


def supply_system_packages():
    missing = missing_packages()
    if not missing:
        return
    rights = apt_rights()
    if rights is not None:
        say(f"installing system packages: {' '.join(missing)}")
        apt_install(rights, missing)
        missing = missing_packages()
    if missing:
        say(missing_sentence(missing))


def missing_packages():
    if not (os.path.exists("/etc/debian_version") and shutil.which("dpkg-query") and shutil.which("apt-get")):
        return []
    form = "${db:Status-Status} ${Package} ${Provides}\n"
    database = subprocess.run(["dpkg-query", "-W", "-f", form], stdout=subprocess.PIPE, universal_newlines=True).stdout
    return lacking(wanted_packages(SYSTEM_PACKAGES.read_text("utf-8")), installed_packages(database))


def wanted_packages(listing):
    words = [line.split() for line in listing.splitlines() if line.strip() and not line.startswith("#")]
    venv = [] if has_venv() else ["python{}.{}-venv".format(*sys.version_info)]
    return [line[0] for line in words] + venv


def has_venv():
    """Debian's Python lacks ensurepip until its python3-venv is installed."""
    return all(importlib.util.find_spec(module) for module in ("venv", "ensurepip"))


def installed_packages(database):
    """Names installed or provided: Debian 13 provides libglib2.0-0 by libglib2.0-0t64."""
    lines = [line.partition(" ") for line in database.splitlines()]
    names = " ".join(rest for status, _, rest in lines if status == "installed")
    return set(re.sub(r"\([^)]*\)", "", names).replace(",", " ").split())


def lacking(wanted, installed):
    return [name for name in wanted if name not in installed]


def missing_sentence(missing):
    install = f"apt-get install --no-install-recommends {' '.join(missing)}"
    return f"some system packages are missing and may be needed; as an administrator: {install}"


def apt_rights():
    """What to put before apt-get, or None where it may not be used."""
    if os.geteuid() == 0:
        return []
    may = shutil.which("sudo") and succeeds(["sudo", "-n", "true"])
    return ["sudo", "-n"] if may else None


def apt_install(rights, packages):
    """Whether it worked is seen by looking again."""
    apt = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", "timeout", "--foreground", APT_SECONDS, "apt-get", "-qq"]
    succeeds([*apt, "update"])
    succeeds([*apt, "install", "--yes", "--no-install-recommends", *packages])


# The virtual environment


def prepare(extras):
    """The environment's folder, with everything in it; at once where nothing has changed."""
    folder = choose_folder(CHECKOUT)
    wanted = fingerprint(CHECKOUT, folder, sys.version_info[:2], extras)
    if not is_ready(folder, wanted):
        with alone(folder):
            if not is_ready(folder, wanted):
                build(folder, wanted)
    return folder


def choose_folder(checkout):
    beside, inside = checkout.with_name(checkout.name + "-venv"), checkout / ".venv"
    for folder in (beside, inside):
        if is_usable(folder):
            return folder
    raise Trouble(f"neither {beside} nor {inside} can be used for the virtual environment; make one of them writable")


def is_usable(folder):
    """Ours already, or ours to take: new or empty, and writable."""
    try:
        folder.mkdir(exist_ok=True)
        if not (folder / LOCK).exists() and any(folder.iterdir()):
            return False
        (folder / LOCK).touch()
        return os.access(str(folder), os.W_OK)
    except OSError:
        return False


def fingerprint(checkout, folder, version, extras):
    """Another place needs a new environment; another project file or extra only another installation."""
    place = repr((str(checkout), str(folder), tuple(version)))
    project = (checkout / "pyproject.toml").read_bytes()
    return {"place": digest(place.encode()), "project": digest(project), "extras": sorted(extras)}


def digest(content):
    return hashlib.sha256(content).hexdigest()


def is_ready(folder, wanted):
    stamp = read_stamp(folder)
    return is_satisfied(stamp, wanted) and is_alive(folder)


def is_satisfied(stamp, wanted):
    same = all(stamp.get(key) == wanted[key] for key in ("place", "project"))
    return same and set(wanted["extras"]) <= set(stamp["extras"])


def is_alive(folder):
    return succeeds([python_of(folder), "-I", "-c", "import importlib.metadata as m; m.version('mcsvm')"])


def read_stamp(folder):
    try:
        stamp = json.loads((folder / STAMP).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) and isinstance(stamp.get("extras"), list) else {}


def build(folder, wanted):
    """The stamp goes first and comes last: what lies between may be interrupted anywhere."""
    if not has_venv():
        raise Trouble("this Python has no venv module; on Debian and Ubuntu the package python3-venv brings it")
    stamp = read_stamp(folder)
    with contextlib.suppress(FileNotFoundError):
        (folder / STAMP).unlink()
    say(f"setting up {folder}; the first time this takes a few minutes")
    if stamp.get("place") != wanted["place"] or not is_alive(folder):
        stamp = {}
        create(folder)
    extras = sorted({*wanted["extras"], *stamp.get("extras", [])})
    install(folder, extras)
    (folder / STAMP).write_text(json.dumps(dict(wanted, extras=extras)), "utf-8")


def create(folder):
    empty(folder)
    with (folder / LOG).open("w", encoding="utf-8") as log:
        status = subprocess.call([sys.executable, "-m", "venv", str(folder)], stdout=log, stderr=subprocess.STDOUT)
    if status:
        raise Trouble(f"the virtual environment could not be made; Python's words are in {folder / LOG}")


def empty(folder):
    for item in folder.iterdir():
        if item.is_dir() and not item.is_symlink():
            shutil.rmtree(str(item))
        elif item.name != LOCK:
            item.unlink()


def install(folder, extras):
    target = f".[{','.join(extras)}]" if extras else "."
    pip = [python_of(folder), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--editable", target]
    with (folder / LOG).open("w", encoding="utf-8") as log:
        status = subprocess.call(pip, cwd=str(CHECKOUT), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    if status:
        raise Trouble(install_sentence((folder / LOG).read_text("utf-8", "replace"), folder / LOG))


def install_sentence(words, log):
    if any(sign in words for sign in NO_NETWORK):
        return f"pip could not reach a package index; check the network and try again (pip's words are in {log})"
    reasons = re.findall(r"^\s*(?:ERROR|\w+Error): (.+)$", words, re.MULTILINE) or ["no reason given"]
    return f"pip could not install what mcsvm needs: {reasons[-1]} (all its words are in {log})"


def python_of(folder):
    return str(folder / "Scripts" / "python.exe" if os.name == "nt" else folder / "bin" / "python")


@contextlib.contextmanager
def alone(folder):
    """Two set-ups at once would empty the folder under each other."""
    with (folder / LOCK).open("a") as handle:
        hold(handle)
        yield


def hold(handle):
    if os.name == "nt":
        import msvcrt

        return msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("waiting for another set-up to finish")
        fcntl.flock(handle, fcntl.LOCK_EX)


# The commands


def run(folder, arguments):
    command = [python_of(folder), "-P", "-m", "mcsvm_gui", *arguments]
    if os.name == "nt":
        return subprocess.call(command)
    return os.execv(command[0], command)


def test(folder, arguments):
    """All checks, whatever the earlier ones say; pytest last, so that its closing line closes."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    keep_bytecode(folder)
    failed = [name for name, command in checks(folder, arguments) if not passes(name, command)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def keep_bytecode(folder):
    """In the virtual environment: two workers and many small programs would each compile every module anew."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")


def checks(folder, arguments):
    python = python_of(folder)
    contracts = "from importlinter.cli import lint_imports_command as check; check(['--no-cache'])"
    return [
        ("ruff check", [python, "-m", "ruff", "check", "."]),
        ("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        ("mypy", [python, "-m", "mypy"]),
        ("import contracts", [python, "-c", contracts]),
        ("pytest", [python, "-m", "pytest", *in_parallel(arguments), *arguments]),
    ]


def in_parallel(arguments):
    """Two workers where there are two processors, unless the caller says how many."""
    said = any(argument.startswith(("-n", "--numprocesses")) for argument in arguments)
    return [] if said or (os.cpu_count() or 1) < 2 else ["-n", "2", "--dist", "worksteal"]


def passes(name, command):
    say(name)
    return subprocess.call(command, cwd=str(CHECKOUT)) == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
