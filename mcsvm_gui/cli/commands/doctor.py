"""mcsvm doctor"""

from __future__ import annotations

import argparse
from typing import Any

from mcsvm_gui.cli import output
from mcsvm_gui.core.base.doctor import EXTRAS, examine
from mcsvm_gui.core.base.exits import DONE


def run(options: argparse.Namespace) -> int:
    found = examine()
    output.show(options, lambda: found, lambda: summary_lines(found))
    return DONE


def summary_lines(found: dict[str, Any]) -> list[str]:
    system, cache = found["system"], found["cache"]
    writable = "" if cache["writable"] else ", not writable"
    lines = [
        f"mcsvm {found['mcsvm']}, Python {found['python']['version']} ({found['python']['path']})",
        f"{system['name']}, {system['usable_cores']} of {system['cores']} cores usable",
        "",
        *(f"  {name:<20}{version or 'missing'}" for name, version in found["packages"].items()),
        *(f"  {name:<20}{version or f'not installed ({EXTRAS[name]})'}" for name, version in found["extras"].items()),
        "",
        *(_pool(pool) for pool in found["threads"]),
        f"Compiled code: {cache['folder']} ({cache['megabytes']} MB{writable})",
        f"Example data: {found['resources']}",
        "",
    ]
    problems = found["problems"]
    return lines + ([f"Problem: {problem}." for problem in problems] or ["Nothing is missing."])


def _pool(pool: dict[str, Any]) -> str:
    version = f" {pool['version']}" if pool["version"] else ""
    return f"Threads: {pool['internal_api']}{version} ({pool['user_api']}): {pool['num_threads']}"
