"""Column widths of tables that narrow their columns before they scroll sideways."""

from __future__ import annotations

import math
from collections.abc import Sequence


def fitted_widths(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return the wanted widths, or narrower ones if they exceed the room; none is below its least width."""
    spare, excess = sum(wanted) - sum(least), sum(wanted) - room
    share = min(excess / spare, 1.0) if excess > 0 and spare > 0 else 0.0
    return [width - math.ceil(share * (width - narrow)) for width, narrow in zip(wanted, least, strict=True)]
