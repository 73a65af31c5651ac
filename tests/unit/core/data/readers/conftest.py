"""Files written on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset

Read = Callable[..., Dataset]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """read(content, name, needs_label=..., and the options)."""

    def from_content(content: str | bytes, name: str = "data.csv", *, needs_label: bool = True, **said: str) -> Dataset:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return open_dataset(path, ReadOptions(**said), needs_label=needs_label)

    return from_content
