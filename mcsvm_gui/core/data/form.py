"""The questions that a data file leaves open, each with its answers, the guessed one, and the reason if it is fixed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.base.options import Choice, ColumnName, Option, options_of
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.lists import Names
from mcsvm_gui.core.data.options import AUTOMATIC, LISTS, OF_PREDICTION, OF_ROWS, ReadOptions, Rules

if TYPE_CHECKING:
    from mcsvm_gui.core.data.dataset import Dataset

MOST_COLUMNS = 1_000  # in the list of label columns; other names can be typed
NAMES = {"label": "label_name", "weights": "weight_name", "groups": "group_name", "fold_column": "fold_name"}
OPTIONS = tuple(
    name for name in options_of(ReadOptions) if name not in (*LISTS, *OF_PREDICTION)
)  # the table of columns asks for lists


@dataclass(frozen=True)
class FieldChoice:
    value: str | None  # None: to be guessed
    text: str


@dataclass(frozen=True)
class Field:
    option: str  # of ReadOptions
    title: str
    answers: tuple[FieldChoice, ...]
    value: str | None
    guessed: bool = False
    reason: str = ""  # the reason why it cannot be changed; empty if it can
    free: bool = False  # another answer may be typed
    hint: str = ""  # what may be typed
    shown: bool = True
    spin: tuple[int, int] | None = None  # lowest and highest value of an integer


_ASKED_FOR = {  # rules that only some data need, by the kind of column that needs them
    **dict.fromkeys(("analyzer", "ngrams", "stop_words", "min_df"), "text"),
    "date_parts": "date",
    "min_frequency": "category",
}


def asked_rules(dataset: Dataset, rules: Rules) -> set[str]:
    """Return the rules that make a difference to these data."""
    kinds = set() if dataset.matrix is not None else {column.kind for column in dataset.columns}
    asked = {name for name in options_of(Rules) if _ASKED_FOR.get(name) in (None, *kinds)}
    if rules.missing != "knn":
        asked.discard("neighbors")
    if not rules.fills:
        asked.discard("missing_indicator")
    return asked


def titles() -> dict[str, str]:
    return {name: tr(option.title) for name, option in options_of(ReadOptions).items()}


def reading_form(read: ReadOptions, dataset: Dataset | None, columns: Iterable[str] = ()) -> tuple[Field, ...]:
    """Return one field per option; `columns`: the known columns of a file that could not be read."""
    made = () if dataset is None else dataset.guesses
    guesses = {guess.option.lstrip("-").replace("-", "_"): guess.value for guess in made}
    columns = tuple(columns)
    fields = [
        _column(option, read, dataset, columns, guessed=name in guesses)
        if isinstance(option.kind, ColumnName)
        else _field(name, _text(option, read), guesses.get(name), dataset)
        for name, option in options_of(ReadOptions).items()
        if name in OPTIONS
    ]
    return tuple(_where_used(field, dataset) for field in fields)


def applied(read: ReadOptions, option: str, value: str | None) -> ReadOptions:
    """Apply the answer to a question. A list of columns grows by it. Raise InputError if the answer is invalid."""
    asked = options_of(ReadOptions)[option]
    change: dict[str, Any] = {option: asked.default if value is None else asked.kind.parse(value)}
    if isinstance(asked.kind, Names) and change[option]:
        more = set(change[option])
        change = {name: tuple(one for one in getattr(read, name) or () if one not in more) for name in LISTS}
        change[option] = (*change[option], *sorted(more))
        if read.names is None and option != "names":
            del change["names"]  # to be recognized, as before
    return replace(read, **change)


def columns_of(path: str, read: ReadOptions) -> tuple[str, ...]:
    """Return the columns of a file that is not fit for training as it was read; none if it cannot be read at all."""
    from mcsvm.solvers.errors import InputError
    from mcsvm_gui.core.data.readers import open_dataset

    try:
        bare = replace(read, **{name: options_of(ReadOptions)[name].default for name in (*NAMES, *LISTS, *OF_ROWS)})
        found = open_dataset(path, bare, needs_label=False)
    except (InputError, OSError):
        return ()
    if found.matrix is not None:
        return ()
    names = [column.name for column in found.columns]
    return tuple(names if found.label_name is None else [*names, found.label_name])


def _column(
    option: Option, read: ReadOptions, dataset: Dataset | None, columns: tuple[str, ...], *, guessed: bool
) -> Field:
    """Return the field of a column: the features, the current column and, except for a label, no column."""
    asked, is_label = getattr(read, option.name), option.name == "label"
    names, value = list(columns), None if asked is None else str(asked)
    if dataset is not None:
        value = getattr(dataset, NAMES[option.name])
        features = [] if dataset.matrix is not None else _features(dataset, text=option.name != "weights")
        names = [name for name in [*features, value] if name is not None]
    free = dataset is None or len(names) > MOST_COLUMNS
    first = list(islice(names, MOST_COLUMNS))
    if value is not None and value not in first:
        first.insert(0, value)
    nothing = [] if is_label else [FieldChoice(None, tr(option.unsaid))]
    answers = (*nothing, *(FieldChoice(name, name) for name in first))
    return Field(option.name, tr(option.title), answers, value, guessed, free=free, hint=tr("name or number"))


def _features(dataset: Dataset, *, text: bool) -> list[str]:
    """Return the columns that may be a label, or weights, which cannot be text."""
    return [column.name for column in dataset.columns if text or column.kind == "number"]


def _field(option: str, value: str | None, guess: str | None, dataset: Dataset | None) -> Field:
    asked = None if value in (None, AUTOMATIC) else value
    spin = options_of(ReadOptions)[option].spin
    if spin is not None:
        automatic = tr("Automatic") if guess is None else tr("Guessed: {value}", value=guess)
        return Field(option, titles()[option], (FieldChoice(None, automatic),), asked, guess is not None, spin=spin)
    known = _answers(option, () if dataset is None else dataset.tables)
    named = {answer.value: answer.text for answer in known}
    automatic = tr("Automatic") if guess is None else tr("Guessed: {value}", value=named.get(_plain(guess), guess))
    answers = [FieldChoice(None, automatic), *known]
    if asked is not None and asked not in named:
        answers.append(FieldChoice(asked, asked))
    return Field(
        option,
        titles()[option],
        tuple(answers),
        asked,
        guess is not None,
        free=option in _TYPED and not known,
        hint=_TYPED.get(option, ""),
        shown=option not in _SELDOM or asked is not None or (dataset is not None and _needed(option, dataset)),
    )


def _text(option: Option, read: ReadOptions) -> str | None:
    value = getattr(read, option.name)
    return None if value is None else option.kind.written(value)


def _plain(guess: str) -> str:
    return {"utf_8": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(guess, guess)


_TYPED = {"table": "", "query": "SELECT … FROM …"}  # what may be typed
_TYPED |= {"where": "CLASS=a,b; size>3", "merge": "new=a+b", "share": "0.1"}
_SELDOM = {"table", "query", "spellings", "date_order"}
_SPELLED = {"label-spelling", "label-letters", "label-case"}  # notices that ask how to spell classes


def _needed(option: str, dataset: Dataset) -> bool:
    """Return whether the file leaves this open."""
    if option == "date_order":
        return bool(dataset.date_order)
    if option == "spellings":
        return any(notice.code in _SPELLED for notice in dataset.notices)
    return option in READERS[dataset.format].options


def _answers(option: str, tables: Iterable[str]) -> tuple[FieldChoice, ...]:
    kind = options_of(ReadOptions)[option].kind
    if isinstance(kind, Choice):
        return tuple(FieldChoice(word, tr(title)) for word, title in kind.entries.items() if word != AUTOMATIC)
    return tuple(FieldChoice(value, text) for value, text in _suggested(tables)[option])


def _suggested(tables: Iterable[str]) -> dict[str, Iterable[tuple[str, str]]]:
    """Return suggestions for options that take any text."""
    return {
        "table": ((table, table) for table in tables),
        "query": (),
        **dict.fromkeys(OF_ROWS, ()),
        "separator": (
            (",", tr("comma")),
            (";", tr("semicolon")),
            ("tab", tr("tab")),
            ("|", tr("vertical bar")),
            ("whitespace", tr("blanks")),
        ),
        "encoding": _ENCODINGS,
    }


_ENCODINGS = (
    ("utf-8", "UTF-8"),
    ("utf-16", "UTF-16"),
    ("cp1252", "Windows-1252"),
    ("iso-8859-15", "ISO 8859-15"),
    ("cp1250", "Windows-1250"),
    ("cp1251", "Windows-1251"),
    ("shift_jis", "Shift JIS"),
    ("gb18030", "GB 18030"),
)


def _where_used(field: Field, dataset: Dataset | None) -> Field:
    if dataset is None or field.option in OF_ROWS or field.option in READERS[dataset.format].options:
        return field
    title = READERS[dataset.format].title
    if field.option == "label":
        return replace(field, reason=tr("In {format} files the label has its place", format=title))
    if field.option == "weights":
        return replace(field, reason=tr("{format} files have no column of weights", format=title))
    if field.option in NAMES:
        return replace(field, reason=tr("{format} files have no column beside label and features", format=title))
    return replace(field, reason=tr("{format} files leave nothing to choose here", format=title))
