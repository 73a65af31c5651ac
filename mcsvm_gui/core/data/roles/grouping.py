"""Recognize columns that look like groups: rows of one batch, plate or patient resemble each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

FEWEST_GROUPS = 5  # with fewer values, a column called group is as likely to be a treatment
FEWEST_CODES = 8  # different codes such as B01 that are required if the name of the column gives no hint
_WORDS = (
    *("batch", "lot", "charge", "plate", "patient", "subject", "group", "donor", "proband", "participant", "person"),
    *("animal", "specimen", "operator", "session", "series", "campaign", "site", "speaker", "writer", "device", "run"),
    *("los", "platte", "gruppe", "serie", "patientin", "spender", "tier", "kampagne", "sitzung", "standort", "gerät"),
)
_NUMBERED = r"(?:id|ids|no|nr|num|number|name|code|key|nummer|[0-9]+)?"
_NAME = re.compile(rf"(?:^|.*[ _.\-])(?:{'|'.join(_WORDS)})s?[ _.\-]*{_NUMBERED}", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-zäöüß])(?=[A-Z])")
_CODE = re.compile(r"[A-Za-z]{1,3}[ _\-]?[0-9]{1,6}")


def names_groups(name: str, levels: Sequence[object], rows: int) -> bool:
    """Return whether a column is likely to name groups of rows, by its name or by codes such as B01 in its cells."""
    different = len(levels)
    if different < FEWEST_GROUPS or 2 * different > rows:
        return False
    if _NAME.fullmatch(_CAMEL.sub("_", name.strip())):
        return True
    codes = all(isinstance(level, str) and _CODE.fullmatch(level) for level in levels)
    return codes and different >= FEWEST_CODES
