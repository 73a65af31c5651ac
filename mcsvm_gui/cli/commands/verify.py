"""mcsvm verify"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import read_options
from mcsvm_gui.core.base.exits import complain, ended
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.verification import Verification, verify
from mcsvm_gui.core.evaluate.verification.parts import PartCheck
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.session import certificate_document
from mcsvm_gui.core.machine.state import claim
from mcsvm_gui.core.machine.trained import TrainedModel


def run(options: argparse.Namespace) -> int:
    trained = model_file.load(options.model)
    dataset = open_dataset(options.data, read_options(options, trained.request.read))
    found = verify(trained, dataset, recompute_calibration=options.recompute_calibration)
    output.show(options, lambda: document(found, trained), lambda: [*table(found.checks), "", verdict(found, trained)])
    if not found.holds:
        parts = ", ".join(check.part.value for check in found.differing)
        return complain(f"{options.model}: it differs from its data in: {parts}; do not trust this file")
    return ended(interrupted=False, converged=found.converged)


def document(found: Verification, trained: TrainedModel) -> dict[str, Any]:
    return {
        "verified": found.holds,
        "converged": found.converged,
        "ending": found.ending,
        "stored_ending": trained.origin.ending.value,
        "certificate": certificate_document(found.recomputed),
        "stored": certificate_document(found.stored),
        "parts": [check.document() for check in found.checks],
    }


def table(checks: Iterable[PartCheck]) -> list[str]:
    """Return a line for each part: its name, the result, the detail."""
    rows = [(str(check.part.label), str(check.status.label), str(check.detail)) for check in checks]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"{part:<{widths[0]}}  {result:<{widths[1]}}  {detail}" for part, result, detail in rows]


def verdict(found: Verification, trained: TrainedModel) -> str:
    if not found.holds:
        return "Not verified: the file is not the model that its data, request and dual variables give."
    request = trained.request
    said = claim(found.ending, certificate_document(found.recomputed), request.kernel, request.gap_tol).sentences
    unverifiable = ", ".join(check.part.value for check in found.unverifiable)
    return f"Verified: {said[0].lower()}{said[1:].removesuffix('.')}. Not verifiable: {unverifiable}."
