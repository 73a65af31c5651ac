"""Which format a file is in, by what it holds. The suffix counts only where any text would pass for CSV."""

from __future__ import annotations

import re

from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Guess
from mcsvm_gui.core.data.options import ReadOptions
from mcsvm_gui.core.data.readers.compression import is_workbook
from mcsvm_gui.core.data.readers.source import Source

_SUFFIXES = {
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}
_ARFF = re.compile(rb"(?:\s*(?:%[^\n\r]*)?[\n\r])*\s*@(?:relation|attribute)\b", re.IGNORECASE)
# A label, and then something that means to be index:value, right or wrong.
_PAIRS = re.compile(rb"[^\s:]*\s+(?:qid:\S+\s+)?[+-]?[0-9.]+\s*:|[0-9]+:[^\s,;|:]+(?:\s+[0-9]+:\S+)*\s*$")
_SAMPLE_BYTES, _SAMPLE_LINES = 1 << 18, 2000


def find_format(source: Source, options: ReadOptions) -> tuple[str, tuple[Guess, ...]]:
    if options.format != "auto":
        return options.format, ()
    found = _content(source.data)
    promised = _SUFFIXES.get(source.suffix)
    if found == "libsvm" and options.separator is not None:
        found = promised = "csv"
    if found == "csv" and promised == "libsvm":
        # Rows without any pair are LIBSVM rows too; the reader says what is wrong with others.
        found = "libsvm"
    if found == "csv" and promised == "arff":
        what = "this is no ARFF file, which begins with @relation; if it is CSV, say --format csv"
        raise FileError(source.path, what, line=1)
    expected = found == (promised or "csv")
    return found, () if expected else (Guess("format", found, "--format"),)


def _content(data: bytes) -> str:
    if data.startswith(b"PAR1"):
        return "parquet"
    if is_workbook(data):
        return "xlsx"
    start = _plain(data[:_SAMPLE_BYTES])
    if _ARFF.match(start):
        return "arff"
    lines = [line for line in re.split(rb"[\r\n]+", start)[:_SAMPLE_LINES] if line.split(b"#")[0].strip()]
    paired = sum(1 for line in lines if _PAIRS.match(line))
    alone = sum(1 for line in lines if len(line.split()) == 1 and b"," not in line)
    return "libsvm" if paired and 2 * paired >= len(lines) - alone else "csv"


def _plain(start: bytes) -> bytes:
    """Enough of UTF-16 to see through it."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start[:100]:
        return start.replace(b"\0", b"").lstrip(b"\xff\xfe")
    return start.removeprefix(b"\xef\xbb\xbf")
