"""The product, tried as its users will: a clean Debian, the package, and nothing of this tree.

    python packaging/smoke.py dist/mcsvm_1.2.3_amd64.deb [--suite trixie] [--work FOLDER] [--only NAME,...]

Needs the rights of root, debootstrap, Xvfb, xdotool and strace. One line per check, with the seconds it took;
the exit code is 1 if any failed. Programs run without any network but for apt's installations.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import screen
import traces
from changes import ROOT
from clean_root import USERS, Trouble, call, is_possible, missing_tools, private_mounts
from screen import until
from trial import ADA, BEN, DATA, PATIENCE, Product, Window, project_of, runs, solved

sys.path.insert(0, str(ROOT))

from mcsvm_gui.core.machine.names import MACHINES

FORMATS = "libsvm", "json", "c", "python", "pmml"
OWN = ".local/share", ".config", ".cache", ".local/state"  # the user's data, settings, cache, logs
OLD = "0.0.1"


# -- checks: each tries one thing, and says what was seen ------------------------------------------


def installs_older(product: Product) -> str:
    """The same package under a lower version, to be upgraded later."""
    folder = product.work / "older"
    shutil.rmtree(folder, ignore_errors=True)
    call("dpkg-deb", "-R", product.package, folder)
    control = folder / "DEBIAN" / "control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {OLD}", control.read_text("utf-8")), "utf-8")
    older = product.work / f"mcsvm_{OLD}.deb"
    call("dpkg-deb", "-Znone", "--root-owner-group", "-b", folder, older)
    shutil.rmtree(folder)
    product.install(older)
    older.unlink()
    return f"version {product.version()}, by apt with its dependencies"


def doctor(product: Product) -> str:
    found = json.loads(product.root.run(ADA, "mcsvm", "doctor", "--json"))
    if found["problems"] or found["missing_libraries"]:
        raise Trouble("; ".join(found["problems"]) or str(found["missing_libraries"]))
    return f"mcsvm {found['mcsvm']}, Python {found['python']['version']}, nothing missing"


def trains_six(product: Product) -> str:
    told = []
    for machine in MACHINES:
        model = f"/home/{ADA}/{machine}.mcsvm"
        words = ("mcsvm", "train", product.vowel, "--machine", machine, "--holdout", "0.3", "--json", "--model", model)
        found = json.loads(product.root.run(ADA, *words))
        if found["ending"] != "converged":
            raise Trouble(f"{machine}: {found['ending']}")
        told.append(f"{machine} {100 * found['test_accuracy']:.1f} %")
    return ", ".join(told)


def exports(product: Product) -> str:
    for form in FORMATS:
        product.root.run(ADA, "mcsvm", "export", f"/home/{ADA}/ww.mcsvm", "--to", form, "-o", f"/home/{ADA}/ww.{form}")
    rows = product.root.run(ADA, "mcsvm", "predict", f"/home/{ADA}/ww.mcsvm", product.vowel).count("\n")
    return f"{', '.join(FORMATS)}; {rows - 1} rows predicted"


def opens_offscreen(product: Product) -> str:
    """Without any screen; SIGTERM ends it."""
    words = product.root.words(ADA, "mcsvm-gui", product.vowel, QT_QPA_PLATFORM="offscreen")
    begun = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = until(lambda: project_of(product, ADA).exists() or begun.poll() is not None, "the project", PATIENCE)
    time.sleep(3)
    begun.send_signal(signal.SIGTERM)
    said, _ = begun.communicate(timeout=PATIENCE)
    if begun.returncode not in (0, 128 + signal.SIGTERM, -signal.SIGTERM) or "Traceback" in said:
        raise Trouble(f"exit {begun.returncode}: {said[-300:]}")
    return f"its project was there after {seconds:.1f} s"


def trains_in_the_window(product: Product) -> str:
    """Data by argument, Ctrl+T to train, the run read from the project."""
    with screen.shown(product.root.folder) as on:
        window = Window(product, on, ADA, product.vowel, "vowel_train.*mcsvm")
        before = len(runs(project_of(product, ADA)))
        window.press("ctrl+t")
        seconds = until(lambda: solved(project_of(product, ADA), before + 1), "a solved run", PATIENCE)
        window.press("ctrl+shift+t")
        until(lambda: solved(project_of(product, ADA), before + 7), "six more", PATIENCE)
        on.picture(product.work / "window.png")
        window.close()
    return f"window with data after {window.seconds:.1f} s, a certified run {seconds:.1f} s after Ctrl+T, then six more"


def opens_files(product: Product) -> str:
    """A model, a project, data with blanks in their names, as the desktop's entry does."""
    blank = product.root.give(DATA / "iris.csv", ADA, "my iris data.csv")
    project = product.root.give(project_of(product, ADA), ADA, "kept work.mcsvmproj")
    titles = {blank: "my iris data.*mcsvm", project: "kept work.*mcsvm", f"/home/{ADA}/ww.mcsvm": "mcsvm"}
    with screen.shown(product.root.folder) as on:
        for file, title in titles.items():
            Window(product, on, ADA, file, title).close()
    recent = (product.root.home(ADA) / ".config/mcsvm/settings.json").read_text("utf-8")
    if missing := [file for file in titles if Path(file).name not in recent]:
        raise Trouble(f"not among the recent files: {', '.join(missing)}")
    return "data, a model and a project"


def runs_read_only(product: Product) -> str:
    with product.root.read_only(), screen.shown(product.root.folder) as on:
        product.root.run(BEN, "mcsvm", "train", product.wine, "--quiet")
        window = Window(product, on, BEN, product.wine, "wine.*mcsvm")
        window.press("ctrl+t")
        until(lambda: solved(project_of(product, BEN), 1), "a solved run", PATIENCE)
        window.close()
    return "command line and window, nothing writable but homes and /tmp"


def two_at_once(product: Product) -> str:
    with screen.shown(product.root.folder) as on:
        files = {ADA: (product.vowel, "vowel_train"), BEN: (product.wine, "wine")}
        windows = [Window(product, on, user, file, f"{name}.*mcsvm") for user, (file, name) in files.items()]
        counts = [len(runs(project_of(product, user))) for user in USERS]
        for window in windows:
            window.press("ctrl+shift+t")
        for user, count in zip(USERS, counts, strict=True):
            until(
                lambda user=user, count=count: solved(project_of(product, user), count + 6), f"runs of {user}", PATIENCE
            )
        for window in windows:
            window.close()
    return "six machines each, in a window each"


def keeps_to_itself(product: Product) -> str:
    """strace: where it wrote, whom it called."""
    logs = [product.work / f"{name}.strace" for name in ("train", "window")]
    model = f"/home/{ADA}/traced.mcsvm"
    traced = [("strace", "-f", "-qq", "-s", "400", "-e", traces.CALLS, "-o", str(log)) for log in logs]
    call(*traced[0], *product.root.words(ADA, "mcsvm", "train", product.vowel, "--model", model, "--quiet"))
    with screen.shown(product.root.folder) as on:
        window = Window(product, on, ADA, product.vowel, "vowel_train.*mcsvm", traced[1])
        before = len(runs(project_of(product, ADA)))
        window.press("ctrl+t")
        until(lambda: solved(project_of(product, ADA), before + 1), "a solved run", 2 * PATIENCE)
        window.close()
    paths = {path for log in logs for path in traces.written(log)}
    calls = {address for log in logs for address in traces.called(log)}
    allowed = [f"/home/{ADA}/{place}" for place in OWN]
    beside = re.compile(rf"{re.escape(model)}|/home/{ADA}/\.mcsvm-\w+\.part|[^/]")  # asked for, or relative to a folder
    strays = {path for path in traces.outside(paths, allowed) if not beside.match(path)}
    if strays or calls:
        raise Trouble(f"wrote {sorted(strays)[:8]}, called {sorted(calls)[:3]}")
    return f"{len(paths)} files written, all in the user's folders or asked for; no network address called"


def upgrades(product: Product) -> str:
    """Qt moves a window that had no frame when it was kept, as on this screen, away from the edge once: 0, 0 to 1, 25.

    So the older version opens twice before its settings are looked at; from then on they stay as they are.
    """
    with screen.shown(product.root.folder) as on:
        for _ in range(2):
            Window(product, on, ADA, "", "unnamed.*mcsvm").close()
    kept = [project_of(product, ADA), product.root.home(ADA) / ".config/mcsvm/settings.json"]
    before, count = [path.read_bytes() for path in kept], len(runs(kept[0]))
    product.install(product.package)
    if [path.read_bytes() for path in kept] != before:
        raise Trouble("the installation touched the user's project or settings")
    geometry = json.loads(before[1])["window_geometry"]
    with screen.shown(product.root.folder) as on:
        window = Window(product, on, ADA, "", "unnamed.*mcsvm")
        window.press("ctrl+t")
        until(lambda: solved(kept[0], count + 1), "a run beside the old ones", PATIENCE)
        window.close()
    if json.loads(kept[1].read_text("utf-8"))["window_geometry"] != geometry:
        raise Trouble("the settings were not kept")
    return f"{OLD} to {product.version()} from the repository; settings and {count} runs kept, a new one beside them"


def removes_cleanly(product: Product) -> str:
    kept = {path for user in USERS for path in product.root.home(user).rglob("*")}
    product.root.apt("purge", "--yes", "--auto-remove", "mcsvm")
    left = product.root.files() - product.before
    if left:
        raise Trouble(f"{len(left)} left: {', '.join(sorted(left)[:8])}")
    if lost := [path for path in kept if not path.exists() and not path.is_symlink()]:
        raise Trouble(f"files of users are gone: {lost[:3]}")
    return f"nothing left of it, {len(kept)} files of users untouched"


# In the order of a life; later ones need what earlier ones installed.
CHECKS: dict[str, Callable[[Product], str]] = {
    "installs": installs_older,
    "doctor": doctor,
    "trains": trains_six,
    "exports": exports,
    "offscreen": opens_offscreen,
    "window": trains_in_the_window,
    "opens": opens_files,
    "read-only": runs_read_only,
    "two-users": two_at_once,
    "traced": keeps_to_itself,
    "upgrades": upgrades,
    "removes": removes_cleanly,
}


def tried(name: str, product: Product) -> bool:
    begun = time.monotonic()
    try:
        told, good = CHECKS[name](product), True
    except (Trouble, OSError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        told, good = str(error) or repr(error), False
    print(f"{'ok    ' if good else 'FAILED'} {time.monotonic() - begun:7.1f} s  {name}: {told}", flush=True)
    return good


def why_not() -> str:
    missing = missing_tools(screen.TOOLS)
    return is_possible() or (f"missing: {', '.join(missing)}" if missing else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", type=Path)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "smoke", help="where the clean root is kept")
    parser.add_argument("--only", help=f"some of {','.join(CHECKS)}; the first is always done")
    parser.add_argument("--suite", default="", help="of Debian, by its name; default: the one of this machine")
    options = parser.parse_args()
    if reason := why_not():
        print(f"error: {reason}", file=sys.stderr)
        return 2
    private_mounts()
    product = Product(options.package.resolve(), options.work.resolve(), options.suite)
    wanted = options.only.split(",") if options.only else list(CHECKS)
    results = [tried(name, product) for name in CHECKS if name in wanted or name == "installs"]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
