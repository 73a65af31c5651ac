"""A report's headings."""

from __future__ import annotations

from mcsvm_gui.core.report.blocks import Heading, Report


def content(report: Report) -> bytes:
    headings = [block.text for block in report.blocks if isinstance(block, Heading)]
    return "\n".join(["a toy of", *headings]).encode("utf-8")
