"""Fewer tables of ICU, and those that stay as they were."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import icu
import PySide6
import pytest
from hypothesis import given
from hypothesis import strategies as st

NAMES = st.text("abcdefg/_", min_size=1, max_size=12)
HEADER = b"\x20\x00\xda\x27" + bytes(8) + b"CmnD" + bytes(16)
LIBRARY = next(iter(sorted((Path(PySide6.__file__).parent / "Qt" / "lib").glob("libicudata.so.*"))), None)

# What the window may ask of ICU: words in order, letters in capitals.
ASK = """
from functools import cmp_to_key
from PySide6.QtCore import QCollator, QLocale
words = "z ä Z a ö o ß ss A Öl oel".split()
for name in ("de_DE", "en_US"):
    print(sorted(words, key=cmp_to_key(QCollator(QLocale(name)).compare)), QLocale(name).toUpper("straße"))
print([line.split()[-1] for line in open("/proc/self/maps") if "icudata" in line][0])
"""


@given(st.dictionaries(NAMES, st.binary(max_size=40), min_size=1, max_size=9))
def test_what_is_packed_is_unpacked(items: dict[str, bytes]) -> None:
    header, found = icu.unpack(icu.pack(HEADER, items))
    assert header == HEADER
    assert list(found) == sorted(items, key=str.encode)
    for name, item in items.items():
        assert found[name][: len(item)] == item
        assert not any(found[name][len(item) :])


def test_what_is_no_package_of_icu_is_refused() -> None:
    with pytest.raises(ValueError, match="ICU"):
        icu.unpack(bytes(64))


def test_our_languages_stay_and_roots_and_what_belongs_to_none() -> None:
    for name in (
        "root.res",
        "en.res",
        "de_AT.res",
        "coll/de.res",
        "coll/ucadata.icu",
        "pool.res",
        "supplementalData.res",
    ):
        assert icu.is_kept(f"icudt73l/{name}"), name
    for name in ("sv.res", "zh_Hant_TW.res", "coll/zh.res", "ibm-37.cnv", "translit/root.res", "unit/de.res"):
        assert not icu.is_kept(f"icudt73l/{name}"), name


@pytest.mark.skipif(LIBRARY is None or shutil.which("as") is None, reason="needs Qt for Linux and binutils")
def test_a_trimmed_library_answers_as_the_whole_one(tmp_path: Path) -> None:
    assert LIBRARY is not None
    library = tmp_path / LIBRARY.name
    shutil.copy(LIBRARY, library)
    icu.trim(library)
    assert library.stat().st_size < LIBRARY.stat().st_size / 5
    whole, trimmed = answers(None), answers(library)
    assert trimmed[-1] == str(library)
    assert trimmed[:-1] == whole[:-1]


def answers(preloaded: Path | None) -> list[str]:
    environment = os.environ | ({"LD_PRELOAD": str(preloaded)} if preloaded else {})
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
