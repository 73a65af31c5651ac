"""Options of the user for a file and its preparation; options that are not set are guessed, and the guesses reported.

The tables of both kinds of options: a line here is an argument of every command that reads data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mcsvm_gui.core.base.options import Choice, ColumnName, Flag, Kind, Share, Whole, check_loaded, option
from mcsvm_gui.core.data import formats
from mcsvm_gui.core.data.lists import Conditions, Merges, Names, Several

AUTOMATIC = "auto"  # to be guessed
HEADERS = {AUTOMATIC: "Automatic", "yes": "yes, the first line", "no": "no, data at once"}
SPELLINGS = {
    AUTOMATIC: "each is a class",
    "join": "join equal numbers and letters",
    "join-case": "join upper and lower case too",
}
DATE_ORDERS = {
    AUTOMATIC: "Automatic",
    "dmy": "day, month, year",
    "mdy": "month, day, year",
}
DECIMALS = {".": "point", ",": "comma"}
READING: dict[str, Any] = {
    "group": "reading data",
    "commands": ("inspect", "check", "train", "tune", "compare", "curve", "predict", "evaluate", "explain", "verify"),
}
APPLYING = "predict", "evaluate", "verify", "explain"  # commands whose model decides how rows are prepared
FITTING = READING | {"commands": tuple(name for name in READING["commands"] if name not in APPLYING)}


def _formats() -> dict[str, str]:
    return {AUTOMATIC: "Automatic", **{reader.name: reader.title for reader in formats.READERS.values()}}


@dataclass(frozen=True)
class ReadOptions:
    label: str | int | None = option(
        *(None, ColumnName(), "Label column", "The column of the classes"),
        note="default: label, class, target or y in any case, else the last",
        **READING,
    )
    spellings: str = option(
        AUTOMATIC,
        Choice(titles=SPELLINGS),
        "Spellings of classes",
        "Whether labels that differ in spelling alone, as 1 and 1.0, are one class",
        note="default auto: each is a class",
        **READING,
    )
    weights: str | int | None = option(
        *(None, ColumnName(), "Weight column", "The column of the rows' weights: 2 counts twice, 0 leaves a row out"),
        unsaid="none",
        **READING,
    )
    groups: str | int | None = option(
        *(None, ColumnName(), "Group column", "The column of groups whose rows are kept together in every split"),
        unsaid="none",
        **READING,
    )
    fold_column: str | int | None = option(
        *(None, ColumnName(), "Fold column", "The column that says in which fold a row is tested"),
        unsaid="none",
        **READING,
    )
    columns: tuple[str, ...] = option(
        *((), Names(), "Only these columns", "The only columns to learn from, beside those of --text and --dates"),
        note="default: all that have no other role",
        **FITTING,
    )
    drop: tuple[str, ...] = option((), Names(), "Columns left out", "Columns to leave out", **FITTING)
    text: tuple[str, ...] = option(
        *((), Names(), "Columns of text", "Columns of text, whose words become features (tf-idf)"), **FITTING
    )
    dates: tuple[str, ...] = option(
        *((), Names(), "Columns of dates", "Columns of dates or times, which become numbers"), **FITTING
    )
    date_order: str = option(
        *(AUTOMATIC, Choice(titles=DATE_ORDERS), "Order of dates", "What 3/4/2024 means"),
        note="default: what the dates show",
        **FITTING,
    )
    categories: tuple[str, ...] = option(
        *((), Names(), "Columns of categories", "Columns whose values are names, even where they look like numbers"),
        **FITTING,
    )
    names: tuple[str, ...] | None = option(
        *(
            None,
            Names(),
            "Columns of names",
            "Columns that are shown and never learned, such as names of rows; or none",
        ),
        note="default: columns without a title, and ids, that name or count the rows",
        **READING,
    )
    keep: tuple[str, ...] = option(
        *((), Names(), "Additional columns", "Columns of the data to write next to the predictions"),
        group="reading data",
        commands=("predict",),
        unsaid="none",
    )
    where: str | None = option(
        *(None, Conditions(), "Rows where", "Read only the rows where all of this holds, such as 'CLASS=a,b; size>3'"),
        **READING,
    )
    merge: str | None = option(
        *(None, Merges(), "Merged classes", "Classes that count as one, such as 'new=a+b; other=c+d'"), **READING
    )
    share: float | None = option(
        *(None, Share(), "Share of rows", "Train on this share of the rows of each class, such as 0.1"),
        group="reading data",
        commands=("inspect", "train", "tune", "compare", "curve"),
    )
    table: str | None = option(
        *(None, Kind("NAME"), "Table", "The table or view of an SQLite database, or the sheet of an Excel workbook"),
        note="default: the first that holds anything",
        **READING,
    )
    query: str | None = option(
        None, Kind("SQL"), "Query", "Read what this SELECT gives of an SQLite database", **READING
    )
    format: str = option(
        "auto", Choice(known=_formats), "File format", note="default: what the content shows", **READING
    )
    skip_lines: int | None = option(
        *(None, Whole(lowest=0), "Lines to skip", "Skip this many lines above the header"),
        note="default: what the first lines show",
        spin=(0, 9999),
        **READING,
    )
    header: str = option(
        *("auto", Choice(titles=HEADERS), "Header line", "Whether the first line names the columns"),
        **READING,
    )
    separator: str | None = option(None, Kind(), "Separator", "Between fields, such as ';' or tab", **READING)
    decimal: str | None = option(None, Choice(".|,", DECIMALS), "Decimal mark", "In numbers", **READING)
    encoding: str | None = option(None, Kind("NAME"), "Encoding", "Such as utf-8 or cp1252", **READING)

    def __post_init__(self) -> None:
        check_loaded(self)


OF_PREDICTION = ("keep",)  # options that apply only to rows that are predicted
OF_ROWS = "where", "merge", "share"  # options for all formats
OF_KIND = {"text": "text", "date": "dates", "category": "categories"}  # options that name columns of a kind
LISTS = "columns", "drop", "names", *OF_KIND.values()  # options that name several columns
SPLITS = {
    AUTOMATIC: "By named columns",
    "stratified": "Random, by class",
    "groups": "Groups kept together",
    "column": "Fold column",
    "order": "In row order",
}
SCALES = {"minmax": "each column to -1 … 1", "standard": "mean 0, deviation 1", "none": "as they are"}
SCALED = {"minmax": "scaled to [-1, 1]", "standard": "scaled to mean 0 and deviation 1", "none": "as they are"}
MISSING = {
    "reject": "refuse to train",
    "drop": "leave such rows out",
    "mean": "fill with the mean",
    "median": "fill with the median",
    "most-frequent": "fill with the most frequent",
    "category": "a category of their own, numbers the median",
    "knn": "fill from the nearest neighbors",
}
DATE_PARTS = {
    "since": "days since a start",
    "year": "year",
    "month": "month",
    "weekday": "day of the week",
    "hour": "hour",
    "month-cycle": "month as a cycle",
    "weekday-cycle": "day of the week as a cycle",
    "hour-cycle": "time of day as a cycle",
}
ANALYZERS = {"word": "words", "char": "letters", "char_wb": "letters within words"}
NGRAMS = {"1": "one", "1:2": "one or two", "1:3": "one to three", "2:4": "two to four", "3:5": "three to five"}
STOP_WORDS = {"none": "none", "english": "English"}
UNKNOWN = {"zeros": "no level at all", "reject": "refuse to decide"}  # levels that did not occur in training


@dataclass(frozen=True)
class Rules:
    """Rules of preparation.

    If numbers are imputed by mean, median or neighbors, categories take their most frequent level.
    """

    scale: str = option(
        *("minmax", Choice(titles=SCALES), "Scaling", "How features are scaled"),
        note="default minmax: to [-1, 1], fitted on the training part only",
        unlisted=APPLYING,
        **READING,
    )
    missing: str = option(
        *("reject", Choice(titles=MISSING), "Missing cells", "What to do with missing cells"),
        note="default reject, naming the first places",
        unlisted=APPLYING,
        **READING,
    )
    unknown: str = option("zeros", Choice(titles=UNKNOWN), "Unknown levels")  # no level at all, or refused
    as_given: bool = option(False, Flag(), "Columns as given")  # every column of numbers is a feature, unchanged
    neighbors: int = option(
        5, Whole(), "Neighbors", "How many rows a missing cell is filled from, with knn", spin=(1, 99), **FITTING
    )
    missing_indicator: bool = option(
        False,
        Flag(),
        "Tell missing cells",
        "A feature more for each column with missing cells: whether one is",
        **FITTING,
    )
    min_frequency: int = option(
        *(1, Whole(), "Smallest category", "Categories of fewer rows are joined to one"),
        spin=(1, 9999),
        **FITTING,
    )
    date_parts: tuple[str, ...] = option(
        ("since", "month-cycle", "weekday-cycle", "hour-cycle"),
        Several(titles=DATE_PARTS),
        "Parts of dates",
        "What is learned of dates; of a cycle its sine and cosine",
        **FITTING,
    )
    analyzer: str = option("word", Choice(titles=ANALYZERS), "Pieces of text", "What texts are cut into", **FITTING)
    ngrams: str = option("1", Choice(titles=NGRAMS), "Pieces in a row", "How many are one feature", **FITTING)
    stop_words: str = option("none", Choice(titles=STOP_WORDS), "Stop words", "Words left out of texts", **FITTING)
    min_df: int = option(*(1, Whole(), "Rarest word", "Words in fewer texts are left out"), spin=(1, 9999), **FITTING)

    def __post_init__(self) -> None:
        check_loaded(self)

    @property
    def fills(self) -> bool:
        return self.missing not in ("reject", "drop")
