"""The notices of a file that is read block by block, as if it had been read at once."""

from __future__ import annotations

from collections.abc import Iterable

from mcsvm_gui.core.data.blocks.look import CODES, TableLook
from mcsvm_gui.core.data.dataset import Dataset, Notice

_Key = tuple[str, str, str]
# needs a count over all rows: left out if there are several blocks; training reports it
_OF_ALL_ROWS = ("many-categories",)
_LOOK: _Key = ("", "", "")


class JoinedNotices:
    """Notices of several blocks. Counts are added up; of other notices that recur, the first is kept."""

    def __init__(self) -> None:
        self._datasets = 0
        self._found: dict[_Key, Notice | None] = {}  # None: the place of the notices of the look
        self._look: TableLook | None = None

    def add_dataset(self, dataset: Dataset) -> None:
        self._datasets += 1
        look = dataset.look
        self.add(notice for notice in dataset.notices if look is None or notice.code not in CODES)
        if look is not None:
            self._look = look if self._look is None else self._look.joined(look)
            self._found.setdefault(_LOOK, None)

    def add(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            key = _key(notice)
            before = self._found.setdefault(key, notice)
            if before is not None and before is not notice and before.tally and notice.tally:
                self._found[key] = Notice.of(notice.code, before.tally.joined(notice.tally))

    def all(self) -> tuple[Notice, ...]:
        looked = self._look.notices() if self._look else []
        found = [one for notice in self._found.values() for one in ([notice] if notice else looked)]
        return tuple(notice for notice in found if self._datasets < 2 or notice.code not in _OF_ALL_ROWS)


def _key(notice: Notice) -> _Key:
    if notice.tally is not None:
        return notice.code, "", notice.tally.about
    return notice.code, notice.sentence.template, str(notice.sentence.values.get("name", ""))
