"""mcsvm verify"""

from __future__ import annotations

import argparse

from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import read_options, with_missing_rule
from mcsvm_gui.core.base.exits import complain, ended
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.verification import Verification, verify
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.session import certificate_document
from solvers.run.ending import Ending


def run(options: argparse.Namespace) -> int:
    trained = with_missing_rule(model_file.load(options.model), options)
    dataset = open_dataset(options.data, read_options(options, trained.request.read))
    found, converged = verify(trained, dataset), trained.origin.ending is Ending.CONVERGED
    if options.json:
        output.show_json(
            {
                "certificate": certificate_document(found.recomputed),
                "stored": certificate_document(found.stored),
                "certificate_holds": found.same_certificate,
                "model_holds": found.same_model,
                "verified": found.holds,
                "ending": trained.origin.ending.value,
            }
        )
    if not found.holds:
        return complain(f"{options.model}: {difference(found)}; do not trust this file")
    if not options.json:
        print("\n".join(summary_lines(found, converged)))
    return ended(interrupted=False, converged=converged)


def summary_lines(found: Verification, converged: bool) -> list[str]:
    certificate, certain = found.recomputed, output.certainty(found.recomputed, converged)
    return [
        f"Verified: {certain}.",
        (
            f"Recomputed from the dual variables on the training data: primal {certificate.primal:.10g},"
            f" dual {certificate.dual:.10g}, gap {certificate.gap:.3g}, violation {certificate.violation:.3g}."
        ),
        "The class functions are those of the dual variables, and the stored certificate is the same.",
    ]


def difference(found: Verification) -> str:
    if not found.same_model:
        return "the class functions in the model are not those of its dual variables"
    one, other = found.stored, found.recomputed
    return (
        f"the stored certificate (primal {one.primal:.10g}, dual {one.dual:.10g}, violation {one.violation:.3g}) is not"
        f" the recomputed one (primal {other.primal:.10g}, dual {other.dual:.10g}, violation {other.violation:.3g})"
    )
