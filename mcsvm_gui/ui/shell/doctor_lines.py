"""The findings of `mcsvm doctor` as lines to read."""

from __future__ import annotations

from typing import Any

from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.i18n import tr

Facts = list[tuple[str, str]]


def sections(findings: dict[str, Any]) -> list[tuple[str, Facts]]:
    """Return all findings of the document, grouped under headings."""
    return [
        (tr("Program"), _program(findings)),
        (tr("Packages"), _packages(findings["packages"])),
        (tr("Optional packages"), _packages(findings["extras"])),
        (tr("Threads"), [_pool(pool) for pool in findings["threads"]]),
        (tr("System libraries"), _libraries(findings["missing_libraries"])),
    ]


def _program(findings: dict[str, Any]) -> Facts:
    python, system, cache = findings["python"], findings["system"], findings["cache"]
    size = figures.size(cache["megabytes"] * 2**20)
    writable = tr("{folder} ({size})", folder=cache["folder"], size=size)
    return [
        ("mcsvm", findings["mcsvm"]),
        ("Python", f"{python['version']}, {python['path']}"),
        (tr("System"), system["name"]),
        (tr("Cores"), tr("{usable} of {cores} usable", usable=system["usable_cores"], cores=system["cores"])),
        (tr("Compiled code"), writable if cache["writable"] else tr("{folder} cannot be written", **cache)),
        (tr("Own files"), findings["resources"]),
    ]


def _packages(versions: dict[str, str | None]) -> Facts:
    return [(name, version or tr("not installed")) for name, version in versions.items()]


def _pool(pool: dict[str, Any]) -> tuple[str, str]:
    name = f"{pool['internal_api']} {pool['version'] or ''}".strip()
    return name, tr("{number} threads", number=pool["num_threads"])


def _libraries(missing: list[dict[str, Any]]) -> Facts:
    if not missing:
        return [(tr("All there"), "")]
    return [(library["library"], library["package"] or tr("no package is known to bring it")) for library in missing]
