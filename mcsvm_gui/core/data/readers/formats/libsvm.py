"""LIBSVM and SVMlight text: `label index:value ...`, sparse, one example per line.

Numbers are parsed by array operations on many lines at once. Text that these cannot parse goes to `libsvm_slow`,
which reads line by line and reports each error with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from mcsvm.solvers.errors import Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.data.dataset import Dataset, Guess, Notice, NoticeTally, NumberedColumns
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.options import OF_KIND, ReadOptions
from mcsvm_gui.core.data.phrases import quoted
from mcsvm_gui.core.data.readers import labels
from mcsvm_gui.core.data.readers.formats import libsvm_slow
from mcsvm_gui.core.data.readers.formats.libsvm_slow import MOST_COLUMNS, Parsed
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.readers.text import beginning, decode
from mcsvm_gui.core.data.remedies import OptionWords
from mcsvm_gui.core.data.roles.choosing import rows_where
from mcsvm_gui.core.data.roles.conditions import CLASS
from mcsvm_gui.core.data.row_source import RowFile, RowSource

NAME = "libsvm"
NOTHING_SAID = ReadOptions()
OPTIONS = "format", "encoding", "columns", "drop"
# A label, and then something that is meant as index:value, correct or not.
_PAIRS = re.compile(  # a label and a pair, or pairs alone; no line of CSV with a time of day in it
    rb'(?:[^\s:,"]*|[+-]?[0-9.]+(?:,[+-]?[0-9.]+)*)\s+(?:qid:\S+\s+)?[+-]?[0-9.]+\s*:\s*[^\s,";]*(?:\s|$)'
    rb"|[0-9]+:[^\s,;|:]+(?:\s+[0-9]+:\S+)*\s*$"
)
_SAMPLE_LINES = 2000
_COMMENT = re.compile(rb"#[^\n]*")
_QUERY = re.compile(rb"(?<=[ \t])qid:[0-9]+(?=[ \t\n]|\Z)")
_LONGEST_INDEX = len(str(MOST_COLUMNS))
_SPACE, _LF, _COLON, _ZERO = 32, 10, 58, 48
_AT_ONCE = 1 << 20  # bytes of text that are parsed at once; all 78 MB of a file at once: only 40 MB/s
_LARGE = 1 << 24  # size in bytes from which compiled code reads: compiling it for the first time takes a second or two
_PIECE = 100_000  # values per call of np.loadtxt, which takes four bytes for every letter of a line


class _TooOddError(Exception):
    """Raised for text that the fast parser cannot read."""


def recognizes(source: Source, options: ReadOptions) -> bool:
    """Return whether the rows are LIBSVM rows.

    Rows without pairs also count if the suffix is one of LIBSVM. If a separator is set, the file is a table.
    """
    if options.separator is not None:
        return False
    lines = [line for line in re.split(rb"[\r\n]+", beginning(source))[:_SAMPLE_LINES] if line.split(b"#")[0].strip()]
    paired = sum(1 for line in lines if _PAIRS.match(line))
    alone = sum(1 for line in lines if len(line.split()) == 1 and b"," not in line)
    return source.suffix in READERS[NAME].suffixes or (paired > 0 and 2 * paired >= len(lines) - alone)


def read(source: Source, options: ReadOptions, *, needs_label: bool) -> Dataset:
    text = decode(source, options)
    data, notices = prepared(text.data)
    parsed = parsed_lines(source, data, needs_label=needs_label)
    notices = [*text.notices, *notices, *unused(source, options)]
    return dataset_of(source, parsed, text.guesses, tuple(notices), needs_label=needs_label, options=options)


def parsed_lines(source: Source, data: bytes, before: int = 0, *, needs_label: bool) -> Parsed:
    """Parse lines. `before`: lines of the file before these, if these are a part of it."""
    try:
        found = parse(data)
    except _TooOddError:
        return libsvm_slow.parse(source.path, data, before, needs_label=needs_label)
    return replace(found, lines=found.lines + before)


def unused(source: Source, options: ReadOptions) -> list[Notice]:
    """Return notices for options that mean nothing here; refuse options that would name columns."""
    if options.weights is not None:
        raise FileError(
            source.path,
            "a LIBSVM file has no column of weights; leave {weights} out, or write the rows as CSV with such a column",
            weights=OptionWords("weights"),
        )
    for name in ("groups", "fold_column", "names", "keep", *OF_KIND.values()):
        if getattr(options, name):
            raise FileError(
                source.path,
                "a LIBSVM file has no column beside label and features; leave {option} out, or write the rows as CSV",
                option=OptionWords(name),
            )
    if options.label is not None:
        sentence = Sentence(
            "{label} is not used: the first word of a LIBSVM line is its label", label=OptionWords("label")
        )
        return [Notice("label-option-unused", sentence)]
    return []


def prepared(data: bytes) -> tuple[bytes, list[Notice]]:
    """Remove comments and query numbers; lines keep their numbers."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    notices = []
    if b"#" in data:
        data, count = _COMMENT.subn(b"", data)
        notices.append(Notice.of("comments", NoticeTally(_comments, count)))
    if b"q" in data and b"qid:" in data:  # one letter is found twenty times as fast as a word
        data, count = _QUERY.subn(b"", data)
        if count:
            notices.append(Notice.of("query-numbers", NoticeTally(_queries, count)))
    return data, notices


def _comments(tally: NoticeTally) -> Sentence:
    return Sentence("{count} comment behind # skipped", "{count} comments behind # skipped", count=tally.count)


def _queries(tally: NoticeTally) -> Sentence:
    return Sentence(
        "{count} query number (qid) skipped: this is no ranking program",
        "{count} query numbers (qid) skipped: this is no ranking program",
        count=tally.count,
    )


def parse(data: bytes) -> Parsed:
    """Parse chunk by chunk: temporary arrays stay in cache, and memory holds the text and the result once each."""
    if len(data) >= _LARGE:
        return _at_full_speed(data)
    total = data.count(b":")
    indices, values = np.empty(total, dtype=np.int32), np.empty(total)
    words, pointers, lines = [np.empty(0, dtype=object)], [np.zeros(1, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    done = before = 0
    for piece in _cut(data):
        found = _parsed(piece)
        here = slice(done, done + len(found.values))
        indices[here], values[here] = found.indices, found.values
        words.append(np.asarray(found.labels))
        pointers.append(found.pointers[1:] + done)
        lines.append(found.lines + before)
        done, before = here.stop, before + piece.count(b"\n")
    labels, starts, numbers = (np.concatenate(parts) for parts in (words, pointers, lines))
    return Parsed(labels, starts, indices, values, numbers)


def _at_full_speed(data: bytes) -> Parsed:
    from mcsvm_gui.core.data.readers.formats.libsvm_fast import parse as parse_compiled

    found = parse_compiled(data)
    if found is None:
        raise _TooOddError
    return found


def _cut(data: bytes) -> Iterator[bytes]:
    """Yield chunks of whole lines."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _AT_ONCE) + 1 or len(data)
        yield data[start:end]
        start = end


def _parsed(data: bytes) -> Parsed:
    tokens = _tokens(data)
    buffer = np.frombuffer(data, np.uint8)
    starts, ends, first = tokens.starts[~tokens.is_label], tokens.ends[~tokens.is_label], tokens.is_label
    colons = np.flatnonzero(buffer == _COLON)
    if len(colons) != len(starts) or not ((starts < colons) & (colons + 1 < ends)).all():
        raise _TooOddError
    indices = _indices(buffer, starts, colons)
    values = _values(buffer, tokens, starts, colons)
    begins = np.flatnonzero(first)
    pointers = np.append(begins - np.arange(len(begins)), len(starts))
    words = _words(data, tokens.starts[first], tokens.ends[first])
    return Parsed(words, pointers, indices, values, tokens.lines)


@dataclass(frozen=True)
class _Tokens:
    starts: np.ndarray
    ends: np.ndarray
    is_label: np.ndarray  # whether the token is the first of its line
    lines: np.ndarray  # line numbers of the labels


def _tokens(data: bytes) -> _Tokens:
    """Find the words between blanks. Control characters count as blanks: text.py lets no others through that matter."""
    buffer = np.frombuffer(data, np.uint8)
    solid = np.concatenate([[False], buffer > _SPACE, [False]])
    edges = np.flatnonzero(solid[1:] != solid[:-1])
    starts, ends = edges[0::2], edges[1::2]
    feeds = np.flatnonzero(buffer == _LF)
    line_of = np.searchsorted(starts, np.concatenate([[0], feeds + 1]))
    bounds = np.append(line_of, len(starts))
    filled = np.flatnonzero(bounds[1:] > bounds[:-1])
    is_label = np.zeros(len(starts), dtype=bool)
    is_label[bounds[filled]] = True
    return _Tokens(starts, ends, is_label, filled + 1)


def _indices(buffer: np.ndarray, starts: np.ndarray, colons: np.ndarray) -> np.ndarray:
    lengths = colons - starts
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST_INDEX:
        raise _TooOddError
    result = np.zeros(len(starts), dtype=np.int64)
    for place in range(longest):
        here = lengths > place
        digit = buffer[np.where(here, starts + place, 0)].astype(np.int64) - _ZERO
        if ((digit[here] < 0) | (digit[here] > 9)).any():
            raise _TooOddError
        result = np.where(here, result * 10 + digit, result)
    if len(result) and result.max() > MOST_COLUMNS:
        raise _TooOddError
    return result


def _values(buffer: np.ndarray, tokens: _Tokens, starts: np.ndarray, colons: np.ndarray) -> np.ndarray:
    """Parse the text after blanking out everything except the values."""
    blanked = buffer.copy()
    blanked[buffer == _LF] = _SPACE
    for begin, end in ((starts, colons + 1), (tokens.starts[tokens.is_label], tokens.ends[tokens.is_label])):
        lengths = end - begin
        for place in range(int(lengths.max(initial=0))):
            blanked[begin[lengths > place] + place] = _SPACE
    cuts = [*starts[::_PIECE].tolist(), len(blanked)]
    pieces = [_numbers(blanked[start:end].tobytes()) for start, end in pairwise(cuts)]
    values = np.concatenate([np.empty(0), *pieces])
    if len(values) != len(starts) or not np.isfinite(values).all():
        raise _TooOddError
    return values


def _numbers(text: bytes) -> np.ndarray:
    """Parse the decimal numbers of one line.

    np.loadtxt rounds correctly and raises ValueError at the first word that is not a number. np.fromstring only warns,
    and a thread cannot turn a warning into an error for itself alone.
    """
    try:
        return np.loadtxt([text.decode("ascii")], comments=None, ndmin=1)
    except ValueError:
        raise _TooOddError from None


def _words(data: bytes, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the labels as text. A word with a colon or a comma is not a label."""
    words = np.empty(len(starts), dtype=object)
    known: dict[bytes, str] = {}
    pieces = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    for piece in set(pieces):
        if b":" in piece or b"," in piece:
            raise _TooOddError
        known[piece] = piece.decode("utf-8", "replace")
    words[:] = [known[piece] for piece in pieces]
    return words


def dataset_of(
    source: Source,
    parsed: Parsed,
    guesses: tuple[Guess, ...],
    notices: tuple[Notice, ...],
    *,
    needs_label: bool,
    before: int | None = None,
    numbers: np.ndarray | None = None,
    options: ReadOptions = NOTHING_SAID,
) -> Dataset:
    """Make a data set of parsed lines.

    If the lines are a part of a file, `before` is the number of rows before them, and `numbers` has the number of each
    row among the data rows of the file.
    """
    if not len(parsed.lines):
        raise FileError(source.path, "no data rows: there is nothing but blank lines and comments")
    matrix, base = _matrix(source, parsed, whole=before is None)
    if base == 0:
        sentence = Sentence("indices count from 0 in this file; features are named 0, 1, 2, ...")
        notices = (*notices, Notice("zero-based", sentence))
    matrix, parsed, chosen, kept = _chosen(source, matrix, base, parsed, options.where, whole=before is None)
    if kept is not None:
        numbers = kept + 1 if numbers is None else numbers[kept]
    matrix = _without(source, matrix, base, options, needed=before is None and needs_label)
    notices = (*notices, *chosen)
    values: np.ndarray | None = None
    more: tuple[Notice, ...] = ()
    if parsed.labels is not None:
        one_spelling, spelled = _one_spelling(parsed.labels)
        checked = labels.check(
            source.path, "label", one_spelling, parsed.lines, needs_label=needs_label, merge=options.merge
        )
        values, more = checked.values, (*spelled, *checked.notices)
    digest = source.digest
    return Dataset(
        name=str(source.path),
        format=NAME,
        columns=NumberedColumns(base, matrix.shape[1]),
        table=None,
        matrix=matrix,
        label_name=None if values is None else "label",
        labels=values,
        lines=parsed.lines,
        guesses=guesses,
        notices=(*notices, *more),
        digest=digest,
        before=before,
        source=None if numbers is None else RowSource(numbers, (RowFile(str(source.path), digest),)),
    )


def _without(source: Source, matrix: sp.csr_array, base: int, options: ReadOptions, *, needed: bool) -> sp.csr_array:
    """Empty the columns that are left out; all columns keep their numbers."""
    if not options.columns and not options.drop:
        return matrix
    gone = np.full(matrix.shape[1], bool(options.columns))
    gone[_positions(source, options.columns, base, matrix.shape[1], needed=needed)] = False
    gone[_positions(source, options.drop, base, matrix.shape[1], needed=needed)] = True
    matrix.data[gone[matrix.indices]] = 0.0
    matrix.eliminate_zeros()
    return matrix


def _positions(source: Source, names: Sequence[str], base: int, width: int, *, needed: bool) -> list[int]:
    places = {name: int(name) - base if name.isdecimal() else -1 for name in names}
    absent = [name for name, place in places.items() if not 0 <= place < width]
    if absent and (needed or not all(map(str.isdecimal, absent))):
        raise FileError(
            source.path,
            "there is no column {name}; columns of a LIBSVM file are numbers from {first} to {last}",
            name=quoted(absent[0]),
            first=base,
            last=base + width - 1,
        )
    return [place for place in places.values() if 0 <= place < width]


def _chosen(
    source: Source, matrix: sp.csr_array, base: int, parsed: Parsed, where: str | None, *, whole: bool
) -> tuple[sp.csr_array, Parsed, tuple[Notice, ...], np.ndarray | None]:
    """Return the requested rows, chosen by class or by the value of a column, and their positions."""

    def cells(name: str) -> np.ndarray:
        if name in (CLASS, "label") and parsed.labels is not None:
            return parsed.labels
        if not whole and name.isdecimal() and int(name) >= base + matrix.shape[1]:
            return np.zeros(matrix.shape[0])  # other blocks may have it
        if not name.isdecimal() or not base <= int(name) < base + matrix.shape[1]:
            raise FileError(source.path, "there is no column {name} to choose rows by", name=quoted(name))
        return np.asarray(matrix[:, [int(name) - base]].toarray()).ravel()

    kept, notices = rows_where(source.path, where, cells, len(parsed.lines))
    if kept is None:
        return matrix, parsed, (), None
    fewer = replace(parsed, lines=parsed.lines[kept], labels=None if parsed.labels is None else parsed.labels[kept])
    return matrix[kept], fewer, notices, kept


def _matrix(source: Source, parsed: Parsed, *, whole: bool) -> tuple[sp.csr_array, int]:
    """Build the matrix. It is as wide as the highest index, even if only zeros have it; explicit zeros are removed."""
    if whole and not len(parsed.indices):
        raise without_features(source)
    base = 0 if int(parsed.indices.min(initial=1)) == 0 else 1
    width = int(parsed.indices.max(initial=0)) + 1 - base
    size = np.int32 if len(parsed.values) < 2**31 else np.int64
    indices = parsed.indices.astype(size, copy=False)  # no other object uses this array
    np.subtract(indices, base, out=indices)
    matrix = sp.csr_array((parsed.values, indices, parsed.pointers.astype(size)), shape=(len(parsed.lines), width))
    matrix.sort_indices()
    alike = np.flatnonzero(matrix.indices[1:] == matrix.indices[:-1])
    row_of = np.searchsorted(matrix.indptr, [alike, alike + 1], side="right") - 1
    twice = np.flatnonzero(row_of[0] == row_of[1])
    if len(twice):
        line, index = int(parsed.lines[row_of[0][twice[0]]]), int(matrix.indices[alike[twice[0]]]) + base
        raise FileError(
            source.path, "index {index} occurs twice in one row; write each index once", index=index, line=line
        )
    matrix.eliminate_zeros()
    return matrix, base


def without_features(source: Source) -> FileError:
    return FileError(source.path, "no line has a feature; a LIBSVM line is: label index:value index:value ...")


def _one_spelling(words: np.ndarray) -> tuple[np.ndarray, tuple[Notice, ...]]:
    """Unite labels that are equal as numbers, such as +1 and 1, under the shortest spelling."""
    groups: dict[float, list[str]] = {}
    for word in sorted(set(words), key=lambda word: (len(word), word)):
        if labels.is_number(word):
            groups.setdefault(float(word), []).append(word)
    several = [group for group in groups.values() if len(group) > 1]
    if not several:
        return words, ()
    renamed = {word: group[0] for group in several for word in group}
    result = words.copy()
    result[:] = [renamed.get(word, word) for word in words]
    pairs = "; ".join(" = ".join(group) for group in several[:5])
    return result, (
        Notice("label-spellings", Sentence("labels that are equal as numbers are one class: {pairs}", pairs=pairs)),
    )
