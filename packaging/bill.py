"""The bill of materials of a bundle: whose files lie in it, in which version, under which licence.

    python packaging/bill.py BUNDLE    writes bill.json (CycloneDX 1.5) and licences.txt into the bundle's resources

Asked of the bundle, file by file and module by module; a file that belongs to nobody known is an error.
"""

from __future__ import annotations

import fnmatch
import json
import platform
import re
import subprocess
import sys
import sysconfig
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any

import changes

sys.path.insert(0, str(changes.ROOT))

from mcsvm_gui.core.base import licences
from mcsvm_gui.core.base.licences import Component

PARTS = Path(__file__).resolve().parent / "parts.toml"
PYTHON, BOOTLOADER = "CPython", "pyinstaller"
PYTHONS = re.compile(r"(lib)?python3|_sysconfigdata|pyi|_pyi")
LIBRARY = re.compile(r"\.(so(\.[0-9.]+)?|dll|dylib)$")


class Unaccounted(Exception):
    """Files in a bundle whose makers are not known."""


def write(bundle: Path) -> tuple[Component, ...]:
    found = licences.in_order(components(bundle))
    place = resources_of(bundle)
    (place / "bill.json").write_text(json.dumps(cyclonedx(found), indent=1, ensure_ascii=False) + "\n", "utf-8")
    (place / "licences.txt").write_text(human(found), "utf-8")
    return found


def inside(bundle: Path) -> Path:
    """PyInstaller puts all but the programs into a folder of its own."""
    return bundle / "_internal" if (bundle / "_internal").is_dir() else bundle


def resources_of(bundle: Path) -> Path:
    return next(path.parent for path in sorted(inside(bundle).rglob("translations")) if path.is_dir())


# -- whose is what --------------------------------------------------------------------------------


def components(bundle: Path) -> set[Component]:
    found, lost = {_own(), of_python(), _of_wheel(BOOTLOADER)}, []
    for name in _names(bundle):
        owners = list(_owners(name))
        found.update(owners)
        if not owners:
            lost.append(name)
    if lost:
        raise Unaccounted("nobody is known to have made\n" + "\n".join(lost))
    return _united(found)


def _united(found: set[Component]) -> set[Component]:
    """The same thing out of two wheels is one, with what both say of it."""
    texts: dict[tuple[str, str, str], list[str]] = {}
    for part in sorted(found, key=lambda part: part.text):
        texts.setdefault((part.name, part.version, part.licence), []).append(part.text)
    return {Component(*named, "\n\n".join(told)) for named, told in texts.items()}


def _names(bundle: Path) -> list[str]:
    """Of files, by their place, and of modules inside the programs, as if they were files."""
    place = inside(bundle)
    paths = (path for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    files = {path.relative_to(place).as_posix() for path in paths}
    return sorted(files | {module for program in _programs(bundle) for module in modules_of(program)})


def _programs(bundle: Path) -> list[Path]:
    return [path for path in sorted(bundle.iterdir()) if path.is_file()] if inside(bundle) != bundle else []


def modules_of(program: Path) -> Iterator[str]:
    from PyInstaller.archive.readers import ArchiveReadError, CArchiveReader

    try:
        archive = CArchiveReader(str(program))
    except ArchiveReadError:
        return
    for name in archive.toc:
        if name.endswith(".pyz"):
            yield from (f"{module.replace('.', '/')}.py" for module in archive.open_embedded_archive(name).toc)


def _owners(name: str) -> Iterator[Component]:
    """Of a file: its distribution or Python itself; and for what these took from others, those too."""
    part = part_of(name)
    if part is not None:
        yield part
    owner = _distribution_of(name)
    if owner is not None:
        yield _of_wheel(owner)
    elif is_own(name):
        yield _own()
    elif is_python(name):
        yield of_python()
    elif part is None and LIBRARY.search(name):
        yield from of_system(Path(name).name)


@cache
def _of_wheel(name: str) -> Component:
    return licences.of_distribution(distribution(name))


@cache
def _distribution_of(name: str) -> str | None:
    table = _table()
    package = re.sub(r"\.py$", "/__init__.py", name)
    return next((table[key] for key in (name, package, Path(package).parts[0]) if key in table), None)


@cache
def _table() -> dict[str, str]:
    """From every file of every distribution, and from every folder only one of them has, to its name."""
    files, tops = {}, {}
    for found in distributions():
        name = licences.normal(found.metadata["Name"])
        for path in found.files or ():
            if path.parts[0] != ".." and name != licences.OWN:
                files[path.as_posix()] = name
                tops.setdefault(path.parts[0], set()).add(name)
    return {**{top: names.copy().pop() for top, names in tops.items() if len(names) == 1}, **files}


def is_own(name: str) -> bool:
    return re.split(r"[/.]", name)[0] in {"mcsvm", "mcsvm_gui"} or name.startswith("mcsvm-")


def is_python(name: str) -> bool:
    top = re.split(r"[/.]", name)[0]
    return top in sys.stdlib_module_names | {"base_library", "lib-dynload"} or bool(PYTHONS.match(name))


# -- components that no metadata knows ------------------------------------------------------------


@cache
def _own() -> Component:
    return Component(licences.OWN, changes.version(), "MIT", (changes.ROOT / "LICENSE").read_text("utf-8").strip())


@cache
def of_python() -> Component:
    text = Path(sysconfig.get_path("stdlib"), "LICENSE.txt")
    return Component(PYTHON, platform.python_version(), "PSF-2.0", text.read_text("utf-8").strip())


@cache
def _parts() -> list[dict[str, Any]]:
    return tomllib.loads(PARTS.read_text("utf-8"))["part"]


@cache
def part_of(name: str) -> Component | None:
    """What a distribution took from others, by parts.toml."""
    base = Path(name).name
    row = next((row for row in _parts() if any(fnmatch.fnmatch(base, form) for form in row["files"])), None)
    if row is None:
        return None
    owner = _distribution_of(name)
    text = row["about"] + (f" The licence stands in that of {owner}." if owner and "text" not in row else "")
    texts = [text, licences.text_of(row.get("text", ""))]
    return Component(row["name"], _version_of(base, owner, row), row["licence"], "\n\n".join(texts).strip())


def _version_of(base: str, owner: str | None, row: dict[str, Any]) -> str:
    """Where nothing tells its own, it can only be said with what it came."""
    said, found = row.get("version"), re.search(r"\.so\.([0-9.]+)$", base)
    if said and said != "owner":
        return str(said)
    if owner and (said or found is None):
        version = distribution(owner).version
        return version if said else f"with {owner} {version}"
    return found[1] if found else "unknown"


@cache
def of_system(library: str) -> tuple[Component, ...]:
    """A library of the Debian or Ubuntu the bundle is built on: its package, version and copyright file."""
    paths = [path for root in ("/usr/lib", "/lib") for path in sorted(Path(root).glob(f"*-linux-gnu/{library}"))]
    return next((found for path in paths if (found := _package_of(path))), ())


def _package_of(path: Path) -> tuple[Component, ...]:
    for place in (path, path.resolve(), Path("/usr", str(path).lstrip("/"))):
        answer = _said("dpkg-query", "-S", str(place))
        if answer:
            package = answer.split(":")[0]
            copyright = Path("/usr/share/doc", package, "copyright").read_text("utf-8", "replace").strip()
            version = _said("dpkg-query", "-W", "-f", "${Version}", package)
            return (Component(package, version, licence_in(copyright), copyright),)
    return ()


def licence_in(copyright: str) -> str:
    """Of Debian's machine-readable form what holds for most files; else that it is told there."""
    found = re.search(r"^Files: \*$.*?^License: *([^\n]+)$", copyright, re.MULTILINE | re.DOTALL)
    return found[1] if found else "see text"


def _said(*words: str) -> str:
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


# -- the two forms --------------------------------------------------------------------------------


def cyclonedx(found: Iterable[Component]) -> dict[str, Any]:
    own, *others = [_entry(part) for part in found]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(others))}",
        "version": 1,
        "metadata": {"timestamp": f"{changes.build_day()}T00:00:00Z", "component": {**own, "type": "application"}},
        "components": others,
    }


def _entry(part: Component) -> dict[str, Any]:
    text = {"contentType": "text/plain", "content": part.text}
    return {
        "type": "library",
        "bom-ref": f"{part.name}@{part.version}",
        "name": part.name,
        "version": part.version,
        "licenses": [{"license": {"name": part.licence, "text": text}}],
    }


def human(found: Iterable[Component]) -> str:
    found = list(found)
    head = "".join(f"{part.name} {part.version}: {part.licence}\n" for part in found)
    bodies = (f"\n{'=' * 100}\n{part.name} {part.version}: {part.licence}\n\n{part.text}\n" for part in found)
    return f"What is inside, and under which licences.\n\n{head}{''.join(bodies)}"


def main(bundle: str) -> int:
    try:
        found = write(Path(bundle))
    except Unaccounted as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(human(found).partition("=" * 100)[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
