"""Turn a file into a Dataset. `formats/` has a module per format, `core/data/formats.py` has their table.

The content decides which format a file has, not the suffix.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Guess
from mcsvm_gui.core.data.files import parts
from mcsvm_gui.core.data.formats import READERS, Reader
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers.source import Source, read_source
from mcsvm_gui.core.data.readers.text import beginning
from mcsvm_gui.core.data.remedies import OptionWords
from mcsvm_gui.core.data.roles.choosing import a_share

_NOTHING_SAID = ReadOptions()


def open_dataset(
    path: str | os.PathLike[str], options: ReadOptions = _NOTHING_SAID, *, needs_label: bool = True
) -> Dataset:
    """Read the data in a file, or in the files of a folder or a pattern.

    needs_label=True: for training. At least two classes are needed; the last column is the label if no name says so.
    needs_label=False: for prediction or scoring. A label is found by name only (LIBSVM: by place), and may be absent.
    """
    files = parts.files_of(path)
    if files is None:
        found = open_one(path, options, needs_label=needs_label)
        return a_share(found, options.share) if needs_label else found
    found = parts.read(os.fspath(path), files, options, partial(open_one, needs_label=False), needs_label=needs_label)
    return a_share(found, options.share) if needs_label else found


def open_one(path: str | os.PathLike[str], options: ReadOptions, *, needs_label: bool) -> Dataset:
    try:
        return read_dataset(read_source(path), options, needs_label=needs_label)
    except MemoryError:
        raise FileError(path, "the file needs more memory than there is; take a part of its rows") from None


def read_dataset(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    reader, guesses = reader_of(source, options)
    found = reader.read(source, options, needs_label=needs_label)
    return replace(found, guesses=(*guesses, *found.guesses))


def _refuse_unused(source: Source, reader: Reader, options: ReadOptions) -> None:
    """Refuse options that would choose another table. Other options that a format does not use change nothing."""
    for option in ("table", "query"):
        if getattr(options, option) is not None and option not in reader.options:
            raise FileError(
                source.path,
                "{option} is not for {format} files; leave it out",
                option=OptionWords(option),
                format=reader.title,
            )


def reader_of(source: Source, options: ReadOptions) -> tuple[Reader, tuple[Guess, ...]]:
    reader, guesses = _recognized(source, options)
    _refuse_unused(source, reader, options)
    return reader, guesses


def _recognized(source: Source, options: ReadOptions) -> tuple[Reader, tuple[Guess, ...]]:
    """Return the reader of a source. If the suffix does not promise this format, it is reported as a guess."""
    if options.format != "auto":
        return READERS[options.format], ()
    start = beginning(source)
    likely = (reader for reader in reversed(READERS.values()) if reader.may_hold(source.suffix, start))
    found = next(reader for reader in likely if reader.recognizes(source, options))
    promised = next((reader for reader in READERS.values() if source.suffix in reader.suffixes), READERS["csv"])
    return found, () if found == promised else (Guess("format", found.name, "--format"),)


__all__ = ["ReadOptions", "open_dataset", "open_one"]
