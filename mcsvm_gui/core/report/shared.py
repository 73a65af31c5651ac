"""Blocks shared by all kinds of reports."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from mcsvm.solvers.dual.gap import relative_gaps
from mcsvm_gui.core.base import figures, hardware
from mcsvm_gui.core.base.about import own_version
from mcsvm_gui.core.base.i18n import as_sentence, tr, worded
from mcsvm_gui.core.compare.comparison import Comparison, Side
from mcsvm_gui.core.compare.differences import disagreement_table, table_of_tests
from mcsvm_gui.core.compare.measures import MEASURES, MeasureRow, measure_rows
from mcsvm_gui.core.compare.result_table import ResultTable, TableCell, translated
from mcsvm_gui.core.compare.tables import class_table, confusion
from mcsvm_gui.core.data.dataset import Dataset
from mcsvm_gui.core.data.inspection import repeated
from mcsvm_gui.core.data.options import MISSING, SCALED, UNKNOWN
from mcsvm_gui.core.evaluate.statistics import TestResult
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.machine.summary import badge, sentences, title
from mcsvm_gui.core.machine.trained import Origin, versions
from mcsvm_gui.core.report import plots
from mcsvm_gui.core.report.blocks import Block, Code, Figure, Heading, Paragraph, Properties, Table

MOST_CLASSES = 40  # of a legible confusion matrix
MOST_ROWS = 200  # of a list
MOST_NAMES = 12  # of features of one kind
MOST_ENTRIES = 50_000  # of all confusion matrices
MOST_FIGURES = 24  # of single runs
BESIDE = 12  # runs that are shown side by side


def made() -> str:
    moment = datetime.now(UTC).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    return tr("Made {moment} by mcsvm {version}", moment=moment, version=own_version())


def surroundings() -> list[Block]:
    """Return the packages and computer that made the report; the runs name those that trained them."""
    used, machine = made_with()
    return [Heading(tr("This report was made with")), Properties((*used, *machine, (tr("cores"), str(os.cpu_count()))))]


def made_with() -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    return versions(), ((tr("system"), hardware.system()), (tr("processor"), hardware.processor()))


def trained_with(origin: Origin) -> Paragraph:
    """Name the packages, and the computer if the model stores it; models of reference methods do not."""
    used = ", ".join(f"{name} {version}" for name, version in origin.versions)
    where = ", ".join(words for words in (origin.system, origin.processor) if words)
    return Paragraph(
        tr("Trained with {used} on {where}.", used=used, where=where)
        if where
        else tr("Trained with {used}.", used=used)
    )


def _weight_facts(dataset: Dataset) -> tuple[tuple[str, str], ...]:
    if dataset.weights is None:
        return ()
    return (
        (tr("weight column"), str(dataset.weight_name)),
        (tr("sum of weights"), figures.amount(float(dataset.weights.sum()))),
        (tr("rows of weight 0, left out"), figures.count(dataset.weightless)),
    )


def data_blocks(dataset: Dataset, *, name: str | None = None, test: Dataset | None = None) -> list[Block]:
    """Return summary and digests; `test` is the test file."""
    counts = list(zip(dataset.classes, dataset.class_counts, strict=True))
    duplicates, conflicts = repeated(dataset)
    facts = (
        (tr("file"), dataset.name),
        (tr("format"), dataset.format),
        (tr("rows"), figures.count(dataset.rows)),
        *_weight_facts(dataset),
        (tr("features"), figures.count(len(dataset.columns))),
        (tr("classes"), figures.count(len(counts))),
        (tr("missing cells"), figures.count(dataset.missing)),
        (tr("rows that occur again"), figures.count(duplicates)),
        (tr("of these with another class"), figures.count(conflicts)),
        ("SHA-256", dataset.digest),
        *(() if test is None else ((tr("tested on"), test.name), (tr("its SHA-256"), test.digest))),
    )
    table = Table(
        (tr("class"), tr("rows"), tr("share")),
        tuple(
            (label, figures.count(count), figures.percent(count / dataset.rows)) for label, count in counts[:MOST_ROWS]
        ),
        numbers=frozenset({1, 2}),
    )
    warnings = [Paragraph(worded(notice.sentence)) for notice in dataset.notices]
    heading = Heading(tr("Data: {name}", name=name or os.path.basename(dataset.name)), 2)
    return [heading, Properties(facts), table, *_features(dataset), *warnings]


def _features(dataset: Dataset) -> list[Block]:
    """Count the features of each kind, and name the first ones."""
    if dataset.table is None:
        return []
    kinds = {"number": tr("number"), "category": tr("category"), "text": tr("text"), "date": tr("date")}
    names: dict[str, list[str]] = {}
    for column in dataset.columns:
        names.setdefault(column.kind, []).append(column.name)
    rows = tuple((kinds[kind], figures.count(len(of_kind)), _listed(of_kind)) for kind, of_kind in names.items())
    return [Table((tr("kind"), tr("features"), tr("names")), rows, numbers=frozenset({1}))]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")


def preparation_text(request: Request) -> str:
    fitted = "" if request.rules.scale == "none" else tr(", fitted on training rows alone")
    words = [
        tr("features {scaled}{fitted}", scaled=tr(SCALED[request.rules.scale]), fitted=fitted),
        tr("missing cells: {missing}", missing=tr(MISSING[request.rules.missing])),
    ]
    unknown = tr("levels that training did not know: {unknown}", unknown=tr(UNKNOWN[request.rules.unknown]))
    return "; ".join([*words, unknown])


def request_blocks(request: Request, level: int = 3) -> list[Block]:
    """Return all settings that have a value."""
    return asked_blocks(request.document(), level)


def asked_blocks(document: Mapping[str, Any], level: int = 3) -> list[Block]:
    plain = dict(document)
    nested = {name: plain.pop(name) for name in ("rules", "read")}
    rows = list(plain.items())
    rows += [(f"{name} {key}", value) for name, values in nested.items() for key, value in values.items()]
    rows = [(name, _value(value)) for name, value in rows if value is not None and value not in ("", [], (), {})]
    return [Heading(tr("Settings"), level), Properties(tuple(rows))]


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(
            f"{key}: ({_value(x)})" if isinstance(x, Mapping) else f"{key}: {_value(x)}" for key, x in value.items()
        )
    return figures.parameter(value) if isinstance(value, (int, float, str)) else str(value)


def outcome_blocks(document: Mapping[str, Any]) -> list[Block]:
    """Return the machine in words, its badge, ending and certificate."""
    found = badge(document)
    certificate = document["certificate"]
    facts = (
        (tr("primal"), figures.objective(certificate["primal"])),
        (tr("dual"), figures.objective(certificate["dual"])),
        (tr("gap"), figures.number(certificate["gap"])),
        (tr("relative gap"), figures.gap(max(certificate["relative_gap"], 0.0))),
        (tr("largest violation"), figures.violation(certificate["violation"])),
    )
    words = " ".join(sentence for sentence in sentences(document) if sentence)
    warnings = [Paragraph(tr("Warning: {sentence}", sentence=sentence)) for sentence in document.get("warnings", ())]
    return [Paragraph(found.text, found.kind), Paragraph(f"{title(document)}. {words}"), Properties(facts), *warnings]


# -- side by side ---------------------------------------------------------------------------------


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """Return all measures, then the results of single machines."""
    lines = measure_rows(comparison)
    same = [line for line in lines if not line.differs and line.measure.group == "setting"]
    blocks: list[Block] = [_measures([line for line in lines if line not in same], comparison)]
    if same:
        blocks.append(
            Paragraph(
                tr("The same for all: ") + ", ".join(f"{tr(line.measure.title)} {line.texts[0]}" for line in same) + "."
            )
        )
    if any(line.measure.name == "bound" for line in lines):
        blocks.append(Paragraph(tr(MEASURES["bound"].tip)))
    drawn = comparison.sides
    if len(drawn) > MOST_FIGURES:
        blocks.append(
            Paragraph(tr("Plotted separately: the last {beside} of {drawn} runs.", beside=BESIDE, drawn=len(drawn)))
        )
        drawn = drawn[-BESIDE:]
    return [*blocks, *trace_figures(drawn), *_bars(drawn), *side_blocks(comparison, 3)]


def _measures(lines: Sequence[MeasureRow], comparison: Comparison) -> Table:
    labels = [side.label for side in comparison.sides]
    if len(labels) <= 8:
        best = {(row, place + 1) for row, line in enumerate(lines) for place in line.best}
        rows = tuple((tr(line.measure.title), *line.texts) for line in lines)
        numbers = frozenset(range(1, len(labels) + 1))
        return Table(("", *labels), rows, comparison.about, numbers, frozenset(best))
    rows = tuple((label, *(line.texts[place] for line in lines)) for place, label in enumerate(labels))
    best = {(place, column + 1) for column, line in enumerate(lines) for place in line.best}
    numbers = frozenset(range(1, len(lines) + 1))
    return Table(("", *(tr(line.measure.title) for line in lines)), rows, comparison.about, numbers, frozenset(best))


def trace_figures(sides: Sequence[Side]) -> list[Block]:
    known = [side for side in sides if side.trace is not None and side.trace["seconds"].size > 1]
    if not known:
        return []
    machine = [str(side.document["machine"]) for side in known]

    def lines(values: Any) -> list[plots.Curve]:
        return [
            plots.Curve(side.label, name, side.trace["seconds"], values(side.trace))
            for side, name in zip(known, machine, strict=True)
            if side.trace
        ]

    gaps = lines(lambda trace: relative_gaps(trace["primal"], trace["dual"]))
    violations = lines(lambda trace: trace["violation"])
    return [
        Figure(plots.CurvePlot(gaps, tr("seconds"), tr("relative gap")), tr("The relative duality gap against time.")),
        Figure(
            plots.CurvePlot(violations, tr("seconds"), tr("largest violation")),
            tr("The largest violation of optimality against time."),
        ),
    ]


def _bars(sides: Sequence[Side]) -> list[Block]:
    if len(sides) < 2:
        return []
    labels, machines = [side.label for side in sides], [str(side.document["machine"]) for side in sides]
    wanted = (
        ("seconds", tr("training time, seconds"), figures.seconds),
        ("n_support", tr("support vectors"), lambda value: figures.count(round(value))),
    )
    blocks: list[Block] = []
    for name, what, printed in wanted:
        if any(side.document[name] is None for side in sides):  # model files do not contain times
            continue
        values = [float(side.document[name]) for side in sides]
        bars = plots.Bars(labels, machines, values, [printed(value) for value in values], what)
        blocks.append(
            Figure(
                bars,
                (
                    tr("{what}, on a logarithmic axis.", what=what[:1].upper() + what[1:])
                    if bars.dots
                    else as_sentence(what)
                ),
            )
        )
    return blocks


def side_blocks(comparison: Comparison, level: int) -> list[Block]:
    """Return the confusion matrices; of very many large ones, only those of the last runs.

    Matrices of hundreds of runs on many classes would take a browser seconds.
    """
    blocks: list[Block] = []
    sides = [side for side in comparison.sides if side.scores is not None or side.violations is not None]
    first = len(sides) - BESIDE if len(sides) * len(comparison.classes) ** 2 > MOST_ENTRIES else 0
    for number, side in enumerate(sides):
        blocks += [
            Heading(side.label, level),
            *([report_table(class_table([side]))] if side.scores is not None else []),
        ]
        if number < first:
            blocks.append(Paragraph(tr("Its matrices are in the JSON report.")))
            continue
        blocks += [*([confusion_table(side)] if side.scores is not None else []), *violation_blocks(side)]
    return [*blocks, *disagreement_blocks(comparison, level)]


def report_table(sheet: ResultTable, caption: str = "") -> Table:
    """Return the table as the window shows it."""
    sheet = translated(sheet)
    cells = [(row, column, cell) for row, line in enumerate(sheet.rows) for column, cell in enumerate(line)]
    return Table(
        tuple(heading.title for heading in sheet.headings),
        tuple(tuple(cell.text for cell in row) for row in sheet.rows),
        caption,
        frozenset(place for place, heading in enumerate(sheet.headings) if heading.number),
        frozenset((row, column) for row, column, cell in cells if cell.sign == "best"),
        {(row, column): abs(cell.heat) for row, column, cell in cells if cell.heat},
    )


def confusion_table(side: Side) -> Block:
    """Return the counts, with percentages of the true class in brackets."""
    matrix = confusion(side)
    classes = len(matrix.counts.rows)
    if classes > MOST_CLASSES:
        return Paragraph(tr("The confusion matrix of {classes} classes is in the JSON report.", classes=classes))
    caption = tr("Confusion matrix: true classes down, predicted classes across; counts")
    if classes > 12:
        return report_table(matrix.counts, f"{caption}.")
    pairs = (zip(*lines, strict=True) for lines in zip(matrix.counts.rows, matrix.shares.rows, strict=True))
    rows = tuple(tuple(_confused(count, share) for count, share in pair) for pair in pairs)
    return report_table(
        replace(matrix.counts, rows=rows), tr("{caption}, and per cent of the true class.", caption=caption)
    )


def _confused(count: TableCell, share: TableCell) -> TableCell:
    if isinstance(count.value, str):
        return count
    return replace(count, text=f"{count.text} ({figures.percent(share.value)})" if count.value else "")


def violation_blocks(side: Side) -> list[Block]:
    found = side.violations
    names = side.document["classes"]
    if found is None or len(names) > MOST_CLASSES:
        return []
    most = max(float(found.sums.max(initial=0.0)), 1e-300)
    rows = tuple(
        (name, *("" if row == column else figures.number(value, 4) for column, value in enumerate(found.sums[row])))
        for row, name in enumerate(names)
    )
    shade = {
        (row, column + 1): float(found.sums[row, column]) / most
        for row in range(len(names))
        for column in range(len(names))
    }
    caption = tr(
        "Target-margin violations of the training rows (target {target:.4g}), summed by true class (down) and"
        " wrong class (across); {total:.5g} in all.",
        target=found.target,
        total=found.total,
    )
    return [Table((tr("true \\ against"), *names), rows, caption, frozenset(range(1, len(names) + 1)), shade=shade)]


def disagreement_blocks(comparison: Comparison, level: int) -> list[Block]:
    together = beside_each_other(comparison)
    decided = together.sides
    if len(decided) < 2:
        return []
    rows, total = together.disagreements(), int(together.shared().sum())
    last = tr("Of the last {beside} runs: ", beside=BESIDE) if len(comparison.sides) > BESIDE else ""
    heading = Heading(tr("Rows on which machines disagree"), level)
    said = Paragraph(
        tr("{last}{rows} of {count} rows", last=last, rows=len(rows), count=figures.count(total))
        + (tr("; the first {most_rows}:", most_rows=MOST_ROWS) if len(rows) > MOST_ROWS else ".")
    )
    if not len(rows):
        return [
            heading,
            Paragraph(tr("{last}All machines decide all {count} rows alike.", last=last, count=figures.count(total))),
        ]
    return [heading, said, report_table(disagreement_table(together, rows[:MOST_ROWS]))]


def beside_each_other(comparison: Comparison) -> Comparison:
    """Return the comparison of the last sides with predictions, as many as there is room for."""
    decided = [side for side in comparison.sides if (side.decisions != None).any()]  # noqa: E711
    return replace(comparison, sides=tuple(decided[-BESIDE:]))


# -- tests ----------------------------------------------------------------------------------------


def tests_blocks(results: Iterable[TestResult], heading: str) -> list[Block]:
    """Return the tests; of thousands of pairs, only those that differ most."""
    every = list(results)
    if not every:
        return []
    known = sorted(every, key=lambda result: (bool(result.between), result.p)) if len(every) > MOST_ROWS else every
    known = known[:MOST_ROWS]
    caption = tr("In bold: p below 0.05. Adjusted p-values allow for all pairs being compared at once.")
    if any(result.details.get("weights_counted") is False for result in known):
        caption += " " + tr("McNemar's test counts each row once, whatever its weight.")
    if len(every) > MOST_ROWS:
        caption += tr(
            " The {most_rows} of smallest p, of {count}; the JSON report has all.",
            most_rows=MOST_ROWS,
            count=figures.count(len(every)),
        )
    return [Heading(heading), report_table(table_of_tests(known), caption)]


def redo_blocks(text: str, how: str) -> list[Block]:
    return [Heading(tr("How to reproduce this")), Paragraph(how), Code(text)]
