"""Python source of a preparation: values and levels alone, or also words, parts of dates, joined categories and missing
values.

Words are cut as scikit-learn's TfidfVectorizer cuts them (`_word_ngrams`, `_char_ngrams`, `_char_wb_ngrams`)."""

from __future__ import annotations

from collections.abc import Iterable

from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.data.preparation import TablePreparation
from mcsvm_gui.core.data.preparation.neighbors import DIGITS, Neighbors
from mcsvm_gui.core.export.flat_model import FlatModel
from mcsvm_gui.core.export.python.literals import numbers

PREPARE = '''
def prepare(row):
    """The features that the kernel sees."""
    values = [row[name] for name in COLUMNS] if isinstance(row, dict) else list(row)
    if len(values) != len(COLUMNS):
        raise ValueError("a row has %d values, not %d" % (len(COLUMNS), len(values)))
    values = [fill if value is None or value == "" or value != value else value for value, fill in zip(values, FILLS)]
    for c, known in KNOWN.items():
        if values[c] is not None and values[c] not in known:
            raise ValueError("training did not know %r in the column %r" % (values[c], COLUMNS[c]))
    found = [_value(values[c], level, COLUMNS[c]) for c, level in zip(SOURCES, LEVELS)]
    x = [(value - shift) * scale for value, shift, scale in zip(found, SHIFT, SCALE)]
    if not all(map(math.isfinite, x)):
        raise ValueError("a number is not finite")
    return x


def _value(value, level, column):
    if value is None:
        raise ValueError("the column %r is missing" % column)
    return float(value) if level is None else float(value == level)
'''

PREPARE_PARTS = '''
import datetime
import re


def prepare(row):
    """The features that the kernel sees. A date is ISO text, a datetime, or its seconds since 1970."""
    values = [row[name] for name in COLUMNS] if isinstance(row, dict) else list(row)
    if len(values) != len(COLUMNS):
        raise ValueError("a row has %d values, not %d" % (len(COLUMNS), len(values)))
    gone = [value is None or value == "" or value != value for value in values]
    values = [fill if none else value for value, none, fill in zip(values, gone, FILLS)]
    for c, known in KNOWN.items():
        if not gone[c] and values[c] not in known:
            raise ValueError("training did not know %r in the column %r" % (values[c], COLUMNS[c]))
    _fill(values, gone)
    found = [_value(values[c], gone[c], c, level, part) for c, level, part in zip(SOURCES, LEVELS, PARTS)]
    x = [(value - shift) * scale for value, shift, scale in zip(found, SHIFT, SCALE)]
    for c, places, idf in WORDS:
        x += _weighed(_pieces(str(values[c])), places, idf)
    if not all(map(math.isfinite, x)):
        raise ValueError("a number is not finite")
    return x


def _value(value, gone, c, level, part):
    if part == "missing":
        return float(gone)
    if value is None:
        raise ValueError("the column %r is missing" % COLUMNS[c])
    if part == "others":
        return float(value != "" and value not in LEVELS_OF[c])
    if part:
        return _part(_seconds(value), part)
    return float(value) if level is None else float(value == level)


def _seconds(value):
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    if isinstance(value, datetime.datetime):
        return (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)).total_seconds()
    return float(value)


def _part(seconds, part):
    """Monday is the first day of a week."""
    when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    name, _, wave = part.partition(" ")
    if not wave:
        numbers = {"since": seconds / 86400.0, "year": when.year, "month": when.month, "hour": when.hour}
        return float(numbers[name] if name in numbers else when.isoweekday())
    hours = (seconds - 86400.0 * math.floor(seconds / 86400.0)) / 3600.0
    value, period = {"month": (when.month - 1, 12.0), "weekday": (when.weekday(), 7.0), "hour": (hours, 24.0)}[name]
    return {"sin": math.sin, "cos": math.cos}[wave](2.0 * math.pi * value / period)


def _pieces(text):
    text = text.lower()
    if ANALYZER == "word":
        words = [word for word in re.findall(r"(?u)\\b\\w\\w+\\b", text) if word not in STOP_WORDS]
        found = words if SHORTEST == 1 else []
        for n in range(max(SHORTEST, 2), LONGEST + 1):
            found = found + [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
        return found
    text = re.sub(r"\\s\\s+", " ", text)
    parts = [text] if ANALYZER == "char" else [" %s " % word for word in text.split()]
    found = []
    for part in parts:
        for n in range(SHORTEST, LONGEST + 1):
            if ANALYZER == "char_wb" and len(part) <= n:
                found.append(part)  # a short word counts once
                break
            found += [part[i : i + n] for i in range(len(part) - n + 1)]
    return found


def _weighed(pieces, places, idf):
    found = [0.0] * len(idf)
    for piece in pieces:
        if piece in places:
            found[places[piece]] += 1.0
    found = [count * weight for count, weight in zip(found, idf)]
    length = math.sqrt(sum([value * value for value in found]))
    return [value / length for value in found] if length > 0.0 else found
'''

FILL = '''

def _fill(values, gone):
    """Missing numbers from the nearest rows that have them, as scikit-learn's KNNImputer on columns of deviation 1."""
    known = [None if gone[c] else _seconds(values[c]) if c in DATES else float(values[c]) for c in NEAR]
    row = [None if value is None else (value - m) / u for value, m, u in zip(known, MIDDLES, UNITS)]
    if None not in row:
        return
    away = []
    for donor in DONORS:
        both = [(a - (b - m) / u) ** 2 for a, b, m, u in zip(row, donor, MIDDLES, UNITS) if a is not None and b == b]
        away.append(round(math.sqrt(sum(both) * len(row) / len(both)), DIGITS) if both else math.inf)
    nearest = sorted(range(len(DONORS)), key=away.__getitem__)
    for place, c in enumerate(NEAR):
        if row[place] is None:
            having = [j for j in nearest if DONORS[j][place] == DONORS[j][place]]
            near = [j for j in having[:NEIGHBORS] if away[j] < math.inf] or having
            values[c] = sum([DONORS[j][place] for j in near]) / len(near)
'''


def prepared(plain: FlatModel) -> Iterable[str]:
    steps = plain.steps
    if steps is None:
        yield PREPARE
        return
    rules = steps.rules
    low, _, high = rules.ngrams.partition(":")
    yield f"PARTS = {[feature.part for feature in steps.features]!r}\n"
    yield f"LEVELS_OF = {_levels_of(plain)}\n"
    yield f"ANALYZER, SHORTEST, LONGEST = {rules.analyzer!r}, {low}, {high or low}\n"
    yield f"STOP_WORDS = set({_stop_words(rules)!r}.split())\n"
    yield f"WORDS = [{''.join(_words(plain, steps))}\n]\n"
    if steps.neighbors is None:
        yield PREPARE_PARTS.replace("    _fill(values, gone)\n", "")
        return
    yield from _neighbors(plain, steps.neighbors)
    yield PREPARE_PARTS + FILL


def _neighbors(plain: FlatModel, near: Neighbors) -> Iterable[str]:
    place, width = {column.name: c for c, column in enumerate(plain.columns)}, len(near.sources)
    yield f"NEAR = {[place[name] for name in near.sources]}\n"
    yield f"DATES = {[c for c, column in enumerate(plain.columns) if column.kind == 'date']}\n"
    yield f"NEIGHBORS, DIGITS = {near.count}, {DIGITS}\n"
    yield f"MIDDLES = {numbers(near.middles)}\n"
    yield f"UNITS = {numbers(near.units)}\n"
    yield f"DONORS = {numbers(near.donors)}\n"
    yield f"DONORS = [DONORS[start : start + {width}] for start in range(0, len(DONORS), {width})]\n"


def _levels_of(plain: FlatModel) -> str:
    return "{" + ", ".join(f"{c}: {column.levels or ()!a}" for c, column in enumerate(plain.columns)) + "}"


def _stop_words(rules: Rules) -> str:
    if rules.stop_words != "english" or rules.analyzer != "word":
        return ""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return " ".join(sorted(ENGLISH_STOP_WORDS))


def _words(plain: FlatModel, steps: TablePreparation) -> Iterable[str]:
    place = {column.name: c for c, column in enumerate(plain.columns)}
    for one in steps.words:
        entries = "".join(f"\n    {word!a}: {number}," for number, word in enumerate(one.vocabulary))
        idf = " ".join(map(repr, one.idf.tolist()))
        yield f"\n({place[one.source]}, {{{entries}\n}}, list(map(float, {idf!r}.split()))),"
