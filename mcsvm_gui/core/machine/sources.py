"""Read the files of a request, and other files in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from mcsvm.solvers.errors import InputError, Sentence
from mcsvm_gui.core.base.errors import FileError
from mcsvm_gui.core.base.options import options_of
from mcsvm_gui.core.data.blocks.rows import RowBlocks
from mcsvm_gui.core.data.dataset import Column, Dataset, NumberedColumns
from mcsvm_gui.core.data.files.parts import concatenated
from mcsvm_gui.core.data.formats import READERS
from mcsvm_gui.core.data.options import LISTS, OF_KIND
from mcsvm_gui.core.data.readers import ReadOptions, open_dataset
from mcsvm_gui.core.data.readers.source import Source
from mcsvm_gui.core.data.roles.value import Role
from mcsvm_gui.core.data.spellings import in_training_spelling
from mcsvm_gui.core.data.splitting import shared_groups
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.trained import TrainedModel

AS_TRAINED = "merge", "spellings", "header", "separator", "decimal"  # as in training unless set again
DEFAULT = {name: option.default for name, option in options_of(ReadOptions).items()}
OF_SOME_FORMATS = "table", "query", "groups", "fold_column", *LISTS  # options of reading


def open_for(trained: TrainedModel, path: str, options: ReadOptions) -> Dataset:
    """Open a file to be predicted by a model."""
    return open_dataset(path, _as_trained(trained, path, options), needs_label=False)


def blocks_for(trained: TrainedModel, path: str, options: ReadOptions) -> RowBlocks:
    """Open the same file block by block."""
    return RowBlocks(path, _as_trained(trained, path, options), identified=trained.rows is not None)


def _as_trained(trained: TrainedModel, path: str, options: ReadOptions) -> ReadOptions:
    """Return options to read rows for this model: columns get the kinds and roles that they had in training.

    LIBSVM files have their label in front, without a name.
    """
    label = None if isinstance(trained.preparation.columns, NumberedColumns) else trained.label_name
    columns, order = trained.preparation.columns, trained.preparation.date_order
    names = trained.columns_of("name") if options.names is None else options.names
    options = with_kinds(options, columns, order, trained.preparation.unused, names)
    said = {name: getattr(trained.request.read, name) for name in AS_TRAINED if getattr(options, name) == DEFAULT[name]}
    for option, role in (("groups", "group"), ("fold_column", "fold")):
        said[option] = getattr(options, option) or next(iter(trained.columns_of(cast("Role", role))), None)
    options = _for_format_of(path, replace(options, **said))
    return _named(options, label, None if trained.weighing is None else trained.weighing.column)


def with_kinds(
    options: ReadOptions, columns: Sequence[Column], date_order: str, unused: Sequence[str], names: Sequence[str] = ()
) -> ReadOptions:
    """Return options that give columns the kinds that they had in training, whatever their values look like.

    Training ignored the `unused` columns, and `names` named the rows. Other columns stay unchanged, so that they can
    be reported.
    """
    if isinstance(columns, NumberedColumns):
        return options
    said: dict[str, Any] = {
        option: tuple(column.name for column in columns if column.kind == kind) for kind, option in OF_KIND.items()
    }
    used = {column.name for column in columns}
    names = tuple(name for name in names if name not in used)
    drop = tuple(name for name in (*unused, *options.drop) if name not in (*used, *names))
    order = date_order or options.date_order
    return replace(options, columns=(), names=names, drop=drop, date_order=order, **said)


def open_like(path: str, options: ReadOptions, label_name: str | None, weight_name: str | None = None) -> Dataset:
    """Open a file to predict or score; label and weight columns have their names from training unless the user sets
    them."""
    return open_dataset(path, _named(options, label_name, weight_name), needs_label=False)


def _named(options: ReadOptions, label_name: str | None, weight_name: str | None) -> ReadOptions:
    label = label_name if options.label is None else options.label
    return replace(options, label=label, weights=weight_name if options.weights is None else options.weights)


def open_test(path: str, read: ReadOptions, training: Dataset) -> Dataset:
    """Open rows to test on, read as the training rows were; the label column is found by its name."""
    numbered = isinstance(training.columns, NumberedColumns)
    # Columns are matched by name: a number may mean another column there.
    read = with_kinds(read, training.columns, training.date_order, training.unused, tuple(training.row_names))
    # The number of lines above the header may differ between files of the same instrument.
    read = replace(read, skip_lines=None)
    named = _for_format_of(path, replace(read, groups=training.group_name, fold_column=training.fold_name))
    named = replace(named, weights=None) if training.weight_name else named
    test = open_like(path, named, None if numbered else training.label_name, training.weight_name).counting()
    return replace(test, notices=(*test.notices, *shared_groups(training, test)))


def _for_format_of(path: str, read: ReadOptions) -> ReadOptions:
    """Remove options that the file's format does not have: a table in CSV, a column of groups in LIBSVM.

    If the suffix does not determine the format, as for a folder, all options stay.
    """
    suffix = Source(Path(path), b"", ()).suffix
    known = {option for reader in READERS.values() if suffix in reader.suffixes for option in reader.options}
    if not known:
        return read
    table = options_of(ReadOptions)
    unused: dict[str, Any] = {option: table[option].default for option in OF_SOME_FORMATS if option not in known}
    return replace(read, **unused)


class ChangedFileError(FileError):
    """A file has changed since training."""


def test_of(request: Request, training: Dataset) -> Dataset | None:
    """Read the test file of a request; raise ChangedFileError if it has changed since the test."""
    if request.test is None:
        return None
    test = open_test(request.test, request.read, training)
    if request.test_digest is not None and test.digest != request.test_digest:
        raise ChangedFileError(request.test, "the file has changed since it was tested on")
    return test


def joined_with_test(training: Dataset, test: Dataset) -> Dataset:
    """Return the rows of a training file and, after them, those of its test file, to train a final model on.

    Raise FileError if rows of the test file cannot be trained on.
    """
    if test.labels is None:
        raise FileError(test.name, "its rows have no classes, so that no model can be trained on them")
    labels = in_training_spelling(training.classes, test.labels)
    unknown = sorted(set(labels.tolist()) - set(training.classes))
    if unknown:
        raise FileError(
            test.name,
            "it has rows of the class {name!r}, which {training} has not: the test would not be one of the final model",
            name=unknown[0],
            training=training.name,
        )
    optional = {"weights": Sentence("weights"), "groups": Sentence("groups"), "folds": Sentence("folds")}
    for name, what in optional.items():
        if (getattr(training, name) is None) != (getattr(test, name) is None):
            raise FileError(test.name, "it has no column of {what}, but {name} has", what=what, name=training.name)
    names = [name for name in training.row_names if name in test.row_names]
    training, test = (
        replace(part, row_names={name: part.row_names[name] for name in names}, kept={}) for part in (training, test)
    )
    if training.table is not None and test.table is not None:
        ordered = {column.name: column for column in test.columns}
        missing = [column.name for column in training.columns if column.name not in ordered]
        if missing:
            raise FileError(test.name, "it has no column {name!r}", name=missing[0])
        columns = [ordered[column.name] for column in training.columns]
        test = replace(test, columns=columns, table=test.table[[column.name for column in columns]])
    joined = concatenated([training, replace(test, labels=labels, notices=())])
    return replace(joined, weightless=training.weightless + test.weightless)


def training_data(request: Request, path: str) -> Dataset:
    """Return the rows of the training file at `path`, and of the test file that the final model is trained on as well.

    Held-out rows are among them.
    """
    dataset = open_dataset(path, request.read)
    tested = request.tested
    if tested is None or tested.test is None:
        return dataset
    return joined_with_test(dataset, open_test(tested.test, request.read, dataset))


def data_of(request: Request) -> tuple[Dataset, Dataset | None]:
    """Return training and test rows; raise InputError if the request names no file, or if a file has changed."""
    if request.data is None:
        raise InputError("the run does not name its data")
    dataset = training_data(request, request.data)
    if request.digest is not None and dataset.digest != request.digest:
        raise ChangedFileError(request.data, "the file has changed since it was trained on")
    return dataset, test_of(request, dataset)
