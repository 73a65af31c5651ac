"""The recipes for conda, Flatpak and AppImage, read by the tools of each as far as they are here."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import changes
import portable
import pytest
import recipes
import share


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a stand-in of the portable archive, whose programs say what they were called with."""
    folder = tmp_path_factory.mktemp("recipes")
    bundle = folder / "bundle"
    (bundle / "_internal").mkdir(parents=True)
    (bundle / "_internal" / "library.so").write_bytes(b"x")
    for name in ("mcsvm", "mcsvm-gui"):
        program = bundle / name
        program.write_text(f'#!/bin/sh\necho {name} "$@"\n')
        program.chmod(0o755)
    share.fill(folder / "extra" / "share")
    name = recipes.portable()
    with (folder / f"{name}.tar.gz").open("wb") as raw, gzip.GzipFile("", "wb", 1, raw, mtime=0) as packed:
        portable.write(packed, name, [*portable.contents(bundle), *portable.contents(folder / "extra")], 0)
    recipes.write(folder, folder)
    return folder


def tool(name: str, *words: object, **options: object) -> subprocess.CompletedProcess[str]:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return subprocess.run([name, *map(str, words)], capture_output=True, text=True, timeout=120, **options)  # type: ignore[call-overload]


def test_conda_has_every_dependency_within_its_bounds(dist: Path) -> None:
    recipe = json.loads((dist / "conda" / "recipe.yaml").read_text("utf-8"))
    asked = recipes.run_needs(recipes.project()["project"])
    assert {re.split("[<>=]", one)[0] for one in asked} >= {"numpy", "pyside6-essentials", "pyqtgraph"}
    given = {line.partition(" ")[0]: line.partition(" ")[2] for line in recipe["requirements"]["run"]}
    assert given.pop("python") == recipes.project()["project"]["requires-python"]
    assert len(given) == len(asked)
    for one in asked:
        name, bounds = re.match(r"([\w-]+)(.*)", one).groups()  # type: ignore[union-attr]
        assert given[recipes.CONDA_NAMES.get(name, name)] == bounds
    assert recipe["package"]["version"] == changes.version()


def test_conda_recipe_is_rendered_by_rattler_build(dist: Path) -> None:
    builder = pytest.importorskip("rattler_build")
    recipe = builder.Stage0Recipe.from_yaml((dist / "conda" / "recipe.yaml").read_text("utf-8"))
    assert len(recipe.render(builder.VariantConfig())) == 1


def test_flatpak_builder_reads_the_manifest(dist: Path) -> None:
    path = dist / "flatpak" / f"{recipes.ID}.json"
    shown = tool("flatpak-builder", "--show-manifest", path)
    assert shown.returncode == 0, shown.stderr
    assert not shown.stderr.strip()
    found = json.loads(shown.stdout)
    assert (
        found["modules"][0]["sources"][0]["sha256"]
        == json.loads(path.read_text())["modules"][0]["sources"][0]["sha256"]
    )
    assert not [word for word in found["finish-args"] if "network" in word]


def test_what_flatpak_builds_is_where_the_desktop_looks(dist: Path, tmp_path: Path) -> None:
    """Its commands, with another place for /app."""
    manifest = json.loads((dist / "flatpak" / f"{recipes.ID}.json").read_text())
    subprocess.run(
        ["tar", "-xzf", manifest["modules"][0]["sources"][0]["path"], "--strip-components=1"], cwd=tmp_path, check=True
    )
    app = tmp_path / "app"
    for command in manifest["modules"][0]["build-commands"]:
        subprocess.run(["sh", "-euc", command.replace("/app", str(app))], cwd=tmp_path, check=True)
    assert subprocess.check_output([app / "bin" / manifest["command"], "a file"], text=True) == "mcsvm-gui a file\n"
    for place in (
        "applications/mcsvm.desktop",
        f"metainfo/{recipes.ID}.metainfo.xml",
        f"mime/packages/{recipes.ID}.xml",
    ):
        assert (app / "share" / place).is_file()
    assert not (app / "share" / "share").exists()


@pytest.fixture(scope="module")
def app_dir(dist: Path) -> Path:
    without = {**os.environ, "PATH": "/usr/bin:/bin"}
    archive = dist / f"{recipes.portable()}.tar.gz"
    subprocess.run([dist / "appimage" / "build.sh", archive, dist], check=True, env=without)
    return dist / "mcsvm.AppDir"


@pytest.mark.parametrize(("called", "program"), [("mcsvm-x.AppImage", "mcsvm-gui"), ("/some/where/mcsvm", "mcsvm")])
def test_an_app_folder_starts_either_program(app_dir: Path, called: str, program: str) -> None:
    said = subprocess.check_output(
        [app_dir / "AppRun", "two words", "*"], text=True, env={**os.environ, "ARGV0": called}
    )
    assert said == f"{program} two words *\n"


def test_an_app_folder_has_what_appimagetool_asks_for(app_dir: Path) -> None:
    """A desktop entry, the icon it names and AppRun at the top; nothing outside of the folder is pointed at."""
    entry = (app_dir / "mcsvm.desktop").read_text("utf-8")
    icon = re.search(r"(?m)^Icon=(.+)$", entry)
    assert icon is not None
    assert (app_dir / f"{icon[1]}.png").read_bytes().startswith(b"\x89PNG")
    assert (app_dir / ".DirIcon").exists()
    assert (app_dir / "AppRun").stat().st_mode & stat.S_IXUSR
    links = [path for path in app_dir.rglob("*") if path.is_symlink()]
    assert links
    assert all(path.resolve().is_relative_to(app_dir.resolve()) for path in links)


def test_desktop_and_appstream_are_valid_in_an_app_folder(app_dir: Path) -> None:
    checked = tool("desktop-file-validate", app_dir / "mcsvm.desktop")
    assert checked.returncode == 0, checked.stdout
    told = tool("appstreamcli", "validate", "--no-net", app_dir / "usr" / "share" / share.METAINFO)
    assert told.returncode == 0, told.stdout
