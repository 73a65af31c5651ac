"""Licences of the included packages: from the bill of materials of a bundle, or from the installed packages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from mcsvm_gui.core.base.resources import folder

OWN = "mcsvm"
OWN_EXTRAS = {"all", "cluster", "completion", "export", "files", "gui", "report"}  # extras that users may install
LEGAL = re.compile(r"(^|/)(licen[cs]e|copying|notice|copyright)[^/]*$|/licenses/", re.IGNORECASE)
# Packages whose metadata has no identifier, but the whole text or an ambiguous word.
KNOWN = {
    "matplotlib": "PSF-2.0",
    "numba": "BSD-2-Clause",
    "scipy": "BSD-3-Clause",
    "tomli-w": "MIT",
    "contourpy": "BSD-3-Clause",
    "cycler": "BSD-3-Clause",
    "kiwisolver": "BSD-3-Clause",
    "onnxruntime": "MIT",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
}
# Texts that a wheel does not contain, by the identifier that its metadata names first.
TEXTS = {
    "LGPL-3.0-only": ("LGPL-3.0-only", "GPL-3.0-only"),
    "Apache 2.0": ("Apache-2.0",),
    "Apache-2.0": ("Apache-2.0",),
    "DejaVu": ("DejaVu",),
    "ICU": ("ICU",),
}


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    licence: str  # an SPDX expression, or the authors' own words
    text: str


def components() -> tuple[Component, ...]:
    """Return the components, sorted by name. This is slow, because it reads every licence."""
    bill = folder() / "bill.json"
    found = of_bill(json.loads(bill.read_text("utf-8"))) if bill.is_file() else of_installation()
    return in_order(found)


def in_order(found: Iterable[Component]) -> tuple[Component, ...]:
    return tuple(sorted(found, key=lambda part: (part.name != OWN, part.name.lower(), part.version)))


# -- a bill of materials in CycloneDX format ------------------------------------------------------


def of_bill(bill: dict[str, Any]) -> Iterator[Component]:
    for part in (bill["metadata"]["component"], *bill["components"]):
        licence = part["licenses"][0]["license"]
        yield Component(part["name"], part["version"], licence["name"], licence["text"]["content"])


# -- installed packages ---------------------------------------------------------------------------


def of_installation() -> tuple[Component, ...]:
    """Return the program's own distribution and all its dependencies that are installed."""
    return tuple(of_distribution(found) for found in _reached().values())


def _reached() -> dict[str, Distribution]:
    reached: dict[str, Distribution] = {}
    waiting = [OWN]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            try:
                reached[name] = distribution(name)
            except PackageNotFoundError:  # a package of another system, or of an extra that is not installed
                continue
            waiting += needs(reached[name].requires or ())
    return reached


def needs(requirements: Iterable[str]) -> list[str]:
    """Return the names of required packages. Only our own extras count; missing packages are skipped later."""
    wanted = []
    for line in requirements:
        name, _, condition = line.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", condition)
        if extra is None or extra[1] in OWN_EXTRAS:
            wanted.append(normal(re.split(r"[\s\[<>=!~(]", name.strip())[0]))
    return wanted


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def of_distribution(found: Distribution) -> Component:
    name, licence = normal(found.metadata["Name"]), licence_of(found)
    return Component(name, found.version, licence, legal_text(found) or text_of(licence))


def licence_of(found: Distribution) -> str:
    def told(field: str) -> list[str]:
        return found.metadata.get_all(field) or []

    known = KNOWN.get(normal(found.metadata["Name"]))
    said = [*told("License-Expression"), *([known] if known else []), *told("License"), ""][0]
    if said and "\n" not in said:
        return said
    kinds = [line.rpartition(" :: ")[2] for line in told("Classifier") if line.startswith("License ::")]
    return ", ".join(kinds) or "unknown"


def legal_text(found: Distribution) -> str:
    """Join the distribution's licence files, each with its name as a title."""
    paths = [path for path in found.files or () if ".dist-info/" in str(path) and LEGAL.search(str(path))]
    texts = ((path.name, path.locate().read_text("utf-8", "replace")) for path in sorted(paths))  # type: ignore[attr-defined]
    return "\n\n".join(f"-- {name} --\n\n{text.strip()}" for name, text in texts)


def text_of(licence: str) -> str:
    """Return the text of a licence that this program brings; empty if it does not bring it."""
    names = next((names for known, names in TEXTS.items() if licence.startswith(known)), ())
    return "\n\n".join((folder() / "licences" / f"{name}.txt").read_text("utf-8").strip() for name in names)
