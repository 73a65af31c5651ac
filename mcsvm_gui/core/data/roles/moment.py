"""A date as text, as ISO 8601 has it."""

from __future__ import annotations

import datetime


def moment(seconds: float) -> str:
    """Of seconds since 1970, down to what is not zero."""
    when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    text = when.isoformat(" ", "seconds" if when.second or when.microsecond else "minutes")
    return text.removesuffix(" 00:00")
