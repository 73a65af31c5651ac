"""mcsvm verify"""

from __future__ import annotations

import argparse
from typing import Any

from mcsvm_gui.cli import output
from mcsvm_gui.cli.reading import read_options, with_missing_rule
from mcsvm_gui.core.base.exits import complain, ended
from mcsvm_gui.core.base.terminal import say
from mcsvm_gui.core.data.readers import open_dataset
from mcsvm_gui.core.evaluate.verification import Verification, verify
from mcsvm_gui.core.machine import model_file
from mcsvm_gui.core.machine.session import certificate_document
from mcsvm_gui.core.machine.state import OptimalityClaim, claim_of
from mcsvm_gui.core.machine.trained import TrainedModel
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
        say(*summary_lines(found, claim_of(_document(trained, found))))
    return ended(interrupted=False, converged=converged)


def _document(trained: TrainedModel, found: Verification) -> dict[str, Any]:
    """What `certainty` reads, with the recomputed certificate."""
    return {
        "ending": trained.origin.ending.value,
        "certificate": certificate_document(found.recomputed),
        "kernel": {"name": trained.request.kernel},
        "gap_tol": trained.request.gap_tol,
    }


def summary_lines(found: Verification, certain: OptimalityClaim) -> list[str]:
    certificate, claimed = found.recomputed, certain.sentences
    return [
        f"Verified: {claimed[0].lower()}{claimed[1:]}",
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
