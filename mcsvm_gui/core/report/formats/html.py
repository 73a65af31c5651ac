"""A report as one HTML file: no downloads, no scripts, light or dark as the reader's system, printable."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from mcsvm_gui.core.base.i18n import language
from mcsvm_gui.core.report import style
from mcsvm_gui.core.report.blocks import (
    Block,
    Figure,
    Heading,
    Paragraph,
    Properties,
    Report,
    Table,
    clean,
    one_line,
    shortened,
    undirected,
)
from mcsvm_gui.core.report.formats.drawing import require_matplotlib, svg

BADGES = {"solved": "●", "close": "◐", "not solved": "○"}
STYLE = """
:root{--ink:#1b1f24;--soft:#5b6470;--ground:#fff;--line:#d8dce2;--head:#f3f5f8;--accent:#1f5fd0;--good:#12805c;
--warning:#8a5b00;--bad:#b3261e;LIGHT}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7ec;--soft:#9aa3af;--ground:#14181e;--line:#333b46;--head:#1c222b;
--accent:#6ea2ff;--good:#4cc38a;--warning:#e3b341;--bad:#f47067;DARK}}
@media print{:root{--ink:#000;--soft:#444;--ground:#fff;--line:#bbb;--head:#eee;--accent:#000;LIGHT}
main{max-width:none!important;padding:0!important}table,figure,pre{break-inside:auto}tr,figure{break-inside:avoid}
h2,h3{break-after:avoid}.wide{overflow:visible!important}
section{content-visibility:visible!important}}
*{box-sizing:border-box}html{color-scheme:light dark}
body{margin:0;background:var(--ground);color:var(--ink);
font:14px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
section{content-visibility:auto;contain-intrinsic-size:auto 600px}
main{max-width:1120px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:19px;margin:40px 0 8px}
h3{font-size:15px;margin:28px 0 6px}h2,h3{overflow-wrap:anywhere}
p{margin:8px 0;max-width:76ch;overflow-wrap:anywhere;white-space:pre-line}.made{color:var(--soft);margin:0 0 16px}
.wide{overflow-x:auto;margin:8px 0 16px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:0 0 4px;overflow-wrap:anywhere}
th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:break-word}
th{max-width:20em}td{max-width:36em}
th{background:var(--head);font-weight:600}td.n,th.n{text-align:right;white-space:nowrap;overflow-wrap:normal}
th.n{white-space:normal;overflow-wrap:break-word}
td.best{font-weight:700}td.shade{background:color-mix(in srgb,var(--accent) var(--s),transparent)}
.facts th{background:none;color:var(--soft);font-weight:400;white-space:nowrap}
pre{background:var(--head);border:1px solid var(--line);border-radius:6px;padding:10px 12px;white-space:pre-wrap;
overflow-wrap:anywhere;font:12.5px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;max-height:30em;overflow:auto}
@media print{pre{max-height:none}table{font-size:10px}th,td{padding:2px 5px}}
figure{margin:12px 0 20px}figure svg{max-width:100%;height:auto;display:block}figcaption{color:var(--soft)}
.solved{color:var(--good)}.close{color:var(--warning)}.not{color:var(--bad)}
"""


def text_of(report: Report) -> str:
    if report.figures:
        require_matplotlib("an HTML report with figures")
    blocks = "\n".join(_sections(report))
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        f'<!DOCTYPE html>\n<html lang="{language()}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(shortened(report.title))}</title><style>{_style()}</style></head>\n<body><main>\n"
        f'<h1 dir="auto">{_name(report.title, 400)}</h1>\n<p class="made">{_text(report.made)}</p>\n{blocks}\n'
        "</main></body></html>\n"
    )


def content(report: Report) -> bytes:
    return text_of(report).encode("utf-8")


def _sections(report: Report) -> Iterator[str]:
    """Yield the blocks in sections: a browser lays out only the visible sections, so that long reports open at once."""
    open_section = False
    for number, block in enumerate(report.blocks):
        if isinstance(block, Heading) and block.level == 2:
            yield "</section><section>" if open_section else "<section>"
            open_section = True
        yield _block(block, number)
    if open_section:
        yield "</section>"


def _style() -> str:
    light = "".join(f"--c{colour[1:]}:{colour};" for colour in style.SHADES_ON_DARK)
    dark = "".join(f"--c{colour[1:]}:{lighter};" for colour, lighter in style.SHADES_ON_DARK.items())
    return STYLE.replace("LIGHT", light).replace("DARK", dark)


def _text(text: object) -> str:
    """Return the text of several names, without direction marks, because nothing isolates these names."""
    return escape(undirected(clean(text)))


def _name(text: object, longest: int) -> str:
    """Return an isolated name, so that its direction and marks end with it."""
    whole, shown = one_line(text), shortened(text, longest)
    title = f' title="{escape(whole)}"' if shown != whole and len(whole) < 1000 else ""
    return f'<bdi dir="auto"{title}>{escape(shown)}</bdi>'


def _cell(text: str) -> str:
    return _name(text, 80) if text else ""


def _block(block: Block, number: int) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{_name(block.text, 200)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return _paragraph(block)
    if isinstance(block, Properties):
        rows = "".join(
            f'<tr><th scope="row">{_cell(key)}</th><td>{_name(value, 2000)}</td></tr>' for key, value in block.rows
        )
        return f'<div class="wide"><table class="facts">{rows}</table></div>'
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return (
            f'<figure role="img" aria-label="{escape(one_line(block.caption))}">'
            f"{svg(block.plot, number, follows_page=True)}<figcaption>{_text(block.caption)}</figcaption></figure>"
        )
    return f'<pre dir="auto">{_text(block.text)}</pre>'


def _paragraph(block: Paragraph) -> str:
    if block.kind not in BADGES:
        return f'<p dir="auto">{_text(block.text)}</p>'
    return f'<p><b class="{block.kind.split()[0]}">{BADGES[block.kind]} {_text(block.text)}</b></p>'


def _table(table: Table) -> str:
    head = "".join(
        f'<th scope="col"{_class(["n"] if place in table.numbers else [])}>{_cell(column)}</th>'
        for place, column in enumerate(table.columns)
    )
    body = "\n".join(
        "<tr>" + "".join(_data(table, row, column, text) for column, text in enumerate(cells)) + "</tr>"
        for row, cells in enumerate(table.rows)
    )
    caption = f"<caption>{_text(table.caption)}</caption>" if table.caption else ""
    return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _data(table: Table, row: int, column: int, text: str) -> str:
    place = row, column
    names = ["n"] if column in table.numbers else []
    names += ["best"] if place in table.best else []
    shade = table.shade.get(place, 0.0)
    names += ["shade"] if shade > 0.0 else []
    depth = f' style="--s:{35 * shade:.0f}%"' if shade > 0.0 else ""
    return f"<td{_class(names)}{depth}>{_cell(text)}</td>"


def _class(names: list[str]) -> str:
    return f' class="{" ".join(names)}"' if names else ""
