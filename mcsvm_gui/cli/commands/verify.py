"""mcsvm verify"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mcsvm.solvers.errors import InputError
from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import read_options
from mcsvm_gui.core.base.exits import DONE, complain, ended
from mcsvm_gui.core.data.options import Rules
from mcsvm_gui.core.evaluate.verification import Verification, verify
from mcsvm_gui.core.evaluate.verification.parts import PartCheck, Status
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.session import certificate_document
from mcsvm_gui.core.machine.sources import open_for, training_data
from mcsvm_gui.core.machine.state import claim
from mcsvm_gui.core.machine.trained import TrainedModel


def run(options: argparse.Namespace) -> int:
    trained = model_file.load(options.model)
    if options.export:
        return _run_exports(options, trained)
    _refuse_other_rules(options, trained.request.rules)
    read = read_options(options, trained.request.read)
    dataset = training_data(replace(trained.request, read=read), options.data)
    verification = verify(trained, dataset, recompute_calibration=options.recompute_calibration)
    output.show(
        options,
        lambda: document(verification, trained),
        lambda: [*table(verification.checks), "", verdict(verification, trained)],
    )
    if not verification.holds:
        parts = ", ".join(check.part.value for check in verification.differing)
        return complain(f"{options.model}: it differs from its data in: {parts}; do not trust this file")
    return ended(interrupted=False, converged=verification.converged)


def _refuse_other_rules(options: argparse.Namespace, rules: Rules) -> None:
    """Refuse options for preprocessing: `verify` checks the preprocessing of the model."""
    for name in ("scale", "missing"):
        asked, own = getattr(options, name), getattr(rules, name)
        if asked not in (None, own):
            raise InputError(
                f"--{name} {asked}: the model was trained with --{name} {own}, which is checked; leave it out"
            )


def _run_exports(options: argparse.Namespace, trained: TrainedModel) -> int:
    from mcsvm_gui.core.export.verification import verify_export

    rows = open_for(trained, options.data, read_options(options))
    exports = [verify_export(trained, path, rows) for path in options.export]
    wrong = [one for one in exports if one.status is not Status.VERIFIED]
    differing = any(one.status is Status.DIFFERS for one in wrong)
    output.show(
        options,
        lambda: {"verified": not wrong, "exports": [one.document() for one in exports]},
        lambda: [
            *lines((one.path, str(one.status.label), str(one.detail)) for one in exports),
            "",
            "Not verified." if wrong else "Verified: the exported files predict what the model predicts on these rows.",
        ],
    )
    if not wrong:
        return DONE
    paths = ", ".join(one.path for one in wrong)
    return complain(
        f"{paths}: not what the model predicts; do not use this file" if differing else f"{paths}: {wrong[0].detail}"
    )


def document(verification: Verification, trained: TrainedModel) -> dict[str, Any]:
    return {
        "verified": verification.holds,
        "converged": verification.converged,
        "ending": verification.ending,
        "stored_ending": trained.origin.ending.value,
        "certificate": certificate_document(verification.recomputed),
        "stored": certificate_document(verification.stored),
        "parts": [check.document() for check in verification.checks],
    }


def table(checks: Iterable[PartCheck]) -> list[str]:
    """Return a line for each part: its name, the result, the detail."""
    return lines((str(check.part.label), str(check.status.label), str(check.detail)) for check in checks)


def lines(entries: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return lines with aligned columns."""
    rows = list(entries)
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"{part:<{widths[0]}}  {result:<{widths[1]}}  {detail}" for part, result, detail in rows]


def verdict(verification: Verification, trained: TrainedModel) -> str:
    if not verification.holds:
        return "Not verified: the file is not the model that its data, request and dual variables give."
    request = trained.request
    said = claim(verification.ending, certificate_document(verification.recomputed), request.kernel, request.gap_tol)
    text = said.sentences.removesuffix(".")
    unverifiable = ", ".join(check.part.value for check in verification.unverifiable)
    start = f"Verified: {text[0].lower()}{text[1:]}" if said.kind == "solved" else f"Verified. {text}"
    return f"{start}. Not verifiable: {unverifiable}."
