"""A report's numbers as JSON, with all their digits."""

from __future__ import annotations

import json

from mcsvm_gui.core.report.blocks import Report

NAME, SUFFIX = "json", ".json"


def content(report: Report) -> bytes:
    document = {"title": report.title, "made": report.made, **report.document}
    return (json.dumps(document, allow_nan=False, indent=1) + "\n").encode("utf-8")
