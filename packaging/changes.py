"""What CHANGELOG.md says about each version, for those who describe the program elsewhere."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADING = re.compile(r"## (?P<version>\S+), (?P<day>unreleased|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True)
class Release:
    version: str
    day: date
    unreleased: bool
    changes: tuple[str, ...]  # Markdown, of which only `code` is used


def version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def build_day() -> date:
    """Of the commit, where the build was told; the same source then gives the same bytes."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return (datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)).date()


def releases() -> tuple[Release, ...]:
    """Newest first. An unreleased version bears the day of its build."""
    parts = re.split(r"^(?=## )", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return tuple(_release(part) for part in parts)


def _release(part: str) -> Release:
    title, _, body = part.partition("\n")
    found = HEADING.fullmatch(title.strip())
    if found is None:
        raise ValueError(f"CHANGELOG.md: {title!r} is no heading such as `## 1.2.0, 2026-01-31`")
    unreleased = found["day"] == "unreleased"
    changes = tuple(" ".join(item.split()) for item in re.split(r"^\* ", body, flags=re.MULTILINE)[1:])
    return Release(
        found["version"], build_day() if unreleased else date.fromisoformat(found["day"]), unreleased, changes
    )
