"""Recipes for those who package mcsvm elsewhere: conda, Flatpak, AppImage; all of them written from pyproject.toml.

    python -m build --sdist && python packaging/build.py --only portable
    python packaging/recipes.py FOLDER

`conda/recipe.yaml` builds the sdist (`rattler-build build --recipe FOLDER/conda`), `flatpak/org.mcsvm.mcsvm.json`
packs the portable archive (`flatpak-builder`), `appimage/build.sh` makes one file of it (`appimagetool`). Sources are
files of dist/, with their SHA-256 where they are there: a recipe fetches nothing of ours from anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import changes

ID = "org.mcsvm.mcsvm"
CONDA_NAMES = {"pyside6-essentials": "pyside6"}  # conda has Qt for Python whole
RUNTIME = "25.08"  # of org.freedesktop.Platform: a C library that is not older than the bundle's
DIST = changes.ROOT / "dist"


def write(folder: Path, dist: Path = DIST) -> list[Path]:
    texts = {
        "conda/recipe.yaml": conda(dist),
        f"flatpak/{ID}.json": json.dumps(flatpak(dist), indent=2) + "\n",
        "appimage/build.sh": appimage(),
    }
    return [_write(folder / name, text) for name, text in texts.items()]


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(0o755 if path.suffix == ".sh" else 0o644)
    return path


def project() -> dict[str, Any]:
    return tomllib.loads((changes.ROOT / "pyproject.toml").read_text("utf-8"))


def portable(machine: str = "x86_64") -> str:
    """The name of the archive and of the folder in it."""
    return f"mcsvm-{changes.version()}-linux-{machine}"


def source(path: Path) -> dict[str, str]:
    digest = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()} if path.is_file() else {}
    return {"path": str(path.resolve()), **digest}


# -- conda ----------------------------------------------------------------------------------------


def conda(dist: Path) -> str:
    told = project()
    about = told["project"]
    built = [conda_name(one) for one in told["build-system"]["requires"]]
    needed = [conda_name(one) for one in run_needs(about)]
    python = f"python {about['requires-python']}"
    recipe = {
        "package": {"name": about["name"], "version": about["version"]},
        "source": source(dist / f"mcsvm-{about['version']}.tar.gz"),
        "build": {
            "number": 0,
            "noarch": "python",
            "script": "python -m pip install . --no-deps --no-build-isolation -vv",
            "python": {"entry_points": [f"{name} = {place}" for name, place in entry_points(about)]},
        },
        "requirements": {"host": [python, "pip", *built], "run": [python, *needed]},
        "tests": [
            {"python": {"imports": ["mcsvm", "mcsvm_gui"], "pip_check": False}},
            {"script": ["mcsvm --help", "mcsvm doctor --json"]},
        ],
        "about": {"summary": about["description"], "license": about["license"], "license_file": "LICENSE"},
    }
    return json.dumps(recipe, indent=2) + "\n"  # JSON is YAML


def run_needs(about: dict[str, Any]) -> list[str]:
    """Return what the package needs to run; conda knows no extras, so it gets the window too."""
    return [*about["dependencies"], *about["optional-dependencies"]["gui"]]


def conda_name(requirement: str) -> str:
    """`numba>=0.61,<1` as `numba >=0.61,<1`."""
    name, bounds = re.fullmatch(r"([\w.-]+)(.*)", requirement.replace(" ", "")).groups()  # type: ignore[union-attr]
    return f"{CONDA_NAMES.get(name, name)} {bounds}".strip()


def entry_points(about: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from about["scripts"].items()
    yield from about["gui-scripts"].items()


# -- Flatpak and AppImage -------------------------------------------------------------------------


def flatpak(dist: Path) -> dict[str, Any]:
    """No network: nothing of the program asks for it. Projects open files of the user by their paths."""
    share = "/app/share"
    commands = [
        "mkdir -p /app/lib/mcsvm /app/bin",
        "cp -r mcsvm mcsvm-gui _internal /app/lib/mcsvm/",
        "ln -s ../lib/mcsvm/mcsvm ../lib/mcsvm/mcsvm-gui /app/bin/",
        f"cp -r share {share}",
        f"mv {share}/mime/packages/mcsvm.xml {share}/mime/packages/{ID}.xml",
    ]
    archive = {"type": "archive", **source(dist / f"{portable()}.tar.gz")}
    return {
        "id": ID,
        "runtime": "org.freedesktop.Platform",
        "runtime-version": RUNTIME,
        "sdk": "org.freedesktop.Sdk",
        "command": "mcsvm-gui",
        "rename-desktop-file": "mcsvm.desktop",
        "rename-icon": "mcsvm",
        "finish-args": [
            *("--share=ipc", "--socket=fallback-x11", "--socket=wayland", "--device=dri", "--filesystem=home")
        ],
        "modules": [
            {"name": "mcsvm", "buildsystem": "simple", "build-commands": commands, "sources": [archive]},
        ],
    }


def appimage() -> str:
    return f"""#!/bin/sh
# One file of the portable archive: build.sh {portable()}.tar.gz [FOLDER]
# The folder mcsvm.AppDir is made in any case; appimagetool, where it is there, makes the file.
set -eu
archive=$(realpath "$1")
cd "${{2:-.}}"
rm -rf mcsvm.AppDir
mkdir -p mcsvm.AppDir/usr/lib/mcsvm mcsvm.AppDir/usr/bin
tar -xzf "$archive" --strip-components=1 -C mcsvm.AppDir/usr/lib/mcsvm
cd mcsvm.AppDir
mv usr/lib/mcsvm/share usr/share
ln -s ../lib/mcsvm/mcsvm ../lib/mcsvm/mcsvm-gui usr/bin/
ln -s usr/share/applications/mcsvm.desktop mcsvm.desktop
ln -s usr/share/icons/hicolor/256x256/apps/mcsvm.png mcsvm.png
ln -s mcsvm.png .DirIcon
cat > AppRun <<'END'
#!/bin/sh
# Called by the name of the command line, it is the command line.
here=$(dirname "$(readlink -f "$0")")
case "$(basename "${{ARGV0:-mcsvm-gui}}")" in
  mcsvm) exec "$here/usr/bin/mcsvm" "$@" ;;
  *) exec "$here/usr/bin/mcsvm-gui" "$@" ;;
esac
END
chmod 755 AppRun
cd ..
if command -v appimagetool > /dev/null; then
  appimagetool mcsvm.AppDir "{portable().replace("-linux", "")}.AppImage"
fi
"""


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
