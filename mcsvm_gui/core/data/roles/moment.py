"""A date as text in the format of ISO 8601."""

from __future__ import annotations

import datetime


def moment(seconds: float) -> str:
    """Format seconds since 1970; zeros at the end are omitted."""
    when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    text = when.isoformat(" ", "seconds" if when.second or when.microsecond else "minutes")
    return text.removesuffix(" 00:00")
