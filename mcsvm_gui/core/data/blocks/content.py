"""The unpacked bytes of a file, chunk by chunk, which can be read repeatedly."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.opening import is_pipe, opened
from mcsvm_gui.core.data.files.compression import (
    BROKEN,
    LAYERS,
    damaged,
    is_table,
    packing_of,
    unpack,
    unpacking,
)
from mcsvm_gui.core.data.readers.source import STANDARD_INPUT, Source, checked_source, reading

PIECE = 1 << 20  # bytes
_START = 16  # bytes that show how a file is packed


class UnpackedFile:
    """A file that is unpacked while it is read.

    A pipe can be read once, so its content is stored in a file without a name.
    """

    def __init__(self, path: Path) -> None:
        self._kept: IO[bytes] | None = None
        self._pipe = ExitStack()
        self.path = path
        if path != STANDARD_INPUT and is_pipe(path):
            self._kept = self._pipe.enter_context(opened(path))

    def __del__(self) -> None:
        self._pipe.close()

    def pieces(self) -> Iterator[bytes]:
        """Yield chunks of `PIECE` bytes; the last may be shorter. A workbook and an .npz file are not unpacked."""
        with ExitStack() as open_files:
            stream, packing = self._stream(open_files)
            while piece := self._read(stream, packing, PIECE):
                yield piece

    def digest(self) -> str:
        """Return the digest of the unpacked bytes, as `Source.digest` gives it."""
        found = hashlib.sha256()
        for piece in self.pieces():
            found.update(piece)
        return found.hexdigest()

    def whole(self) -> Source:
        with ExitStack() as open_files:
            data, packing = unpack(self.path, self._raw(open_files).read())
        return checked_source(Source(self.path, data, packing))

    def _raw(self, open_files: ExitStack) -> IO[bytes]:
        if self._kept is None:
            return open_files.enter_context(reading(self.path))
        self._kept.seek(0)
        return self._kept

    def _stream(self, open_files: ExitStack) -> tuple[IO[bytes], str]:
        """Return the unpacked stream, and the innermost packing."""
        stream, kind = self._raw(open_files), ""
        for _ in range(LAYERS + 1):
            found = packing_of(self._read(stream, kind, _START))
            if found is None or (found == "zip" and is_table(stream)):
                stream.seek(0)
                return stream, kind
            stream.seek(0)
            stream, kind = self._unpacked(stream, found, open_files), found
        raise FileError(self.path, "packed more than {layers} times over; unpack it first", layers=LAYERS)

    def _unpacked(self, stream: IO[bytes], kind: str, open_files: ExitStack) -> IO[bytes]:
        try:
            return open_files.enter_context(unpacking(self.path, kind, stream))
        except FileError:
            raise
        except BROKEN as trouble:
            raise damaged(self.path, kind, trouble) from None

    def _read(self, stream: IO[bytes], kind: str, size: int) -> bytes:
        try:
            return stream.read(size)
        except BROKEN as trouble:
            if not kind:
                raise
            raise damaged(self.path, kind, trouble) from None
