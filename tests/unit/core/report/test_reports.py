"""Reports in every format: complete, escaped, the same numbers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from report_makers import SCRIPT, hostile_results, written_project

from mcsvm.solvers.errors import InputError
from mcsvm.solvers.selection.cell import CellResult
from mcsvm.solvers.selection.grid import Range
from mcsvm_gui.core.base import figures
from mcsvm_gui.core.base.resources import dataset as example
from mcsvm_gui.core.compare.comparison import compare
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.experiment import Results
from mcsvm_gui.core.machine.request import Request
from mcsvm_gui.core.project.store import ProjectStore
from mcsvm_gui.core.report import (
    FORMATS,
    format_of,
    of_experiment,
    of_project,
    of_search,
    plots,
    shared,
    style,
    write_report,
)
from mcsvm_gui.core.report.blocks import Code, Drawable, Heading, Paragraph, Properties, Report, Table
from mcsvm_gui.core.report.formats import missing_glyphs, text_width
from mcsvm_gui.core.report.formats import pdf as pdf_format
from mcsvm_gui.core.report.formats.drawing import settings
from mcsvm_gui.core.report.of_project import read_project
from mcsvm_gui.core.report.stored_searches import read_searches
from mcsvm_gui.core.tune import cells as tuning_cells
from mcsvm_gui.core.tune import document as tuning_document
from mcsvm_gui.core.tune.search import Tuned, TuneRequest, Tuning

pytest.importorskip("matplotlib")
from matplotlib.axes import Axes
from matplotlib.figure import Figure

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PDFTOTEXT = shutil.which("pdftotext")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return hostile_results(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def hostile(results: Results) -> Report:
    return of_experiment.report_of(results)


@pytest.fixture(scope="module")
def contents(hostile: Report) -> dict[str, bytes]:
    """By ending."""
    return {suffix: found.content(hostile) for suffix, found in FORMATS.items()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("project") / "wines.mcsvmproj"
    requests = [
        Request(machine="ww", gamma=0.01, holdout=0.4, data=str(example("wine"))),
        Request(machine="ovo", gamma=0.01, holdout=0.4, data=str(example("wine"))),
        Request(machine="cs", data=str(example("iris"))),
    ]
    written_project(path, requests, ["first", SCRIPT, "on iris"])
    return path


class Reader(HTMLParser):
    """Every tag and attribute, and the text outside of styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


# -- escaping -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_html_holds_names_as_text_and_nothing_that_acts(contents: dict[str, bytes]) -> None:
    text = contents[".html"].decode()
    found = Reader(text)
    assert not found.tags & {"script", "img", "i", "iframe", "link", "object"}
    assert not {name for name in found.attributes if name.startswith("on")}
    for name in (SCRIPT, "<img src=x onerror=alert(1)>", "<b>bold</b>"):
        assert name in found.text
    assert "x" * 10_000 in found.text
    names = r"http://www\.w3\.org/[\w/]+|http-equiv"  # of XML, and of an attribute
    assert "http" not in re.sub(names, "", text)


def test_markdown_holds_no_html_and_keeps_its_tables(contents: dict[str, bytes]) -> None:
    text = contents[".md"].decode()
    outside = re.sub(r"(?ms)^```+\n.*?^```+$", "", text)
    assert not re.search(r"<\w", outside)
    assert "](javascript" not in outside
    rows = [line for line in outside.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in rows if line.startswith("| true")}
    assert widths == {7}  # six columns


def test_latex_leaves_no_command_of_a_name(contents: dict[str, bytes]) -> None:
    text = contents[".tex"].decode()
    assert r"\input" not in text
    assert r"\textbackslash{}input\{/etc/passwd\}" in text
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") > 5


def of_names(*names: str) -> Report:
    return Report("Names", "now", (Heading("Here"), Table(("name", "x"), tuple((name, "1") for name in names))), {})


def test_latex_keeps_what_a_row_begins_with() -> None:
    text = FORMATS[".tex"].content(of_names("a", "*", "[1cm] b")).decode()
    rows = [line for line in text.splitlines() if line.endswith("1 \\\\")]
    assert rows == ["a & 1 \\\\", "{*} & 1 \\\\", "{[}1cm{]} b & 1 \\\\"]


def test_markdown_makes_no_link_of_a_bare_address() -> None:
    text = FORMATS[".md"].content(of_names("www.evil.com", "WWW.evil.com")).decode()
    assert "www." not in text.lower()
    assert "www\\.evil" in text


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """As on a system that has no other fonts than these."""

    def forget() -> None:
        for found in (text_width.families, missing_glyphs._letters, text_width._font, text_width.width):
            found.cache_clear()

    def install(*names: str) -> None:
        forget()
        monkeypatch.setattr(text_width, "FALLBACKS", names)

    yield install
    forget()


def test_pdf_tells_names_apart_that_it_cannot_show(install: Callable[..., None]) -> None:
    install()
    said = missing_glyphs.unshown(of_names("\u65e5\u672c a", "\u4e2d", "\u05e9\u05dc", "plain"), "DejaVu Sans")
    assert said.endswith("by their code points: <U+65E5 U+672C> a; <U+4E2D>.")
    assert missing_glyphs.unshown(of_names("\u05e9\u05dc", "\u0416", "a\u202fb"), "DejaVu Sans") == ""


@pytest.mark.skipif(PDFTOTEXT is None, reason="pdftotext is not here")
def test_pdf_says_which_names_it_cannot_show(install: Callable[..., None], tmp_path: Path) -> None:
    install()
    path = tmp_path / "names.pdf"
    write_report(path, of_names("\u65e5\u672c", "\u4e2d\u56fd"))
    assert PDFTOTEXT is not None
    text = subprocess.run([PDFTOTEXT, str(path), "-"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "<U+65E5 U+672C>; <U+4E2D U+56FD>" in " ".join(text.split())


def test_pdf_asks_other_fonts_that_are_installed(install: Callable[..., None]) -> None:
    """STIX has letters that DejaVu lacks, and comes with matplotlib."""
    install("No such font", "STIXGeneral")
    assert text_width.families("DejaVu Sans") == ("DejaVu Sans", "STIXGeneral")
    known = missing_glyphs._letters("DejaVu Sans")
    install()
    assert known > missing_glyphs._letters("DejaVu Sans")
    only = chr(min(code for code in known - missing_glyphs._letters("DejaVu Sans") if code > 0x250))
    assert missing_glyphs.unshown(of_names(only), "DejaVu Sans")
    install("STIXGeneral")
    assert not missing_glyphs.unshown(of_names(only), "DejaVu Sans")
    assert FORMATS[".pdf"].content(of_names(only)).count(b"STIXGeneral") > 0


def test_json_has_all_digits(contents: dict[str, bytes], results: Results) -> None:
    found = json.loads(contents[".json"])
    assert [run["fold_accuracy"] for run in found["runs"]] == [list(trial.accuracies) for trial in results.trials]
    assert found["runs"][0]["classes"] == list(results.datasets[results.experiment.data[0].name].classes)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not here")
def test_a_browser_shows_hostile_names_as_text(contents: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_bytes(contents[".html"])
    assert CHROMIUM is not None
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", "--dump-dom"]
    answer = subprocess.run(
        [CHROMIUM, *options, path.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = Reader(answer.stdout)
    assert "taken" not in re.search(r"<title>(.*?)</title>", answer.stdout, re.DOTALL)[1]
    assert "script" not in found.tags
    assert SCRIPT in found.text
    assert "\u05e9\u05dc\u05d5\u05dd" in found.text


@pytest.mark.skipif(PDFTOTEXT is None, reason="pdftotext is not here")
def test_pdf_text_can_be_found_again(contents: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "hostile.pdf"
    path.write_bytes(contents[".pdf"])
    assert PDFTOTEXT is not None
    answer = subprocess.run(
        [PDFTOTEXT, "-layout", str(path), "-"], capture_output=True, text=True, timeout=60, check=True
    )
    letters = "".join(answer.stdout.split())
    assert "".join(SCRIPT.split()) in letters
    assert "Title<i>&</title>" in letters
    assert letters.count("x") > 10_000


# -- contents -------------------------------------------------------------------------------------


def headings(report: Report) -> list[str]:
    return [block.text for block in report.blocks if isinstance(block, Heading)]


def tables(report: Report) -> list[Table]:
    return [block for block in report.blocks if isinstance(block, Table)]


def test_a_comparison_tells_everything(hostile: Report, results: Results) -> None:
    said = headings(hostile)
    for wanted in (
        "All runs",
        "Tests",
        "This report was made with",
        "How to reproduce this",
        "Rows on which machines disagree",
    ):
        assert wanted in said
    assert f"Data: {results.experiment.data[0].name}" in said
    rows = [row for table in tables(hostile) for row in table.rows]
    assert any(row[0] == "Accuracy" for row in rows)
    code = "\n".join(block.text for block in hostile.blocks if isinstance(block, Code))
    assert "mcsvm run" in code
    assert results.datasets[results.experiment.data[0].name].digest in code


def test_every_format_has_the_conclusions(contents: dict[str, bytes], hostile: Report) -> None:
    said = hostile.document["conclusions"]
    assert said[-1].startswith("All 2 rows reached their tolerance")
    assert " ".join(" ".join(said).split()) in Reader(contents[".html"].decode()).text
    assert json.loads(contents[".json"])["conclusions"] == said
    for suffix in (".md", ".tex"):
        assert "All 2 rows reached their tolerance" in contents[suffix].decode()


def test_confusion_counts_add_up_to_the_rows(hostile: Report, results: Results) -> None:
    matrices = [table for table in tables(hostile) if table.columns[0] == "true \\ predicted"]
    assert len(matrices) == 2
    for table in matrices:
        counts = [int(cell.split()[0]) for row in table.rows for cell in row[1:] if cell]
        assert sum(counts) == 60


def test_every_table_is_rectangular(hostile: Report) -> None:
    for table in tables(hostile):
        assert {len(row) for row in table.rows} <= {len(table.columns)}
        assert all(row < len(table.rows) and column < len(table.columns) for row, column in (*table.best, *table.shade))


def test_a_report_of_a_project_has_every_run(project: Path) -> None:
    report = of_project.report_of("wines", read_project(project))
    said = headings(report)
    assert {"first (run 1)", f"{SCRIPT} (run 2)", "on iris (run 3)"} <= set(said)
    assert ("rows", "178") in [row for block in report.blocks if isinstance(block, Properties) for row in block.rows]
    code = [block.text for block in report.blocks if isinstance(block, Code)]
    assert sum(text.startswith("mcsvm train") for text in code) == 3
    matrices = [table for table in tables(report) if table.columns[0] == "true \\ predicted"]
    assert len(matrices) == 3, "of the best model on the first pages, and of each tested run"
    assert [run["name"] for run in report.document["runs"]] == ["first", SCRIPT, "on iris"]


def test_a_run_says_what_it_was_trained_with_and_not_what_reports_it(project: Path) -> None:
    known, *others = read_project(project)
    assert known.origin is not None
    assert dict(known.origin.versions)["numpy"] == np.__version__
    assert known.origin.system
    old = replace(known.origin, versions=(("mcsvm", "0.0.9"), ("numpy", "1.99")), system="", processor="")
    report = of_project.report_of("x", [replace(known, origin=old), *others])
    assert "Trained with mcsvm 0.0.9, numpy 1.99." in words(report)
    assert f" on {known.origin.system}" in words(report)
    assert report.document["runs"][0]["trained_with"]["versions"] == dict(old.versions)
    assert headings(report)[-1] == "This report was made with"


def test_a_report_of_one_run_says_what_was_asked_for(project: Path) -> None:
    report = of_project.report_of("wines", read_project(project, [1]))
    texts = " ".join(block.text for block in report.blocks if isinstance(block, Paragraph))
    assert "Weston-Watkins (ww)" in texts
    assert "Features scaled to [-1, 1]" in texts
    assert "solved" in {block.kind for block in report.blocks if isinstance(block, Paragraph)}


def test_without_the_data_a_run_is_still_reported(project: Path, tmp_path: Path) -> None:
    moved = tmp_path / "iris.csv"
    shutil.copy(example("iris"), moved)
    path = tmp_path / "gone.mcsvmproj"
    written_project(path, [Request(data=str(moved))], ["gone"])
    moved.unlink()
    (known,) = read_project(path)
    assert known.side is None
    report = of_project.report_of("gone", [known])
    said = " ".join(block.text for block in report.blocks if isinstance(block, Paragraph))
    assert "could not be looked at again" in said
    assert "iris.csv" in said


@pytest.mark.slow
def test_a_search_has_a_heat_map_for_each_machine() -> None:
    cells = [
        {
            "machine": machine,
            "C": 2.0**c,
            "gamma": 2.0**g,
            "mean": 0.5 + 0.1 * c,
            "std": 0.01,
            "seconds": 1.0,
            "n_support": 5.5,
        }
        for machine in ("ww", "ovo")
        for c in range(3)
        for g in range(-2, 1)
    ]
    best = {machine: {"C": 4.0, "gamma": 0.25, "mean": 0.7} for machine in ("ww", "ovo")}
    document = {"cells": cells, "best": best, "nested": {}, "seconds": 9.0, "search": "grid", "folds": 5, "seed": 0}
    report = of_search.report_of(document, None, "mcsvm tune x.csv")
    assert len(report.figures) == 2
    assert all(content.content(report) for content in FORMATS.values())


def words(report: Report) -> str:
    return " ".join(block.text for block in report.blocks if isinstance(block, Paragraph | Heading))


def search(**options: object) -> Tuned:
    wanted = TuneRequest(C=Range(-1, 1, 2), gamma=Range(-1, 1, 2), **{"folds": 2, **options})  # type: ignore[arg-type]
    dataset = open_dataset(str(example("iris")))
    return Tuning(Request(data=dataset.name, tol=0.01), wanted, dataset).run()


def report_of_search(tuned: Tuned) -> Report:
    return of_search.report_of(tuning_document.document(tuned), tuned.tuning.dataset, "mcsvm tune")


def test_a_search_says_what_was_asked_for_and_nothing_of_what_was_not() -> None:
    report = report_of_search(search(repeats=2))
    said = words(report)
    assert "2-fold cross-validation, repeated 2 times, seed 0" in said
    assert "Features scaled to [-1, 1]" in said
    assert "Stopped" not in said
    assert "fewer than" not in said
    facts = dict(row for block in report.blocks if isinstance(block, Properties) for row in block.rows)
    assert (facts["kernel"], facts["tol"], facts["C"]) == ("rbf", "0.01", "2^-1 to 2^1, step 2^2")
    assert "nested" not in " ".join(table.caption for table in tables(report))
    assert "nested estimate" in " ".join(table.caption for table in tables(report_of_search(search(nested=True))))


def test_a_stopped_search_says_so_and_on_how_many_parts_cells_were_tried() -> None:
    tuned = search()
    results = {cell: CellResult(dict(list(found.by_fold.items())[:1])) for cell, found in tuned.results.items()}
    report = report_of_search(replace(tuned, results=results, stopped=True, trouble="the scheduler is gone"))
    assert "Stopped before it was finished" in words(report)
    assert "the scheduler is gone" in words(report)
    assert "4 of 4 cells were tested on fewer than 2 folds" in words(report)
    assert "1 of 2" in {cell for table in tables(report) for row in table.rows for cell in row}


def test_a_search_for_each_pair_of_classes_gives_their_parameters() -> None:
    tuned = search(search="per-pair", machines=("ovo",))
    (table,) = [table for table in tables(report_of_search(tuned)) if table.columns[1] == "against"]
    assert [row[:2] for row in table.rows] == [
        ("setosa", "versicolor"),
        ("setosa", "virginica"),
        ("versicolor", "virginica"),
    ]
    choice = tuned.composites["ovo"].choices[2]
    assert table.rows[2][2:4] == (figures.parameter(choice.C), figures.parameter(choice.gamma))


def test_a_project_reports_the_searches_that_it_keeps(project: Path, tmp_path: Path) -> None:
    tuned, path = search(), tmp_path / "searched.mcsvmproj"
    shutil.copy(project, path)
    asked = tuning_document.asked_document(tuned.tuning.request, tuned.tuning.wanted)
    cells = {("a" * 64, *cell): tuning_cells.document(result) for cell, result in tuned.results.items()}
    store = ProjectStore(path)
    store.write(settings={tuning_cells.setting_of("a" * 64): {**asked, "classes": ["a"]}}, cells=cells)
    store.write(cells={("b" * 64, *cell): document for (_, *cell), document in cells.items()})
    store.close()
    known, unknown = searches = read_searches(path)
    assert known["best"].keys() == unknown["best"].keys() == {"ww"}
    report = of_project.report_of("x", read_project(path), searches)
    assert "Search for C and gamma: iris.csv" in headings(report)
    assert "Search for C and gamma (its conditions were not kept)" in headings(report)
    assert "2-fold cross-validation, seed 0" in words(report)
    assert len([block for block in report.figures if "over the cells" in block.caption]) == 2
    assert [len(found["cells"]) for found in report.document["searches"]] == [4, 4]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kept", [None, 3, {}, {"folds": "x"}, {"request": {"C": []}}, {"search": "none"}, {"request": {}}, {"classes": 1}]
)
def test_conditions_of_a_search_may_be_anything(kept: object, tmp_path: Path) -> None:
    good = {"request": {}, "search": "grid", "folds": 2, "repeats": 1, "holdout": None, "seed": 0, "classes": []}
    tuned, path = search(machines=("ww", "ovo")), tmp_path / "odd.mcsvmproj"
    cells = {("a", *cell): tuning_cells.document(result) for cell, result in tuned.results.items()}
    store = ProjectStore(path)
    setting = {**good, **kept} if isinstance(kept, dict) else kept
    store.write(settings={tuning_cells.setting_of("a"): setting}, cells=cells)
    store.close()
    report = of_project.report_of("x", [], read_searches(path))
    assert len(report.figures) == 2
    assert all(format_.content(report) for format_ in FORMATS.values())


def test_older_runs_of_a_large_project_keep_their_scores(project: Path) -> None:
    first = read_project(project)[0]
    assert first.side is not None
    sides = [replace(first.side, label=f"{number}") for number in range(30)]
    runs = [replace(first, side=side, record=replace(first.record, id=number)) for number, side in enumerate(sides, 1)]
    report = of_project.report_of("x", runs)
    assert len([table for table in tables(report) if table.columns[0] == "true \\ predicted"]) == 1 + 30
    assert len(next(table for table in tables(report) if "Accuracy" in table.columns).rows) == 30
    tests = next(table for table in tables(report) if "Test" in table.columns)
    assert len(tests.rows) == shared.MOST_ROWS
    assert "of 870" in tests.caption
    assert len(report.document["comparisons"][0]["tests"]) == 870


def test_matrices_of_many_runs_on_many_classes_are_those_of_the_last(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read_project(project)[0]
    assert first.side is not None
    side, rows = first.side, first.rows
    assert rows is not None
    comparison = compare([replace(side, label=f"{number}") for number in range(20)], first.classes, rows)
    monkeypatch.setattr(shared, "MOST_ENTRIES", 100)
    blocks = shared.side_blocks(comparison, 3)
    matrices = [block for block in blocks if isinstance(block, Table) and block.columns[0] == "true \\ predicted"]
    classes = [block for block in blocks if isinstance(block, Table) and block.columns[0] == "Class"]
    assert (len(matrices), len(classes)) == (shared.BESIDE, 20)


def test_runs_over_several_splits_are_told_apart_by_the_corrected_t(tmp_path: Path) -> None:
    path, data = tmp_path / "splits.mcsvmproj", str(example("iris"))
    requests = [Request(machine=name, data=data, holdout=0.4, seed=seed) for name in ("ww", "ovo") for seed in (0, 1)]
    written_project(path, requests, ["a", "b", "c", "d"])
    report = of_project.report_of("x", read_project(path))
    assert "Tests over several splits" in headings(report)
    (found,) = report.document["tests_over_splits"]
    assert found["between"] == ["ww", "ovo"]


# -- formats --------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_is_of_its_kind(suffix: str, contents: dict[str, bytes]) -> None:
    begin = {".html": b"<!DOCTYPE html>", ".pdf": b"%PDF", ".md": b"# ", ".tex": b"%", ".json": b"{"}[suffix]
    assert contents[suffix].startswith(begin)
    assert suffix == format_of(f"x{suffix.upper()}").suffix


def test_a_file_appears_by_its_ending(hostile: Report, contents: dict[str, bytes], tmp_path: Path) -> None:
    write_report(tmp_path / "report.tex", hostile)
    assert (tmp_path / "report.tex").read_bytes() == contents[".tex"]
    assert [path.name for path in tmp_path.iterdir()] == ["report.tex"]


def test_a_strange_ending_is_refused() -> None:
    with pytest.raises(InputError, match="the ending says the format"):
        format_of("report.docx")


@pytest.mark.slow
def test_where_matplotlib_is_missing_a_sentence_says_so(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from mcsvm_gui import cli\n"
        f"sys.exit(cli.main(['compare', {str(example('iris'))!r}, '--report', {str(tmp_path / 'r.html')!r}]))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert answer.returncode == 2
    assert "pip install matplotlib" in answer.stderr
    assert not list(tmp_path.iterdir())


def test_machines_look_as_they_do_in_the_window() -> None:
    theme = pytest.importorskip("mcsvm_gui.ui.kit.theme")
    assert {name: look.colour for name, look in theme.MACHINE_STYLES.items()} == {
        name: colour for name, (colour, *_) in style.MACHINES.items()
    }
    assert {name: look.dash for name, look in theme.MACHINE_STYLES.items()} == {
        name: dashes for name, (_, dashes, _) in style.MACHINES.items()
    }
    assert style.ON_DARK == theme.ON_DARK
    for name, number in product(style.MACHINES, range(9)):
        look = theme.machine_style(name, number)
        assert (look.colour, look.dash) == style.machine(name, number)[:2]


def drawn(plot: Drawable) -> Axes:
    with settings():
        axes = Figure(figsize=plot.size).add_subplot()
        plot.draw(axes)
        axes.figure.draw_without_rendering()
    return axes


def bars(*values: float) -> plots.Bars:
    return plots.Bars([f"{value}" for value in values], ["ww"] * len(values), values, [f"{v} s" for v in values], "s")


def test_bars_begin_at_zero_and_say_their_figures() -> None:
    axes = drawn(bars(0.014, 0.015))
    assert axes.get_xscale() == "linear"
    assert axes.get_xlim()[0] == 0.0
    assert [bar.get_width() for bar in axes.patches] == [0.014, 0.015]
    assert {"0.014 s", "0.015 s"} <= {text.get_text() for text in axes.texts}


def test_what_no_bar_can_show_together_are_dots_on_an_axis_with_labels() -> None:
    axes = drawn(bars(0.01, 3.0))
    assert axes.get_xscale() == "log"
    assert not axes.patches
    assert {"0.01", "1"} <= {label.get_text() for label in axes.get_xticklabels()}
    assert {"0.01 s", "3.0 s"} <= {text.get_text() for text in axes.texts}


def test_a_short_logarithmic_axis_has_labels() -> None:
    line = plots.Curve("a", "ww", np.array([0.0, 1.0]), np.array([0.3, 0.8]))
    low, high = (axes := drawn(plots.CurvePlot([line], "s", "gap"))).get_ylim()
    assert any(low <= tick <= high for tick in axes.get_yticks())
    assert any(label.get_text() for label in axes.get_yticklabels())


def test_runs_of_one_machine_are_drawn_differently() -> None:
    place = np.array([1.0, 2.0])
    axes = drawn(plots.CurvePlot([plots.Curve(name, "ww", place, place) for name in "abcd"], "s", "gap"))
    assert len({(line.get_color(), line.get_marker()) for line in axes.get_lines()}) == 4
    assert axes.get_lines()[0].get_color() == style.MACHINES["ww"][0]


def test_lines_of_a_page_fit_its_width() -> None:
    words = "many words of " + "w" * 500 + " several lengths " + "\u05d0" * 300
    lines = pdf_format.wrapped(words, 9.0, pdf_format.ROOM)
    assert max(pdf_format.extent(line, 9.0) for line in lines) <= pdf_format.ROOM
    assert "".join(lines).replace(" ", "") == words.replace(" ", "")


def test_long_tables_turn_the_page_and_wide_ones_are_split(tmp_path: Path) -> None:
    columns = tuple(f"a column with a long name {number}" for number in range(15))
    rows = tuple(tuple(f"{row}.{column}" for column in range(15)) for row in range(90))
    report = Report("Large", "now", (Table(columns, rows, numbers=frozenset(range(1, 15))),), {})
    found = re.search(rb"/Count (\d+)", FORMATS[".pdf"].content(report))
    assert found is not None
    assert int(found[1]) == 4  # two tables of two pages


def many(results: Results, count: int) -> Sequence[object]:
    trial = results.trials[0]
    return tuple(replace(trial, spec=replace(trial.spec, label=f"run {number}")) for number in range(count))


def test_two_hundred_runs_are_one_table(results: Results) -> None:
    trials = many(results, 200)
    runs = tuple(trial.spec for trial in trials)  # type: ignore[attr-defined]
    big = replace(results, trials=trials, experiment=replace(results.experiment, runs=runs))
    overview = of_experiment._overview(big)
    assert len(next(block for block in overview if isinstance(block, Table)).rows) == 200
    assert np.isfinite(big.table("accuracy")).all()


# -- JSON -----------------------------------------------------------------------------------------


def strict(content: bytes) -> dict:
    """JSON has neither NaN nor Infinity."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(content, parse_constant=refuse)


def test_json_of_a_comparison_holds_what_the_other_formats_show(
    contents: dict[str, bytes], hostile: Report, results: Results
) -> None:
    found = strict(contents[".json"])
    name, dataset = next(iter(results.datasets.items()))
    assert found["datasets"][name]["digest"] == dataset.digest
    assert found["datasets"][name]["rows"] == 60
    assert found["experiment"]["title"] == results.experiment.title
    assert found["made_with"]["versions"]["numpy"] == np.__version__
    (comparison,) = found["comparisons"]
    assert [side["label"] for side in comparison["sides"]] == ["ww", SCRIPT]
    for side, known in zip(comparison["sides"], results.comparison(name).sides, strict=True):
        assert np.array_equal(side["scores"]["confusion"], known.scores.confusion)
        assert side["scores"]["kappa"] == known.scores.kappa
        assert [score["f1"] for score in side["scores"]["per_class"]] == [score.f1 for score in known.scores.per_class]
        assert side["violations"]["sums"] == known.violations.sums.tolist()
        assert side["trace"]["dual"][-1] == known.trace["dual"][-1]
    shown = next(block for block in hostile.blocks if isinstance(block, Table) and block.columns[0] == "Row")
    assert len(comparison["disagreements"]) == len(shown.rows)


def test_json_of_a_project_holds_what_the_other_formats_show(project: Path) -> None:
    material = read_project(project)
    found = strict(FORMATS[".json"].content(of_project.report_of("wines", material)))
    assert found["datasets"].keys() == {known.data.digest for known in material}
    sides = [side for comparison in found["comparisons"] for side in comparison["sides"]]
    assert [side["label"] for side in sides] == [known.side.label for known in material]
    assert np.array_equal(sides[0]["scores"]["confusion"], material[0].side.scores.confusion)
    assert found["comparisons"][0]["tests"][0]["between"] == [side["label"] for side in sides[:2]]
    assert found["made_with"]["hardware"]["system"]


def test_what_is_no_number_is_null_in_json() -> None:
    report = Report("x", "now", (), {"a": [float("inf"), (float("nan"), 1.0)], "b": {"c": -float("inf")}})
    found = strict(FORMATS[".json"].content(report))
    assert (found["a"], found["b"]) == ([None, [None, 1.0]], {"c": None})
