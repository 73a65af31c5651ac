"""The tables of a report for LaTeX: booktabs, every name escaped. Names in other scripts need XeLaTeX or LuaLaTeX."""

from __future__ import annotations

from mcsvm_gui.core.report.blocks import (
    Block,
    Code,
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

HEAD = r"""% Tables of a report by mcsvm. Compile alone, or copy what is between begin and end of the document.
\documentclass{article}
\usepackage[a4paper,margin=2cm]{geometry}
\usepackage{iftex}
\iftutex\usepackage{fontspec}\else\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\fi
\usepackage{booktabs,longtable,graphicx}
\begin{document}
\sloppy
"""
_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "-": "{-}",
        "*": "{*}",  # the end of the row before it would take it as an argument
        "[": "{[}",
        "]": "{]}",
        "\u202f": r"\,",
        "\u00a0": "~",
        "\u2013": "{--}",
        "\u2026": r"\ldots{}",
        "\u00b1": r"$\pm$",
        "\u2016": r"$\Vert$",
        "\u221e": r"$\infty$",
    }
)


def content(report: Report) -> bytes:
    parts = [HEAD, rf"\section*{{{_name(report.title, 200)}}}", _text(report.made)]
    parts += [_block(block) for block in report.blocks]
    return ("\n\n".join(part for part in parts if part) + "\n\n\\end{document}\n").encode("utf-8")


def _text(text: object) -> str:
    return undirected(one_line(text)).translate(_SPECIAL)


def _name(text: object, longest: int = 80) -> str:
    return undirected(shortened(text, longest)).translate(_SPECIAL)


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return rf"\{'sub' * (block.level - 1)}section*{{{_name(block.text, 200)}}}"
    if isinstance(block, Paragraph):
        return "\n\n".join(_text(line) for line in block.lines)
    if isinstance(block, Properties):
        rows: list[tuple[str, ...]] = [
            (_name(key), rf"\parbox[t]{{0.6\linewidth}}{{\raggedright {_name(value, 2000)}}}")
            for key, value in block.rows
        ]
        return _grid("ll", None, rows)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return ""  # the other formats draw figures
    return _code(block)


def _table(table: Table) -> str:
    rows = table.texts(_name, lambda text: rf"\textbf{{{_name(text)}}}")
    columns = "".join("r" if place in table.numbers else "l" for place in range(len(table.columns)))
    caption = f"\\noindent {_text(table.caption)}\n" if table.caption else ""
    return caption + _grid(columns, tuple(map(_name, table.columns)), rows)


def _grid(columns: str, header: tuple[str, ...] | None, rows: list[tuple[str, ...]]) -> str:
    size = r"\footnotesize" if len(columns) <= 8 else r"\tiny\setlength{\tabcolsep}{2pt}"
    head = "" if header is None else " & ".join(header) + " \\\\\n\\midrule\n\\endhead\n"
    body = "\n".join(" & ".join(cells) + r" \\" for cells in rows)
    return (
        f"{{{size}\n\\begin{{longtable}}[l]{{{columns}}}\n\\toprule\n{head}{body}\n\\bottomrule\n\\end{{longtable}}}}"
    )


def _code(block: Code) -> str:
    lines = [undirected(line).translate(_SPECIAL) or r"\ " for line in clean(block.text).splitlines()]
    return "{\\ttfamily\\footnotesize\\raggedright\\noindent\n" + "\\\\\n".join(lines) + "\\par}"
