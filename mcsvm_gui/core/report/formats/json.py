"""A report's numbers as JSON, with all their digits; a number that is not finite is null."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from mcsvm_gui.core.report.blocks import Report


def content(report: Report) -> bytes:
    document = {"title": report.title, "made": report.made, **report.document}
    return (json.dumps(_finite(document), allow_nan=False, indent=1) + "\n").encode("utf-8")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
